from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import likeness as lk
from likeness.data import ImageTable
from likeness.encoders import image_lengths, load_encoder
from likeness.errors import InputError


@pytest.fixture
def few(tmp_path: Path) -> ImageTable:
    for number in range(5):
        Image.effect_noise((40, 30), 30 + 20 * number).convert("RGB").save(tmp_path / f"{number}.png")
    return lk.read(tmp_path)


class Plain:
    """An encoder without a tower."""

    name = identity = "plain"

    def encode_images(self, images: list[Image.Image]) -> np.ndarray:
        return np.array([np.asarray(image.resize((2, 2))).ravel() for image in images], float)


def test_unit_vectors_times_lengths_are_what_the_tower_gives(few: ImageTable, tmp_path: Path) -> None:
    lengths = image_lengths(few, "cars-small", store_dir=tmp_path / "store")
    encoder = load_encoder("cars-small")
    images = [Image.open(path).convert("RGB") for path in few.paths()]
    with torch.inference_mode():
        tower = encoder.tower  # type: ignore[attr-defined]
        features = tower.forward(tower.pixels([encoder.prepare(image) for image in images])).numpy()  # type: ignore[attr-defined]
    assert (lengths.shape, lengths.dtype) == ((5,), np.float32)
    np.testing.assert_allclose(lk.embed(few, "cars-small").vectors * lengths[:, None], features, rtol=1e-3, atol=1e-3)
    assert lengths.std() > 0


def test_they_are_computed_once_and_kept_beside_the_embeddings(few: ImageTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = lk.embed(few, "cars-small", store_dir=tmp_path / "store")
    before = set((tmp_path / "store").rglob("*.npz"))
    first = space.replace(name="other").lengths
    assert first.shape == (5,)
    assert len(set((tmp_path / "store").rglob("*.npz")) - before) == 1
    monkeypatch.setattr("likeness.encoders.lengths.load_encoder", lambda encoder: pytest.fail("the lengths were stored"))
    np.testing.assert_array_equal(image_lengths(few, "cars-small", store_dir=tmp_path / "store"), first)


def test_spaces_without_lengths_refuse(few: ImageTable) -> None:
    unknown = "have length 1 and what made them is not at hand; embed the images"
    unit = "'plain' gives unit vectors only, so the lengths of its features are not known; use an open_clip"
    notion = lk.embed(few, "cars-small").refit(lk.Notion("color", "a {} car", ["red", "blue"]))
    for space, said in ((lk.Space(np.eye(3)), unknown), (notion, "have length 1"), (lk.embed(few, Plain()), unit)):
        with pytest.raises(InputError, match=said):
            space.lengths  # noqa: B018


def test_images_that_cannot_be_read_are_named(few: ImageTable, tmp_path: Path) -> None:
    (tmp_path / "3.png").write_bytes(b"no image")
    with pytest.raises(InputError, match=r"The lengths of 1 images are not known, the first is '3\.png'"):
        image_lengths(few, "cars-small", store_dir=tmp_path / "store")


def test_work_that_was_stopped_is_named(few: ImageTable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="were not all computed; start it again"):
        image_lengths(few, "cars-small", store_dir=tmp_path / "store", should_stop=lambda: True)
