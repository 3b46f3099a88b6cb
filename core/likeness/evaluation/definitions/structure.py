"""Structure of a space; defined in `likeness.evaluation.structure_metrics`."""

from collections.abc import Sequence
from typing import Any, Literal

from likeness.evaluation.metric import Metric
from likeness.evaluation.structure import structure_metrics


def _compute(rows: Any, labels: Any, names: Sequence[str], distance: Literal["cosine", "euclidean"], seed: int) -> dict[str, float]:
    return structure_metrics(rows, labels)


METRICS = (
    Metric("inter", "Inter", "Mean cosine distance between class centers.", "structure", _compute, None),
    Metric("intra", "Intra", "Mean cosine distance between images of the same class.", "structure", _compute, None),
    Metric("ratio", "Intra / inter", "Density: distance within classes divided by distance between classes.", "structure", _compute, None),
    Metric("spectral_decay", "Spectral decay", "How unevenly the directions of the space are used: 0 if all equally.", "structure", _compute, None),
)
