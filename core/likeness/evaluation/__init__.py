"""Numbers that say how well an embedding space keeps what belongs together together."""

from likeness.evaluation._inputs import DistanceMetric, checked_metric
from likeness.evaluation._language_inputs import class_number
from likeness.evaluation.class_means import class_means, class_sums
from likeness.evaluation.class_order import clustered_order
from likeness.evaluation.clustering import clustering_metrics
from likeness.evaluation.continuous import DISTANCE_KS, NDCG_KS, chance_metrics, continuous_metrics, oracle_metrics, retrieve
from likeness.evaluation.continuous_comparison import (
    FEWEST_LABELLED,
    continuous_comparison,
    continuous_metric_names,
    oracle_and_chance,
    spread_queries,
)
from likeness.evaluation.generalization import (
    aggregated_generalization_score,
    by_split,
    correlations_without,
    few_shot_gains,
    generalization_scores,
    rise_by_removal,
    scaled_structure,
    structure_correlations,
)
from likeness.evaluation.language_correlation import class_image_similarities, language_rank_correlation
from likeness.evaluation.language_divergence import LanguageDivergence, language_divergence
from likeness.evaluation.measure import MetricLike, chosen_metrics, measure, metrics
from likeness.evaluation.metric import Metric
from likeness.evaluation.metric_names import METRICS, find_metric, listed_metric, metric_names, metric_title
from likeness.evaluation.retrieval import retrieval_metrics, retrieval_metrics_per_class, retrieval_scores
from likeness.evaluation.semantic_comparison import most_changed, retrieved_classes
from likeness.evaluation.semantic_retrieval import SemanticRetrieval, semantic_retrieval
from likeness.evaluation.semantics import Semantics, semantics, semantics_table
from likeness.evaluation.structure import STRUCTURE, structure_metrics

__all__ = [
    "DISTANCE_KS",
    "FEWEST_LABELLED",
    "METRICS",
    "NDCG_KS",
    "STRUCTURE",
    "DistanceMetric",
    "LanguageDivergence",
    "Metric",
    "MetricLike",
    "SemanticRetrieval",
    "Semantics",
    "aggregated_generalization_score",
    "by_split",
    "chance_metrics",
    "checked_metric",
    "chosen_metrics",
    "class_image_similarities",
    "class_means",
    "class_number",
    "class_sums",
    "clustered_order",
    "clustering_metrics",
    "continuous_comparison",
    "continuous_metric_names",
    "continuous_metrics",
    "correlations_without",
    "few_shot_gains",
    "find_metric",
    "generalization_scores",
    "language_divergence",
    "language_rank_correlation",
    "listed_metric",
    "measure",
    "metric_names",
    "metric_title",
    "metrics",
    "most_changed",
    "oracle_and_chance",
    "oracle_metrics",
    "retrieval_metrics",
    "retrieval_metrics_per_class",
    "retrieval_scores",
    "retrieve",
    "retrieved_classes",
    "rise_by_removal",
    "scaled_structure",
    "semantic_retrieval",
    "semantics",
    "semantics_table",
    "spread_queries",
    "structure_correlations",
    "structure_metrics",
]
