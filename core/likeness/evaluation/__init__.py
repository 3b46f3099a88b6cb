"""Numbers that say how well an embedding space keeps what belongs together together."""

from likeness.evaluation.retrieval import retrieval_metrics, retrieval_metrics_per_class, retrieval_scores

__all__ = ["retrieval_metrics", "retrieval_metrics_per_class", "retrieval_scores"]
