"""Fixtures for comparisons: a made-up encoder of 24 dimensions whose texts and images agree on colors."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.training.conftest import config, content, one_thread, photos  # noqa: F401

from likeness.data import ImageTable
from likeness.encoders import TextEmbeddings
from likeness.notions import Notion
from likeness.space import Space

COLORS = ("red", "green", "blue", "black")
SHAPES = ("van", "pickup", "coupe")
WIDTH = 24


@dataclass
class MadeUpTexts:
    """Stands in for `likeness.encoders.embed_texts`: a direction for each word, so that equal texts have equal vectors; notes every call."""

    calls: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def __call__(self, encoder: str, texts: Sequence[str], device: str = "auto") -> TextEmbeddings:
        self.calls.append((encoder, tuple(texts)))
        return TextEmbeddings(self.vectors(encoder, texts), len(texts))

    def vectors(self, encoder: str, texts: Sequence[str]) -> np.ndarray:
        """(n, 24) unit rows."""
        rows = np.stack([np.sum([_direction(encoder, word) for word in text.split()], axis=0) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _direction(encoder: str, word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(f"{encoder} {word}".encode()).digest()[:4])
    return np.random.default_rng(seed).standard_normal(WIDTH)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> MadeUpTexts:
    made_up = MadeUpTexts()
    monkeypatch.setattr("likeness.space.embed_texts", made_up)
    monkeypatch.setattr(import_module("likeness.studies.encoder_sizes"), "embed_texts", made_up)
    return made_up


@pytest.fixture
def cars() -> ImageTable:
    rows = [{"path": f"{i}.png", "color": COLORS[i % 4], "shape": SHAPES[i % 3]} for i in range(72)]
    return ImageTable("made-up cars", Path("."), pd.DataFrame(rows))


def made_up_space(cars: ImageTable, encoder: str, noise: float = 1.5) -> Space:
    """The cars as an encoder sees them: their words and some noise."""
    frame = cars.frame
    rows = np.stack([_direction(encoder, color) + _direction(encoder, shape) for color, shape in zip(frame["color"], frame["shape"], strict=True)])
    rows += noise * np.random.default_rng(len(encoder)).standard_normal(rows.shape)
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return Space(vectors, cars, name="Raw encoder", embed_texts=lambda new: vectors[: len(new)], encoder=encoder)


@pytest.fixture
def base(cars: ImageTable, texts: MadeUpTexts) -> Space:
    return made_up_space(cars, "made-up")


@pytest.fixture
def color() -> Notion:
    return Notion("car color", "a {} car", COLORS, attribute="color")


@pytest.fixture
def shape() -> Notion:
    return Notion("car shape", "a photo of a {}", SHAPES, attribute="shape")


@pytest.fixture
def shades() -> Notion:
    shades = ("dark", "light", "pale", "deep", "dull", "bright", "matt", "shiny", "warm", "cold")
    return Notion("shades", "a {} car", tuple(f"{shade} {color}" for color in COLORS for shade in shades), attribute="color")
