"""What guidance will say in a run, before it starts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from likeness.training.config import RunConfig, with_changes


@dataclass(frozen=True)
class SimilaritySummary:
    """How similar classes are to each other.

    Attributes:
        nearest, farthest: pairs of names, with their similarity.
        mean, deviation: over all pairs.
    """

    nearest: tuple[str, str, float]
    farthest: tuple[str, str, float]
    mean: float
    deviation: float


def summarize_similarities(similarities: Any, names: list[str]) -> SimilaritySummary:
    """Of a matrix (c, c) of at least two classes."""
    rows, columns = np.triu_indices(len(names), 1)
    values = np.asarray(similarities)[rows, columns]

    def pair(place: int) -> tuple[str, str, float]:
        return names[rows[place]], names[columns[place]], float(values[place])

    return SimilaritySummary(pair(int(values.argmax())), pair(int(values.argmin())), float(values.mean()), float(values.std()))


def pseudolabel_config(config: RunConfig) -> RunConfig:
    """The config with guidance by pseudolabels of classes, whatever guidance it has.

    Raises:
        InputError: it does not fit.
    """
    return with_changes(config, {"guidance.kind": "plg", "guidance.level": "class"} if config.guidance else {"guidance": {"kind": "plg"}})


def has_classifier(config: RunConfig) -> bool:
    """Whether there is an ImageNet classifier to give pseudolabels: that of the backbone, or one that is named."""
    return not config.backbone.name.startswith("clip:") or bool(config.guidance and config.guidance.classifier)
