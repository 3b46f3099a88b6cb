"""Preview of a run: its classes and images, queries with their nearest images by label, and its guidance."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.training.config import RunConfig, with_changes
from likeness.training.data.run_images import RunImages

_STEPS = 4  # steps of an epoch, if batches are adapted


def class_overview(images: RunImages) -> pd.DataFrame:
    """A row per class: `class`, `part` ("trains", "validates" or "tests"), `images`."""
    counts = np.bincount(images.labels[images.used], minlength=len(images.names))
    parts = np.full(len(images.names), "tests", dtype=object)
    for part, rows in (("trains", images.train), ("validates", images.validation)):
        parts[np.unique(images.labels[rows])] = part
    return pd.DataFrame({"class": images.names, "part": parts, "images": counts})


def example_rows(images: RunImages, classes: int, position: int) -> list[int | None]:
    """Row of the image at this position in each of the first classes; None for classes with fewer images."""
    order = np.argsort(images.labels, kind="stable")
    starts = np.searchsorted(images.labels[order], np.arange(classes))
    sizes = np.bincount(images.labels[images.used], minlength=classes)
    return [int(order[start + position]) if position < size else None for start, size in zip(starts, sizes, strict=False)]


def example_queries(images: RunImages, count: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """At most `count` evenly spaced queries (q,), and for each the k gallery images with the nearest labels (q, k), nearest first.

    InputError: a run without continuous labels.
    """
    if images.distances is None:
        raise InputError("This run has no continuous labels, so images have no nearest ones by label; show its classes instead.")
    queries, gallery = images.queries, images.gallery
    shown = queries[np.linspace(0, len(queries) - 1, min(len(queries), count)).astype(int)]
    distances = np.where(shown[:, None] == gallery, np.inf, images.distances.between(shown, gallery))
    return shown, gallery[np.argsort(distances, axis=1, kind="stable")[:, :k]]


def fitting_batch(config: RunConfig, labels: "pd.Series[Any]") -> dict[str, Any]:
    """Changes of a config, by dotted keys, that let classes with labels (n,) fill its batches; empty if they already do."""
    counts = labels.value_counts()
    classes = round(config.data.train_classes * len(counts))
    if config.batch.size // config.batch.per_class <= classes or classes < 2:
        return {}
    images = int(counts.sum() * config.data.train_classes)
    per_class = max(2, min(config.batch.size, images // _STEPS) // classes)
    return {"batch.size": classes * per_class, "batch.per_class": per_class}


@dataclass(frozen=True)
class SimilaritySummary:
    """Similarities of classes: the nearest and the farthest pair of names with their similarity; mean and standard deviation over all pairs."""

    nearest: tuple[str, str, float]
    farthest: tuple[str, str, float]
    mean: float
    deviation: float


def summarize_similarities(similarities: Any, names: list[str]) -> SimilaritySummary:
    """Summary of a matrix (c, c) of at least two classes."""
    rows, columns = np.triu_indices(len(names), 1)
    values = np.asarray(similarities)[rows, columns]

    def pair(place: int) -> tuple[str, str, float]:
        return names[rows[place]], names[columns[place]], float(values[place])

    return SimilaritySummary(pair(int(values.argmax())), pair(int(values.argmin())), float(values.mean()), float(values.std()))


def pseudolabel_config(config: RunConfig) -> RunConfig:
    """The config with guidance by pseudolabels of classes instead of its own. InputError: an invalid combination."""
    return with_changes(config, {"guidance.kind": "plg", "guidance.level": "class"} if config.guidance else {"guidance": {"kind": "plg"}})


def has_classifier(config: RunConfig) -> bool:
    """Whether there is an ImageNet classifier for pseudolabels: the backbone's, or one named in the config."""
    return not config.backbone.name.startswith("clip:") or bool(config.guidance and config.guidance.classifier)
