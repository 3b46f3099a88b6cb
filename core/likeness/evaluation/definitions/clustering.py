"""Agreement of clusters with labels; defined in `likeness.evaluation.clustering_metrics`."""

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
        "Agreement of labels with k-means clusters, as many as there are labels. 0 is chance, 1 is perfect.",
        "clustering",
        _compute,
        compared=True,
    ),
    Metric(
        "nmi",
        "NMI",
        "Like AMI, but not corrected for chance, so slightly above 0 even for random vectors.",
        "clustering",
        _compute,
        compared=True,
    ),
    Metric("f1", "F1", "How many pairs in one group have the same label, and the other way round.", "clustering", _compute),
)
