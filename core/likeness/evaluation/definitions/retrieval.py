"""How well images of the same label find each other; defined in `likeness.evaluation.retrieval_scores`."""

from collections.abc import Sequence
from typing import Any, Literal

from likeness.evaluation.metric import Metric
from likeness.evaluation.retrieval import retrieval_metrics

_RECALL = "recall_at_"


def _compute(rows: Any, labels: Any, names: Sequence[str], distance: Literal["cosine", "euclidean"], seed: int) -> dict[str, float]:
    ks = sorted({int(name.removeprefix(_RECALL)) for name in names if name.startswith(_RECALL)})
    return retrieval_metrics(rows, labels, ks=ks, metric=distance, only=names)


METRICS = (
    Metric(
        "map_at_r",
        "MAP@R",
        "Of an image's R nearest neighbors, where R is the number of others with its label: how many share the label, nearest counting most.",
        "retrieval",
        _compute,
        compared=True,
    ),
    Metric("precision_at_1", "Prec@1", "How often the nearest neighbor has the same label.", "retrieval", _compute, compared=True),
    Metric(
        "r_precision",
        "R-Prec",
        "The share of an image's R nearest neighbors that have its label, in any order; R is the number of others with its label.",
        "retrieval",
        _compute,
        compared=True,
    ),
    Metric(
        "map",
        "MAP",
        "With all other images ranked by similarity: how far ahead those of the same label stand.",
        "retrieval",
        _compute,
        compared=True,
    ),
    Metric(
        "mrr",
        "MRR",
        "One over the rank of the first image with the same label: 1 if it comes first, 0.5 if second.",
        "retrieval",
        _compute,
        compared=True,
    ),
    Metric("map_at_1000", "mAP@1000", "How early images of the same label come among the first 1,000.", "retrieval", _compute),
    Metric("recall_at_{k}", "R@{k}", "The share of images that find an image of the same label among their top {k}.", "retrieval", _compute),
)
