"""Numbers that say how well an embedding space keeps what belongs together together."""

from likeness.evaluation.clustering import clustering_metrics
from likeness.evaluation.comparison import METRICS, SUGGESTED, compare
from likeness.evaluation.comparison_tables import paper_table, statistics, summarize
from likeness.evaluation.embedding_sizes import ANALYSIS_METRICS, embedding_sizes
from likeness.evaluation.encoder_sizes import BUNDLED_ENCODERS, PAPER_ENCODERS, encoder_sizes
from likeness.evaluation.methods import METHOD_TITLES, METHODS
from likeness.evaluation.parallel import compare_in_parallel
from likeness.evaluation.prompt_counts import prompt_counts
from likeness.evaluation.published import order_differences, published, published_guidance, side_by_side
from likeness.evaluation.refusals import refusals
from likeness.evaluation.retrieval import retrieval_metrics, retrieval_metrics_per_class, retrieval_scores
from likeness.evaluation.table_texts import as_latex, as_markdown

__all__ = [
    "ANALYSIS_METRICS",
    "BUNDLED_ENCODERS",
    "METHODS",
    "METHOD_TITLES",
    "METRICS",
    "PAPER_ENCODERS",
    "SUGGESTED",
    "as_latex",
    "as_markdown",
    "clustering_metrics",
    "compare",
    "compare_in_parallel",
    "embedding_sizes",
    "encoder_sizes",
    "order_differences",
    "paper_table",
    "prompt_counts",
    "published",
    "published_guidance",
    "refusals",
    "retrieval_metrics",
    "retrieval_metrics_per_class",
    "retrieval_scores",
    "side_by_side",
    "statistics",
    "summarize",
]
