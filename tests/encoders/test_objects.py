"""Encoders given as objects."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from likeness.data import ImageTable
from likeness.encoders import Encoder, embed_images, embed_texts, encoder_identity, load_encoder, reads_text, unknown_words
from likeness.errors import InputError


class Colors:
    """The mean color of an image."""

    def __init__(self) -> None:
        self.calls = 0

    def encode_images(self, images: list[Image.Image]) -> np.ndarray:
        self.calls += len(images)
        return np.stack([np.asarray(image).mean(axis=(0, 1)) for image in images])


class Module(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.calls = 0

    def encode_images(self, images: list[Image.Image]) -> torch.Tensor:
        self.calls += len(images)
        return self.layer(torch.tensor(np.stack([np.asarray(image).mean(axis=(0, 1)) for image in images]), dtype=torch.float32))

    def encode_texts(self, texts: list[str]) -> torch.Tensor:
        return torch.tensor([[len(text), 1.0] for text in texts])


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    colors = [(200, 10, 10), (10, 200, 10), (10, 10, 200)]
    for number, color in enumerate(colors):
        Image.new("RGB", (8, 8), color).save(tmp_path / f"{number}.png")
    return ImageTable("colors", tmp_path, pd.DataFrame({"path": [f"{number}.png" for number in range(3)]}))


def test_images_are_unit_rows_and_stored_by_what_names_the_object(table: ImageTable, cache: Path) -> None:
    encoder: Any = Colors()
    assert encoder_identity(encoder) == ""
    for calls in (3, 6):
        found = embed_images(table, encoder)
        assert encoder.calls == calls
    np.testing.assert_allclose(found.vectors, np.array([[200, 10, 10], [10, 200, 10], [10, 10, 200]]) / np.sqrt(200**2 + 200), rtol=1e-6)
    assert (found.vectors.dtype, found.complete, found.failed) == (np.float32, True, [])
    assert not list(cache.rglob("*.npz"))
    for identity, calls in (("colors-1", 9), ("colors-1", 9), ("colors-2", 12)):
        encoder.identity = identity
        embed_images(table, encoder)
        assert encoder.calls == calls


def test_weights_and_code_name_a_module(table: ImageTable, cache: Path) -> None:
    torch.manual_seed(0)
    encoder, other = Module(), Module()
    identity = encoder_identity(encoder)
    assert len(identity) == 16
    assert encoder_identity(other) != identity
    other.load_state_dict(encoder.state_dict())
    assert encoder_identity(other) == identity
    first = embed_images(table, encoder).vectors
    np.testing.assert_array_equal(embed_images(table, other).vectors, first)
    assert (encoder.calls, other.calls) == (3, 0)

    class Changed(Module):
        def encode_images(self, images: list[Image.Image]) -> torch.Tensor:
            return -super().encode_images(images)

    changed = Changed()
    changed.load_state_dict(encoder.state_dict())
    np.testing.assert_allclose(embed_images(table, changed).vectors, -first, rtol=1e-6)
    with torch.no_grad():
        encoder.layer.weight += 1
    assert encoder_identity(encoder) != identity


def test_texts_of_what_embeds_images_too_are_unit_rows(cache: Path) -> None:
    encoder = Module()
    assert reads_text(encoder)
    assert not reads_text(Colors())
    found = embed_texts(encoder, ["abc", "a"])
    np.testing.assert_allclose(found.vectors, [[3 / 10**0.5, 1 / 10**0.5], [0.5**0.5, 0.5**0.5]], rtol=1e-6)
    assert embed_texts(encoder, ["abc"]).n_encoded == 0
    assert unknown_words(encoder, "abc") == []
    with pytest.raises(InputError, match="'Colors' has no text side"):
        embed_texts(Colors(), ["red"])


def test_load_encoder_adds_what_an_object_lacks() -> None:
    loaded = load_encoder(Module())
    assert isinstance(loaded, Encoder)
    assert (loaded.name, loaded.has_text) == ("Module", True)
    whole = load_encoder("cars")
    assert load_encoder(whole) is whole


@pytest.mark.parametrize(
    ("rows", "message"),
    [(np.ones((2, 3)), r"encode_images of 'Wrong' returns an array of shape \(2, 3\)"), (np.ones(3), r"shape \(3,\); expected \(\d, d\)")],
)
def test_vectors_that_do_not_fit_are_refused(table: ImageTable, cache: Path, rows: np.ndarray, message: str) -> None:
    class Wrong:
        def encode_images(self, images: list[Image.Image]) -> np.ndarray:
            return rows

    with pytest.raises(InputError, match=message):
        embed_images(table, Wrong())
    with pytest.raises(InputError, match="The encoder 3 is neither a name nor an object with encode_images"):
        embed_images(table, 3)  # type: ignore[arg-type]
