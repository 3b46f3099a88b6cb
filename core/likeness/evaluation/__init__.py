"""Numbers that say how well an embedding space keeps what belongs together together."""

from likeness.evaluation.comparison import METHODS, METRICS, SUGGESTED, compare, summarize
from likeness.evaluation.retrieval import retrieval_metrics, retrieval_metrics_per_class, retrieval_scores

__all__ = ["METHODS", "METRICS", "SUGGESTED", "compare", "retrieval_metrics", "retrieval_metrics_per_class", "retrieval_scores", "summarize"]
