"""How well groups of like images match their labels; defined in `likeness.evaluation.clustering_metrics`."""

from collections.abc import Sequence
from typing import Any, Literal

from likeness.evaluation.clustering import clustering_metrics
from likeness.evaluation.metric import Metric


def _compute(rows: Any, labels: Any, names: Sequence[str], distance: Literal["cosine", "euclidean"], seed: int) -> dict[str, float]:
    return clustering_metrics(rows, labels, seed=seed, metric=distance)


METRICS = (
    Metric(
        "ami",
        "AMI",
        "Images grouped by k-means into as many groups as there are labels: how well the groups match the labels. 0 is chance, 1 is perfect.",
        "clustering",
        _compute,
        compared=True,
    ),
    Metric(
        "nmi",
        "NMI",
        "Like AMI, without taking off what chance gives, so a little above 0 even for random vectors.",
        "clustering",
        _compute,
        compared=True,
    ),
    Metric("f1", "F1", "Of pairs in one group, how many have the same label, and the other way round.", "clustering", _compute),
)
