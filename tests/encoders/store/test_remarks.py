"""How images were read is said beside them: on embedding, from the store, in tables and on the card of an image."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import likeness as lk
from likeness.data import read_folder
from likeness.encoders import embed_images
from likeness.encoders.store import keys
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, read_shards, write_shard
from likeness.plots.linked_map.widget import describe_row

OWN = "its brightness is scaled to black and white by its own range (300 to 4,300)"


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


def test_remarks_are_stored_with_the_vectors(folder: Path, fake) -> None:
    table = read_folder(folder)
    first, second = embed_images(table, fake), embed_images(table, fake)
    assert (first.n_encoded, second.n_encoded) == (5, 0)
    named = {table.frame["path"][row]: remark for row, remark in first.remarks.items()}
    assert named == {"a.tif": OWN, "b.tif": OWN, "profile.jpg": "its color profile is damaged, so its colors are read as sRGB"}
    assert second.remarks == first.remarks


def test_a_space_has_a_note_for_each_kind(folder: Path) -> None:
    assert lk.embed(folder, "cars-small").table.notes == (
        f"2 images, such as 'a.tif': {OWN}.",
        "1 image, such as 'profile.jpg': its color profile is damaged, so its colors are read as sRGB.",
    )


def test_the_card_of_an_image_says_it(folder: Path) -> None:
    table = read_folder(folder)
    cards = {table.frame["path"][row]: describe_row(table, row)["attributes"] for row in range(len(table))}
    assert {path: card.get("note") for path, card in cards.items() if "note" in card} == {
        "a.tif": OWN,
        "b.tif": OWN,
        "profile.jpg": "its color profile is damaged, so its colors are read as sRGB",
    }


def test_images_are_encoded_again_where_pixels_come_about_otherwise(folder: Path, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read_folder(folder)
    assert embed_images(table, fake).n_encoded == 5
    monkeypatch.setattr(keys, "PIXELS_VERSION", keys.PIXELS_VERSION + 1)
    assert embed_images(table, fake).n_encoded == 5


def test_what_ships_is_found_whatever_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "PIXELS_VERSION", keys.PIXELS_VERSION + 1)
    assert embed_images(lk.read("cars"), "cars").n_encoded == 0


def test_shards_without_remarks_are_read(tmp_path: Path) -> None:
    names = keys.key_array([keys.image_key("a.png", "1 2")])
    name = write_shard(LocalFolder(tmp_path), Shard(names, np.ones((1, 2), np.float32), {}))
    with np.load(tmp_path / name) as arrays:
        kept = {each: arrays[each] for each in arrays.files if not each.startswith("remark")}
    np.savez(tmp_path / name, **kept)
    ((_, shard),) = read_shards(LocalFolder(tmp_path), repair=True)
    assert (len(shard.keys), shard.remarks) == (1, {})
