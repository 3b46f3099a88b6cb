"""Fixtures for encoders and stores: a fake encoder that needs no torch, and images."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data.table import ImageTable


class FakeEncoder:
    """Mean color as a unit vector; counts what it encodes."""

    name = "fake"
    dim = 3
    has_text = True

    def __init__(self, identity: str = "fake-1") -> None:
        self.identity = identity
        self.images = 0
        self.texts: list[str] = []

    def encode_images(self, images: Sequence[Any]) -> np.ndarray:
        self.images += len(images)
        colors = np.array([np.asarray(image, dtype=np.float32).mean((0, 1)) + 1 for image in images])
        return colors / np.linalg.norm(colors, axis=1, keepdims=True)

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        vectors = np.array([[len(text), text.count("e") + 1, ord(text[0])] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def unknown_words(self, text: str) -> list[str]:
        return []


def _write_images(folder: Path, n: int, size: int = 8, seed: int = 0) -> ImageTable:
    """`n` single-colored images, named so that their order is that of the table."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, color in enumerate(np.random.default_rng(seed).integers(0, 256, (n, 3))):
        Image.new("RGB", (size, size), tuple(int(c) for c in color)).save(folder / f"{i:04d}.png")
    return ImageTable("colors", folder, pd.DataFrame({"path": [f"{i:04d}.png" for i in range(n)]}))


@pytest.fixture
def fake() -> FakeEncoder:
    """An encoder that needs no torch and counts what it sees."""
    return FakeEncoder()


@pytest.fixture
def write_images() -> Callable[..., ImageTable]:
    """Writes single-colored images: `write_images(folder, n, size=8, seed=0)`."""
    return _write_images


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    """Twenty single-colored images."""
    return _write_images(tmp_path / "colors", 20)
