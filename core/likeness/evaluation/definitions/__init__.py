"""Registry of metrics: a file for those that are computed together."""

from likeness.evaluation.definitions import clustering, continuous, retrieval, structure, words
from likeness.evaluation.metric import Metric

LISTED: tuple[Metric, ...] = (
    *retrieval.METRICS,
    *clustering.METRICS,
    *structure.METRICS,
    *continuous.METRICS,
    *words.METRICS,
)
