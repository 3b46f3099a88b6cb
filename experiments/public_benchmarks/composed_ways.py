"""Ways to combine an image and a text into similarities, one line for each."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.public_benchmarks.basic import BASIC

Rows = NDArray[np.float32]
Score = Callable[[Rows, Rows, Rows], Rows]


@dataclass(frozen=True)
class Background:
    """Background knowledge before the first query: unit rows of images, of the benchmark's texts, of names of objects and of styles."""

    images: Rows
    texts: Rows
    things: Rows
    styles: Rows


@dataclass(frozen=True)
class ComposedWay:
    """A way to combine a query's image and text.

    Attributes:
        name, title, help: as in tables, and for people.
        make: (background, seed) -> score(image rows (q, d), text rows (q, d), gallery (n, d)) -> similarities (q, n), larger is better.
        seeds: it has random choices.
    """

    name: str
    title: str
    help: str
    make: Callable[[Background, int], Score]
    seeds: bool = False


def _chance(background: Background, seed: int) -> Score:
    draw = np.random.default_rng(seed)
    return lambda image, text, gallery: draw.random((len(image), len(gallery)), dtype=np.float32)


def _product(image: Rows, text: Rows, gallery: Rows) -> Rows:
    return np.asarray(np.maximum(image @ gallery.T, 0) * np.maximum(text @ gallery.T, 0), np.float32)


def _mean(image: Rows, text: Rows, gallery: Rows) -> Rows:
    return np.asarray((image + text) @ gallery.T / 2, np.float32)


CHANCE = ComposedWay("chance", "Chance", "Random similarities.", _chance, seeds=True)
IMAGE = ComposedWay("image", "Image only", "The image alone, whatever the text.", lambda known, seed: lambda image, text, gallery: image @ gallery.T)
TEXT = ComposedWay("text", "Text only", "The text alone, whatever the image.", lambda known, seed: lambda image, text, gallery: text @ gallery.T)
MEAN = ComposedWay("mean", "Mean", "The mean of image and text.", lambda known, seed: _mean)
PRODUCT = ComposedWay("product", "Product", "The product of both similarities, where they are above 0.", lambda known, seed: _product)
BASIC_WAY = ComposedWay(
    "basic",
    "BASIC",
    "Centered, projected on directions in which objects differ, and multiplied (arXiv 2510.25387).",
    lambda known, seed: BASIC().fit(known.images, known.texts, known.things, known.styles).score,
)

WAYS: dict[str, ComposedWay] = {way.name: way for way in (CHANCE, IMAGE, TEXT, MEAN, PRODUCT, BASIC_WAY)}
