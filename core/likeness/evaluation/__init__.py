"""Numbers that say how well an embedding space keeps what belongs together together."""

from likeness.evaluation._language_inputs import class_number
from likeness.evaluation.class_order import clustered_order
from likeness.evaluation.clustering import clustering_metrics
from likeness.evaluation.comparison import METRICS, SUGGESTED, compare
from likeness.evaluation.comparison_tables import paper_table, statistics, summarize
from likeness.evaluation.continuous import DISTANCE_KS, NDCG_KS, chance_metrics, continuous_metrics, oracle_metrics, retrieve
from likeness.evaluation.continuous_comparison import continuous_comparison
from likeness.evaluation.convergence import convergence, convergence_table, metric_title
from likeness.evaluation.embedding_sizes import ANALYSIS_METRICS, embedding_sizes
from likeness.evaluation.encoder_sizes import BUNDLED_ENCODERS, PAPER_ENCODERS, encoder_sizes
from likeness.evaluation.generalization import (
    aggregated_generalization_score,
    by_split,
    few_shot_gains,
    generalization_scores,
    scaled_structure,
    structure_correlations,
)
from likeness.evaluation.language_correlation import class_image_similarities, language_rank_correlation
from likeness.evaluation.language_divergence import LanguageDivergence, language_divergence
from likeness.evaluation.methods import METHOD_TITLES, METHODS
from likeness.evaluation.parallel import compare_in_parallel
from likeness.evaluation.prompt_counts import prompt_counts
from likeness.evaluation.published import beside_guidance, order_differences, published, published_guidance, published_shifts, side_by_side
from likeness.evaluation.refusals import refusals
from likeness.evaluation.retrieval import retrieval_metrics, retrieval_metrics_per_class, retrieval_scores
from likeness.evaluation.semantic_comparison import most_changed, retrieved_classes
from likeness.evaluation.semantic_retrieval import SemanticRetrieval, semantic_retrieval
from likeness.evaluation.semantics import Semantics, semantics, semantics_table
from likeness.evaluation.structure import STRUCTURE, structure_metrics
from likeness.evaluation.table_texts import as_latex, as_markdown

__all__ = [
    "ANALYSIS_METRICS",
    "BUNDLED_ENCODERS",
    "DISTANCE_KS",
    "METHODS",
    "METHOD_TITLES",
    "METRICS",
    "NDCG_KS",
    "PAPER_ENCODERS",
    "STRUCTURE",
    "SUGGESTED",
    "LanguageDivergence",
    "SemanticRetrieval",
    "Semantics",
    "aggregated_generalization_score",
    "as_latex",
    "as_markdown",
    "beside_guidance",
    "by_split",
    "chance_metrics",
    "class_image_similarities",
    "class_number",
    "clustered_order",
    "clustering_metrics",
    "compare",
    "compare_in_parallel",
    "continuous_comparison",
    "continuous_metrics",
    "convergence",
    "convergence_table",
    "embedding_sizes",
    "encoder_sizes",
    "few_shot_gains",
    "generalization_scores",
    "language_divergence",
    "language_rank_correlation",
    "metric_title",
    "most_changed",
    "oracle_metrics",
    "order_differences",
    "paper_table",
    "prompt_counts",
    "published",
    "published_guidance",
    "published_shifts",
    "refusals",
    "retrieval_metrics",
    "retrieval_metrics_per_class",
    "retrieval_scores",
    "retrieve",
    "retrieved_classes",
    "scaled_structure",
    "semantic_retrieval",
    "semantics",
    "semantics_table",
    "side_by_side",
    "statistics",
    "structure_correlations",
    "structure_metrics",
    "summarize",
]
