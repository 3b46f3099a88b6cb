"""Retrieval by class labels: the scores of `RETRIEVAL`, defined in `likeness.evaluation.retrieval_scores`."""

from collections.abc import Sequence
from typing import Any, Literal

from likeness.evaluation._scores import RETRIEVAL
from likeness.evaluation.metric import Metric
from likeness.evaluation.retrieval import retrieval_metrics

_WITHOUT_K = {score.name for score in RETRIEVAL}


def _compute(rows: Any, labels: Any, names: Sequence[str], distance: Literal["cosine", "euclidean"], seed: int) -> dict[str, float]:
    ks = sorted({int(name.rpartition("_")[2]) for name in names if name not in _WITHOUT_K})
    return retrieval_metrics(rows, labels, ks=ks, metric=distance, only=names)


METRICS = tuple(Metric(score.name, score.title, score.help, "retrieval", _compute, compared=score.compared) for score in RETRIEVAL)
