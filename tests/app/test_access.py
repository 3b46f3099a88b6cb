"""The one check of paths, and every place where a path can come in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from likeness.gate import allowed, check_options, check_url, named_path, redacted, shared_name
from likeness.settings import ServerSettings
from PIL import Image

from likeness.errors import InputError


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`photos` is a root of the shared server; `secret`, beside it, holds one of everything."""
    for folder in ("photos/inside", "secret/model"):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(3):
        for folder in ("photos/inside", "secret"):
            Image.new("RGB", (8, 8), (60 * number, 0, 0)).save(tmp_path / folder / f"{number}.png")
    (tmp_path / "photos" / "way_out").symlink_to(tmp_path / "secret")
    (tmp_path / "photos" / "out.png").symlink_to(tmp_path / "secret" / "0.png")
    (tmp_path / "secret" / "t.csv").write_text("path\n0.png\n")
    (tmp_path / "photos" / "t.csv").write_text(f"path,layout\n{tmp_path}/secret/0.png,x\n../secret/1.png,x\ninside/2.png,x\n")
    np.save(tmp_path / "secret" / "m.npy", np.zeros((3, 3)))
    monkeypatch.setenv("LIKENESS_SERVER", ServerSettings.model_validate({"shared": True, "roots": [str(tmp_path / "photos")]}).as_text())
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    return tmp_path


def test_what_lies_below_a_root_is_read(places: Path) -> None:
    from likeness.data import absolute_source, read_dataset

    assert named_path("photos/inside") == places / "photos" / "inside"
    assert len(read_dataset("photos/inside")) == 3
    assert len(read_dataset(str(places / "photos" / "inside"))) == 3
    assert absolute_source(str(places / "photos" / "inside")) == "photos/inside" == shared_name(places / "photos" / "inside")


def _ways_out(places: Path) -> list[str]:
    secret = places / "secret"
    return [
        *(str(secret), str(secret / "0.png"), "photos/../secret", "photos/way_out", "photos/way_out/0.png", "photos/out.png", "/", "/etc/passwd"),
        *(
            "~",
            "~root",
            "..",
            ".",
            "",
            "secret",
            f"photos//..//{secret}",
            "photos/./../secret",
            str(places / "photos") + "/../secret",
            "/proc/self/environ",
        ),
        *(
            str(places / "cache"),
            str(places / "cache" / "uploads"),
            "uploads",
            "uploads/../datasets.json",
            str(places),
            "photosx",
            f"{places}/photosx",
        ),
    ]


def test_nothing_else_is(places: Path) -> None:
    for given in _ways_out(places):
        with pytest.raises(InputError, match="cannot be reached here: this server shows no paths but its own; give a folder or file inside photos"):
            named_path(given)
    for given in ("a\0b", "x" * 300, "/".join(["deep"] * 2000), "\ud800"):
        with pytest.raises(InputError, match="is no path"):
            named_path(given)


def test_the_answer_does_not_tell_what_is_there(places: Path) -> None:
    answers = []
    for given in (places / "secret" / "0.png", places / "secret" / "9.png"):
        with pytest.raises(InputError) as caught:
            named_path(given)
        answers.append(str(caught.value).replace("9.png", "0.png"))
    assert answers[0] == answers[1]


def _entries() -> dict[str, Callable[[str, Path], Any]]:
    """Every place where a person, a config or a table can name a path; each is called with one outside of the roots."""
    from likeness.data import read_dataset, read_folder, read_table
    from likeness.data.paper_datasets import READERS
    from likeness.encoders import encoder_identity, load_encoder
    from likeness.labels.matrix import read_matrix
    from likeness.language import class_similarities, language_model
    from likeness.language.caption_files import read_captions
    from likeness.language.hierarchy_files import read_hierarchy
    from likeness.language.pseudolabel_files import read_pseudolabels
    from likeness.notions.library import read_notion
    from likeness.recipes.captioning.config import read_captioning_config
    from likeness.shifts import read_splits
    from likeness.studies.study import read_study
    from likeness.training.config import BackboneConfig, config_from, read_config
    from likeness.training.data.run_images import run_images
    from likeness.training.network.network import build_network

    def data(**keys: Any) -> Callable[[str, Path], Any]:
        return lambda path, _: run_images(config_from({"data": {name: value.format(path=path) for name, value in keys.items()}}).data, 0)

    return {
        "dataset": lambda path, _: read_dataset(path),
        "folder": lambda path, _: read_folder(path),
        "table": lambda path, _: read_table(path),
        **{f"dataset {name}": lambda path, _, name=name: read_dataset(f"{name}:{path}") for name in READERS},
        "local-dir": lambda path, _: load_encoder(f"local-dir:{path}"),
        "timm local-dir": lambda path, _: load_encoder(f"timm:local-dir:{path}"),
        "run": lambda path, _: load_encoder(f"run:{path}"),
        "identity": lambda path, _: encoder_identity(f"local-dir:{path}"),
        "language transformers": lambda path, _: language_model(f"transformers:{path}"),
        "language vectors": lambda path, _: language_model(f"vectors:{path}"),
        "language encoder": lambda path, _: language_model(f"clip:local-dir:{path}").encode_texts(["a"]),
        "language hierarchy": lambda path, _: class_similarities(["a", "b"], [f"hierarchy:{path}"]),
        "hierarchy": lambda path, _: read_hierarchy(Path(path)),
        "captions": lambda path, _: read_captions(Path(path)),
        "pseudolabels": lambda path, _: read_pseudolabels(path),
        "matrix": lambda path, _: read_matrix(path),
        "notion": lambda path, _: read_notion(Path(path)),
        "splits": lambda path, _: read_splits(path),
        "config": lambda path, _: read_config(path),
        "captioning config": lambda path, _: read_captioning_config(path),
        "study": lambda path, _: read_study(path),
        "config source": data(source="{path}"),
        "config paper source": data(source="cub200:{path}"),
        "config backbone": lambda path, _: build_network(BackboneConfig(name=f"clip:local-dir:{path}")),
        "config weights": lambda path, _: build_network(BackboneConfig(name="resnet18", weights=path)),
    }


@pytest.mark.parametrize("place", sorted(_entries()))
def test_every_entry_goes_through_the_check(places: Path, place: str) -> None:
    for path in (str(places / "secret"), "photos/way_out", str(places / "secret" / "m.npy")):
        with pytest.raises(InputError, match="cannot be reached here"):
            _entries()[place](path, places)


def test_a_table_shows_no_images_outside(places: Path) -> None:
    from likeness.data import read_dataset, thumbnail
    from likeness.io.images import read_image
    from likeness.plots import labelled_image

    table = read_dataset("photos/t.csv")
    for row in (0, 1):
        with pytest.raises(PermissionError):
            read_image(table.paths()[row])
        with pytest.raises(PermissionError):
            thumbnail(table.paths()[row])
        with pytest.raises(PermissionError):
            labelled_image(table, None, row)
    assert read_image(table.paths()[2]).size == (8, 8)
    assert not allowed(places / "photos" / "out.png")


def test_a_link_in_a_root_does_not_open_what_lies_outside(places: Path) -> None:
    from likeness.data import read_dataset

    assert "way_out/0.png" not in set(read_dataset("photos").frame["path"])


def test_options_that_name_files(places: Path) -> None:
    with pytest.raises(InputError, match="'checkpoint_path' of a backbone can name a file"):
        check_options({"checkpoint_path": "/etc/passwd"})
    check_options({"drop_rate": 0.1})


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://169.254.169.254/latest", "s3://other/a.png", "local:///etc", "s3://mine/../other/a.png"]
)
def test_addresses(places: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True, urls=("s3://mine",)).as_text())
    with pytest.raises(InputError, match="cannot be reached here"):
        check_url(url)
    check_url("s3://mine/a.png")


def test_uploads_are_read_by_their_own_name_only(places: Path) -> None:
    from likeness.data import absolute_source, read_dataset, save_uploads

    table = save_uploads([("a.png", (places / "secret" / "0.png").read_bytes())], "mine")
    source = absolute_source(str(table.root))
    assert source == f"uploads/{table.root.name}"
    assert len(read_dataset(source)) == 1


def test_training_and_downloads_are_off(places: Path) -> None:
    from likeness.encoders.models.hub import load_from_hub
    from likeness.training.loop import processes
    from likeness.training.runs.run_folder import RunFolder

    with pytest.raises(InputError, match="Training is switched off on this server"):
        processes.begin(RunFolder(places / "runs" / "x"))

    def missing() -> None:
        raise OSError("not here")

    with pytest.raises(InputError, match="not on this server, and it downloads none"):
        load_from_hub("ViT-B-32/openai", missing)


def test_no_path_of_the_server_is_told(places: Path) -> None:
    error = InputError(f"The run in '{places}/runs/my run' and {places}/photos/a b/c.png, /usr/lib/x.so and https://host/a/b, 3/4, and/or broke.")
    assert str(places) not in str(error)
    assert str(error) == "The run in 'my run' and a b/c.png, x.so and https://host/a/b, 3/4, and/or broke."


def test_a_person_alone_sees_and_reads_all(tmp_path: Path) -> None:
    assert named_path(tmp_path) == tmp_path
    assert named_path("~") == Path.home()
    assert redacted(f"in '{tmp_path}'") == f"in '{tmp_path}'"
    assert allowed(Path("/etc/passwd"))
    check_url("s3://anything/a.png")
