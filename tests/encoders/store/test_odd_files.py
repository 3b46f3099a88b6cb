"""What lies in people's folders: all that can be read is embedded, and all else listed with a reason."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from foreign_files import HEIC, dng, jpeg, picture, write_pdf, write_video
from likeness.data import read_dataset, read_folder
from likeness.encoders import embed_images
from likeness.encoders.store import pipeline

_NO_IMAGE = "it is empty or not an image in a known format"


def _reasons(table, result) -> dict[str, str]:
    assert result.complete
    assert len(result.rows) + len(result.failed) == len(table)
    assert np.isfinite(result.vectors).all()
    return {failure.path: failure.reason for failure in result.failed}


def test_sound_files_of_every_kind(tmp_path: Path, fake) -> None:
    picture().convert("CMYK").save(tmp_path / "cmyk.jpg")
    Image.fromarray(np.full((9, 9), 40_000, np.uint16)).save(tmp_path / "deep.png")
    Image.fromarray(np.full((9, 9), 40_000, np.uint16)).save(tmp_path / "deep.tif")
    Image.fromarray(np.full((9, 9), 0.5, np.float32)).save(tmp_path / "float.tif")
    Image.new("RGB", (1, 1)).save(tmp_path / "dot.png")
    Image.new("1", (4_000, 1)).save(tmp_path / "line.gif")
    for name in ("moving.gif", "moving.webp", "moving.png", "pages.tif", "moving.avif"):
        picture().save(tmp_path / name, save_all=True, append_images=[Image.new("RGB", (64, 48))] * 3)
    (tmp_path / "a.heic").write_bytes(HEIC)
    (tmp_path / "a.dng").write_bytes(dng())
    write_pdf(tmp_path / "a.pdf")
    write_video(tmp_path / "a.mp4")
    table = read_folder(tmp_path)
    result = embed_images(table, fake)
    assert _reasons(table, result) == {}
    assert len(table) == 18
    vectors = dict(zip(table.frame["path"], result.vectors, strict=True))
    first_frame = vectors["a.heic"]
    for name in ("moving.gif", "moving.webp", "moving.png", "pages.tif", "moving.avif", "a.pdf#page=1", "a.dng"):
        np.testing.assert_allclose(vectors[name], first_frame, atol=0.03)


def test_all_else_is_listed(tmp_path: Path, fake) -> None:
    picture().save(tmp_path / "sound.png")
    content = (tmp_path / "sound.png").read_bytes()
    (tmp_path / "corrupt.png").write_bytes(content[:60] + bytes(40) + content[100:])
    (tmp_path / "truncated.jpg").write_bytes(jpeg()[:500])
    (tmp_path / "empty.webp").touch()
    (tmp_path / "text.gif").write_text("no image")
    (tmp_path / "text.heic").write_text("no image")
    Image.new("1", (20_000, 10_000)).save(tmp_path / "large.png")
    (tmp_path / "nowhere.jpg").symlink_to(tmp_path / "gone.jpg")
    (tmp_path / "loop.jpg").symlink_to(tmp_path / "loop.jpg")
    (tmp_path / "damaged.heic").write_bytes(HEIC[:400])
    for name in ("damaged.dng", "damaged.pdf", "damaged.mp4"):
        (tmp_path / name).write_bytes(b"damaged")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.png")
    table = read_folder(tmp_path)
    reasons = _reasons(table, embed_images(table, fake))
    assert set(reasons) == set(table.frame["path"]) - {"sound.png"}
    assert reasons["corrupt.png"].startswith("it is damaged")
    assert reasons["truncated.jpg"].startswith("it is damaged")
    assert reasons["empty.webp"] == reasons["text.gif"] == reasons["text.heic"] == _NO_IMAGE
    assert reasons["large.png"] == "it has more pixels than is safe to decode"
    assert reasons["nowhere.jpg"] == "there is no such file"
    assert reasons["loop.jpg"] == "the file cannot be opened"
    assert reasons["damaged.heic"].startswith("cannot be read: by its content")
    assert reasons["damaged.dng"].startswith("is damaged, encrypted or of another kind")
    assert reasons["damaged.pdf"].startswith("is damaged, encrypted or of another kind")
    assert reasons["damaged.mp4"] == "is no video in a known format by its content; leave it out."


def test_files_that_go_shrink_or_are_replaced_while_they_are_read(tmp_path: Path, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.png", "b.png", "c.png", "d.png"):
        picture().save(tmp_path / name)
    table = read_folder(tmp_path)
    read = pipeline.read_image

    def change(path: Path, least: int | None) -> Image.Image:
        if path.name == "b.png":
            path.unlink(missing_ok=True)
        if path.name == "c.png":
            path.write_bytes(path.read_bytes()[:60])
        if path.name == "d.png":
            Image.new("RGB", (7, 7)).save(path)
        return read(path, least)

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "read_image", change)
        reasons = _reasons(table, embed_images(table, fake))
    assert set(reasons) == {"b.png", "c.png"}
    assert "no such file" in reasons["b.png"]
    assert reasons["c.png"].startswith("it is damaged")
    picture().save(tmp_path / "c.png")
    again = embed_images(table, fake)
    assert [failure.path for failure in again.failed] == ["b.png"]
    assert again.n_encoded == 2  # what was replaced is read anew, too


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_names_in_any_script(tmp_path: Path, fake) -> None:
    names = ["фото.png", "写真.png", "ملف.png", "😀.png", "a\u0301.png", "á.png", "%41.png", "a b;c,d.png", "x\ny.png", os.fsdecode(b"caf\xe9.png")]
    for name in names:
        picture().save(tmp_path / name, "PNG")
    table = read_folder(tmp_path)
    assert len(table) == len(names)
    assert _reasons(table, embed_images(table, fake)) == {}


def test_seconds_are_reused_and_renewed_with_their_file(tmp_path: Path, fake) -> None:
    write_video(tmp_path / "a.mp4", shades=(0, 240))
    first = embed_images(read_folder(tmp_path), fake)
    assert first.n_encoded == 2
    assert embed_images(read_folder(tmp_path), fake).n_encoded == 0
    write_video(tmp_path / "a.mp4", shades=(240, 0, 120))
    assert embed_images(read_folder(tmp_path), fake).n_encoded == 3


def test_a_table_may_list_seconds_and_pages(tmp_path: Path, fake) -> None:
    write_video(tmp_path / "a.mp4", shades=(0, 240))
    write_pdf(tmp_path / "a.pdf")
    (tmp_path / "labels.csv").write_text("path,kind\na.mp4#t=1,bright\na.pdf#page=2,page\na.pdf#page=7,none\n")
    table = read_dataset(tmp_path / "labels.csv")
    assert list(table.frame["kind"]) == ["bright", "page", "none"]
    assert _reasons(table, embed_images(table, fake)) == {"a.pdf#page=7": "has no page 7; it has 2."}
