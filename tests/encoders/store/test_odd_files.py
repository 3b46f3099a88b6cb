"""What lies in people's folders: all that can be read is embedded, all else listed with a reason, and how images were read is said beside them."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import likeness as lk
from foreign_files import HEIC, dng, jpeg, picture, write_pdf, write_video
from likeness.data import read_dataset, read_folder
from likeness.encoders import embed_images
from likeness.encoders.store import keys, pipeline
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, read_shards, write_shard
from likeness.plots.linked_map.widget import describe_row

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
    assert reasons["empty.webp"] == reasons["text.gif"] == reasons["text.heic"] == _NO_IMAGE
    assert reasons["large.png"] == "it has more pixels than is safe to decode"
    assert reasons["nowhere.jpg"] == "there is no such file"
    assert reasons["loop.jpg"] == "the file cannot be opened"
    for said, names in (
        ("it is damaged", ("corrupt.png", "truncated.jpg")),
        ("cannot be read: its content", ("damaged.heic",)),
        ("is damaged, encrypted or of another kind", ("damaged.dng", "damaged.pdf")),
    ):
        assert all(reasons[name].startswith(said) for name in names)
    assert reasons["damaged.mp4"] == "is not a video in a known format; remove it."


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


def test_seconds_are_reused_and_renewed_with_their_file_and_a_table_may_list_them(tmp_path: Path, fake) -> None:
    write_video(tmp_path / "a.mp4", shades=(0, 240))
    first = embed_images(read_folder(tmp_path), fake)
    assert first.n_encoded == 2
    assert embed_images(read_folder(tmp_path), fake).n_encoded == 0
    write_video(tmp_path / "a.mp4", shades=(240, 0, 120))
    assert embed_images(read_folder(tmp_path), fake).n_encoded == 3
    write_pdf(tmp_path / "a.pdf")
    (tmp_path / "labels.csv").write_text("path,kind\na.mp4#t=1,bright\na.pdf#page=2,page\na.pdf#page=7,none\n")
    table = read_dataset(tmp_path / "labels.csv")
    assert list(table.frame["kind"]) == ["bright", "page", "none"]
    assert _reasons(table, embed_images(table, fake)) == {"a.pdf#page=7": "has no page 7; it has 2."}


OWN = "its brightness is scaled from its own range (300 to 4,300)"
REMARKS = {"a.tif": OWN, "b.tif": OWN, "profile.jpg": "its color profile is damaged, so its colors are read as sRGB"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "scans"
    place.mkdir()
    ramp = np.add.outer(np.linspace(0, 0.5, 30), np.linspace(0, 0.5, 30))
    for name in ("a", "b"):
        Image.fromarray((ramp * 4000 + 300).astype(np.float32)).save(place / f"{name}.tif")
        ramp = ramp.T[::-1]
    Image.fromarray((ramp * 65535).astype(np.uint16)).save(place / "deep.png")
    Image.fromarray((ramp * 255).astype(np.uint8)).save(place / "plain.png")
    Image.new("RGB", (30, 30), "red").save(place / "profile.jpg", icc_profile=b"no profile")
    return place


def test_remarks_are_stored_with_the_vectors_and_said_of_the_space_and_of_its_images(folder: Path, fake) -> None:
    table = read_folder(folder)
    first, second = embed_images(table, fake), embed_images(table, fake)
    assert (first.n_encoded, second.n_encoded) == (5, 0)
    assert {table.frame["path"][row]: remark for row, remark in first.remarks.items()} == REMARKS
    assert second.remarks == first.remarks
    notes = lk.embed(folder, "cars-small").table.notes  # one for each kind
    assert notes == (f"2 images, such as 'a.tif': {OWN}.", f"1 image, such as 'profile.jpg': {REMARKS['profile.jpg']}.")
    cards = {table.frame["path"][row]: describe_row(table, row)["attributes"] for row in range(len(table))}
    assert {path: card["note"] for path, card in cards.items() if "note" in card} == REMARKS


def test_images_are_encoded_again_where_pixels_come_about_otherwise_but_not_what_ships(folder: Path, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_folder(folder)
    assert embed_images(table, fake).n_encoded == 5
    monkeypatch.setattr(keys, "PIXELS_VERSION", keys.PIXELS_VERSION + 1)
    assert embed_images(table, fake).n_encoded == 5
    assert embed_images(lk.read("cars"), "cars").n_encoded == 0


def test_shards_without_remarks_are_read(tmp_path: Path) -> None:
    names = keys.key_array([keys.image_key("a.png", "1 2")])
    name = write_shard(LocalFolder(tmp_path), Shard(names, np.ones((1, 2), np.float32), {}))
    with np.load(tmp_path / name) as arrays:
        kept = {each: arrays[each] for each in arrays.files if not each.startswith("remark")}
    np.savez(tmp_path / name, **kept)
    ((_, shard),) = read_shards(LocalFolder(tmp_path), repair=True)
    assert (len(shard.keys), shard.remarks) == (1, {})
