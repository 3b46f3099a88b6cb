"""Shared by benchmarks of composed queries: rows of images and texts, and background knowledge of the methods."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from experiments.public_benchmarks.basic import STYLES
from experiments.public_benchmarks.composed_ways import Background, Rows
from likeness.encoders import load_encoder, reads_text
from likeness.errors import InputError

_MOST_IMAGES = 2000  # of which means and least similarities are taken


def check_reads_text(encoder: Any) -> None:
    """Raises InputError if an encoder has no text side; called before slow work."""
    if not reads_text(encoder):
        raise InputError(f"The encoder '{encoder}' does not support texts, which the queries contain; choose another.")


def text_rows(encoder: Any, texts: Iterable[str]) -> dict[str, Rows]:
    """Unit row of each different text."""
    different = list(dict.fromkeys(texts))
    return dict(zip(different, np.asarray(load_encoder(encoder).encode_texts(different), np.float32), strict=True))


def background(encoder: Any, images: Rows, texts: Rows) -> Background:
    """Background knowledge of a method: a sample of the images, the texts of all queries, and names of objects and styles."""
    from timm.data import ImageNetInfo

    info = ImageNetInfo("imagenet-1k")
    things = [info.label_name_to_description(name).split(",")[0] for name in info.label_names()]
    chosen = np.random.default_rng(0).permutation(len(images))[:_MOST_IMAGES]
    loaded = load_encoder(encoder)
    return Background(images[np.sort(chosen)], texts, _encoded(loaded, things), _encoded(loaded, STYLES))


def _encoded(encoder: Any, texts: Sequence[str]) -> Rows:
    return np.asarray(encoder.encode_texts(list(texts)), np.float32)
