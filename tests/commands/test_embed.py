"""`likeness embed`: engines, stores, URLs, and what is typed wrong."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from foreign_files import HEIC, exif, jpeg, write_video
from worlds import Run, draw


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Five images and a file that is none."""
    draw(tmp_path / "photos", 5)
    (tmp_path / "photos" / "broken.png").write_bytes(b"no image")
    return tmp_path / "photos"


def test_ray_that_is_missing_is_answered_with_the_install_line(run: Run, photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    status, _, err = run("embed", str(photos), "--engine", "ray")
    assert (status, "run `pip install 'likeness[ray]'`" in err) == (2, True)
    # an attribute called vector is told before the work
    table = photos.with_suffix(".csv")
    table.write_text("path,vector\nphotos/0.png,left\n")
    monkeypatch.setattr("likeness.embedding.embed", lambda *_, **__: pytest.fail("images are embedded"))
    status, _, err = run("embed", str(table), "--encoder", "cars-small", "--out", str(table.with_suffix(".parquet")))
    assert (status, "The attribute 'vector' has the reserved name of the vector column; rename it." in err) == (2, True)


@pytest.mark.long
def test_one_store_for_both_engines_and_vectors_written(ok: Any, photos: Path, tmp_path: Path) -> None:
    store, out = tmp_path / "store", tmp_path / "vectors.npy"
    options = ["--encoder", "cars-small", "--store", str(store)]
    printed, err = ok("embed", photos, "--engine", "ray", "--workers", "1", *options)
    assert "5 images, " in printed
    assert "1 skipped" in printed
    assert "skipped broken.png" in err
    written = {path: path.stat().st_mtime_ns for path in store.rglob("*.npz")}
    assert len(written) == 1
    ok("embed", photos, "--out", out, *options)
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*.npz")} == written
    np.testing.assert_allclose(np.linalg.norm(np.load(out), axis=1), 1, atol=1e-5)


def test_a_folder_and_a_table_of_urls(ok: Any, photos: Path, tmp_path: Path) -> None:
    import fsspec

    place = f"memory://bucket-{uuid4().hex}/photos"
    for path in photos.iterdir():
        fsspec.filesystem("memory").pipe(f"{place}/{path.name}", path.read_bytes())
    assert "5 images" in ok("embed", place, "--encoder", "cars-small", "--out", tmp_path / "a.parquet")[0]
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert [path.rsplit("/", 1)[-1] for path in frame["path"]] == [f"{i}.png" for i in range(5)]
    (tmp_path / "list.csv").write_text("image\n" + "\n".join([*frame["path"], str(photos / "0.png")]))
    assert "6 images" in ok("embed", tmp_path / "list.csv", "--encoder", "cars-small", "--out", tmp_path / "b.npy")[0]
    vectors = np.load(tmp_path / "b.npy")
    np.testing.assert_allclose(vectors[5], vectors[0], atol=1e-5)
    np.testing.assert_allclose(vectors[:5], np.stack(frame["vector"]), atol=1e-5)


@pytest.mark.long
def test_an_interruption_keeps_what_the_workers_had(photos: Path, tmp_path: Path) -> None:
    """Ctrl-C goes to the command and to all that it started."""
    import psutil

    for i in range(800):
        Image.new("RGB", (40, 40), (i % 256, i // 256, 0)).save(photos / f"more-{i:03}.png")
    store = tmp_path / "store"
    # one image at a time, and a shard of each
    code = f"""
import sys
from likeness.commands.cli import main
from likeness.encoders import embed_images
embed_images.__kwdefaults__["shard_seconds"] = 0.0
options = ["--engine", "ray", "--workers", "1", "--batch-size", "1"]
sys.argv = ["likeness", "embed", {str(photos)!r}, "-e", "cars-small", "--store", {str(store)!r}, *options]
main()
"""
    for _ in range(5):
        command = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        while not list(store.rglob("*.npz")) and command.poll() is None:
            time.sleep(0.05)
        children = psutil.Process(command.pid).children(recursive=True) if command.poll() is None else []
        with contextlib.suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGINT)
        _, err = command.communicate(timeout=600)
        if b"Ray cannot be started on this machine" not in err:  # Ray gives its processes 30 s to start, too few on a busy machine
            break
    assert command.returncode == 130, err.decode()
    assert "Traceback" not in err.decode()
    assert 0 < len(list(store.rglob("*.npz"))) < 805
    assert list(store.rglob("*.partial")) == []
    assert len(children) > 3
    assert psutil.wait_procs(children, timeout=300)[1] == []


def test_names_that_no_terminal_shows_are_embedded_searched_and_indexed_like_any_other(ok: Any, odd_names: Path, tmp_path: Path) -> None:
    kept = tmp_path / "x.parquet"
    (odd_names / "ok" / os.fsdecode(b"br\xf6ken\n\x1b[2J.png")).write_bytes(b"no image")
    out, err = ok("embed", odd_names, "--encoder", "cars-small", "--out", kept)
    assert "7 images, 512 dimensions, 1 skipped" in out
    assert "skipped ok/br�F6ken �[2J.png: it is empty or not an image" in err
    paths = pd.read_parquet(kept)["path"].tolist()
    assert {"cl�E9/caf�E9.png", "ok/new\nline.png", "ok/caf�E9 2.png", "ok/😀.png", "ok/\u202egnp.exe.png", "ok/שלום.png"} < set(paths)
    query = os.fsdecode(os.fsencode(odd_names) + b"/cl\xe9/caf\xe9.png")
    out, err = ok("search", odd_names, "--image", query, "--encoder", "cars-small", "-k", "7")
    assert out.splitlines()[1].split()[2:] == ["cl�E9/caf�E9.png", "cl�E9"]
    assert out.isascii() is False
    assert all(line.isprintable() for line in out.splitlines())
    assert len(out.splitlines()) == 8
    assert ok("index", odd_names, "--encoder", "cars-small")[0].startswith("7 images")


@pytest.mark.parametrize("encoding", ["cp1252", pytest.param("latin-1", marks=pytest.mark.long)])
def test_a_terminal_that_lacks_a_sign_gets_another(odd_names: Path, encoding: str) -> None:
    command = [sys.executable, "-m", "likeness", "search", str(odd_names), "--row", "0", "--encoder", "cars-small"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr
    assert b"ok/?.png" in done.stdout


def test_photos_and_videos_with_dates_and_places_only_if_asked_for(ok: Any, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a.heic").write_bytes(HEIC)
    (folder / "b.jpg").write_bytes(jpeg(exif=exif("2019:12:31 23:00:00", place=True)))
    (folder / "c.pdf").write_bytes(b"damaged")
    write_video(folder / "d.mp4", shades=(0, 240))
    for options, columns in (([], set()), (["--gps"], {"latitude", "longitude"})):
        out, err = ok("embed", folder, "--encoder", "cars-small", "--out", tmp_path / "x.parquet", "--force", *options)
        assert "4 images, 512 dimensions, 1 skipped" in out
        assert "skipped c.pdf: is damaged, encrypted" in err
        found = pd.read_parquet(tmp_path / "x.parquet")
        assert list(found["path"]) == ["a.heic", "b.jpg", "d.mp4#t=0", "d.mp4#t=1"]
        assert list(found["year"]) == ["2024", "2019", "(none)", "(none)"]
        assert columns == {"latitude", "longitude"} & set(found.columns)


def test_how_images_were_read_is_said(ok: Any, tmp_path: Path) -> None:
    (tmp_path / "scans").mkdir()
    Image.fromarray(np.linspace(-1, 1, 900, dtype=np.float32).reshape(30, 30)).save(tmp_path / "scans" / "a.tif")
    _, err = ok("embed", tmp_path / "scans", "--encoder", "cars-small")
    assert "Note: 1 image, such as 'a.tif': its brightness is scaled from its own range (-1 to 1).\n" in err


def test_what_was_left_out_of_a_folder_and_its_attributes_are_said(ok: Any, photos: Path) -> None:
    (photos / "@eaDir").mkdir()
    (photos / "0.png").rename(photos / "@eaDir" / "0.png")
    note = "Note: 1 folder that a program keeps beside photos (thumbnails, deleted files) was skipped: '@eaDir'."
    out, err = ok("embed", photos, "--encoder", "cars-small")
    assert (out, note in err) == ("4 images, 512 dimensions, 1 skipped\n", True)
    assert ok("info", photos)[0].splitlines() == [f"photos: 5 images in {photos}", note]
    assert note in ok("duplicates", photos, "--encoder", "cars-small")[1]
    (photos / "red").mkdir()
    for name in ("1.png", "2.png"):
        (photos / name).rename(photos / "red" / name)
    assert "  class: 2 values: (none) (3), red (2)" in ok("info", photos)[0].splitlines()
