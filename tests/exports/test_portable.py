"""What is exported to be taken elsewhere names no place of this machine, and is whole there; what may not be read is in none."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.exports import TARGETS
from likeness.exports.material import Material
from likeness.io import confine
from likeness.space import Space

WRITTEN = [name for name, target in TARGETS.items() if target.takes not in ("notion", "run")]


@pytest.fixture
def local(space: Space) -> Space:
    """A space whose encoder is a folder, of images of which some are named by absolute paths."""
    frame = space.table.frame.copy()
    frame["path"] = [str(space.table.file(row)) if row % 2 else path for row, path in enumerate(frame["path"])]
    table = ImageTable(space.table.name, space.table.root, frame)
    return Space(space.vectors, table, name="Mine", encoder=f"local-dir:{space.table.root}/model", embed_texts=None, embed_images=None)


def _content(place: Path) -> bytes:
    files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
    tables = [file for file in files if file.suffix == ".parquet"]
    plain = "".join(pd.read_parquet(file).to_csv() for file in tables)  # whose pages are compressed
    return b"".join([*(file.read_bytes() for file in files), plain.encode()])


@pytest.mark.parametrize("target", WRITTEN)
def test_no_place_of_this_machine_is_named(target: str, local: Space, tmp_path: Path) -> None:
    given = {name: value for name, value in {"label": "breed", "vectors": True, "val": 0.5}.items() if name in TARGETS[target].uses}
    places = {}
    for portable in (True, False):
        places[portable] = tmp_path / f"{portable}{TARGETS[target].ending}"
        lk.export(local, target, places[portable], portable=portable, **given)
    assert bytes(tmp_path) not in _content(places[True])
    assert bytes(tmp_path) in _content(places[False])  # so that the test would see it


@pytest.mark.parametrize("target", ["lancedb", "faiss"])
def test_stores_are_read_after_a_move(target: str, local: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    lk.export(local, target, tmp_path / "here" / "store", portable=True)
    (tmp_path / "here" / "store").rename(tmp_path / "store")
    monkeypatch.chdir(local.table.root)  # names are of the folder that one is in
    found = lk.load(f"{target}:{tmp_path}/store")
    np.testing.assert_allclose(found.vectors, local.vectors, atol=1e-6)
    assert found.table.file(3).samefile(local.table.file(3))
    assert found.encoder is None


def test_folders_hold_copies(local: Space, files: dict[str, bytes], tmp_path: Path) -> None:
    for target in ("links", "yolo", "fiftyone"):
        options = {"label": "breed"} | ({"val": 0.5} if target == "yolo" else {})
        lk.export(local, target, tmp_path / target, portable=True, **options)
    shutil.rmtree(local.table.root)
    listed = lk.read(tmp_path / "links" / "metadata.csv")
    assert [listed.file(row).read_bytes() for row in range(12)] == list(files.values())
    assert pd.read_csv(tmp_path / "links" / "metadata.csv")["source"].tolist() == list(files)
    samples = json.loads((tmp_path / "fiftyone" / "samples.json").read_text())["samples"]
    assert [(tmp_path / "fiftyone" / each["filepath"]).read_bytes() for each in samples] == list(files.values())
    assert not any(file.is_symlink() for file in tmp_path.rglob("*"))


def test_an_image_that_lies_elsewhere_keeps_its_name_alone(table: ImageTable, tmp_path: Path) -> None:
    elsewhere = ImageTable("x", tmp_path / "other", pd.DataFrame({"path": [str(table.file(0)), "a/b.png"]}))
    assert Material(elsewhere, portable=True).names == ["0.png", "a/b.png"]
    assert Material(elsewhere).names == [str(table.file(0)), "a/b.png"]


@pytest.mark.parametrize("target", ["links", "yolo", "fiftyone", "coco"])
def test_what_may_not_be_read_is_not_copied(target: str, space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unconfined: None) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    (space.table.root / "link.png").symlink_to(tmp_path / "secret.png")
    for named in ("../secret.png", "link.png"):
        space.table.frame["path"] = [named, *space.table.frame["path"][1:]]
        confine([space.table.root])
        out = space.table.root / f"out{TARGETS[target].ending}"
        with pytest.raises(InputError, match="whose file is missing"):
            lk.export(space, target, out, **({"label": "breed"} if target == "yolo" else {}))
        assert not out.exists()


def test_by_the_command(run, table: ImageTable, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    status, said, _ = run("export", str(table.root), "links", str(tmp_path / "out"), "--portable")
    assert (status, said.split("\n")[0]) == (0, f"12 images written to {tmp_path}/out")
    assert not any(file.is_symlink() for file in (tmp_path / "out").iterdir())
    assert str(tmp_path) not in (tmp_path / "out" / "metadata.csv").read_text()
