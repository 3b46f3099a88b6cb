"""How a space is built; defined in `likeness.evaluation.structure_metrics`."""

from collections.abc import Sequence
from typing import Any, Literal

from likeness.evaluation.metric import Metric
from likeness.evaluation.structure import structure_metrics


def _compute(rows: Any, labels: Any, names: Sequence[str], distance: Literal["cosine", "euclidean"], seed: int) -> dict[str, float]:
    return structure_metrics(rows, labels)


METRICS = (
    Metric("inter", "Inter", "Mean cosine distance between the centers of two classes.", "structure", _compute, None),
    Metric("intra", "Intra", "Mean cosine distance between two images of a class.", "structure", _compute, None),
    Metric("ratio", "Intra / inter", "Distance within classes over distance between them: the density.", "structure", _compute, None),
    Metric("spectral_decay", "Spectral decay", "How unevenly the directions are used: 0 where all are used alike.", "structure", _compute, None),
)
