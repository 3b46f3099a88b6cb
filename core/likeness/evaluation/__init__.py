"""Metrics of embedding spaces."""

from likeness.evaluation._inputs import DistanceMetric as DistanceMetric, checked_metric as checked_metric
from likeness.evaluation._language_inputs import class_number as class_number
from likeness.evaluation.class_means import class_means as class_means, class_sums as class_sums, clustered_order as clustered_order
from likeness.evaluation.clustering import clustering_metrics as clustering_metrics
from likeness.evaluation.continuous import (
    DISTANCE_KS as DISTANCE_KS,
    FEWEST_LABELED as FEWEST_LABELED,
    NDCG_KS as NDCG_KS,
    chance_metrics as chance_metrics,
    continuous_comparison as continuous_comparison,
    continuous_metric_names as continuous_metric_names,
    continuous_metrics as continuous_metrics,
    continuous_query_metrics as continuous_query_metrics,
    oracle_and_chance as oracle_and_chance,
    oracle_metrics as oracle_metrics,
    retrieve as retrieve,
    spread_queries as spread_queries,
    with_bounds as with_bounds,
)
from likeness.evaluation.generalization import (
    aggregated_generalization_score as aggregated_generalization_score,
    by_split as by_split,
    correlation_intervals as correlation_intervals,
    few_shot_gains as few_shot_gains,
    generalization_scores as generalization_scores,
    is_control as is_control,
    rise_by_removal as rise_by_removal,
    scaled_structure as scaled_structure,
    structure_correlations as structure_correlations,
)
from likeness.evaluation.image_text import image_text_hits as image_text_hits, image_text_metrics as image_text_metrics
from likeness.evaluation.intervals import FEWEST_GROUPS as FEWEST_GROUPS, bootstrap_interval as bootstrap_interval
from likeness.evaluation.measure import MetricLike as MetricLike, chosen_metrics as chosen_metrics, measure as measure, metrics as metrics
from likeness.evaluation.metric import Metric as Metric
from likeness.evaluation.metric_names import (
    METRICS as METRICS,
    find_metric as find_metric,
    listed_metric as listed_metric,
    metric_names as metric_names,
    metric_title as metric_title,
)
from likeness.evaluation.open_set import (
    ItemCount as ItemCount,
    OpenSet as OpenSet,
    accept_threshold as accept_threshold,
    best_items as best_items,
    count_items as count_items,
    known_scores as known_scores,
    leave_one_out as leave_one_out,
)
from likeness.evaluation.quantization import quantization_losses as quantization_losses
from likeness.evaluation.retrieval import retrieval_metrics as retrieval_metrics, retrieval_scores as retrieval_scores
from likeness.evaluation.semantic_retrieval import most_changed as most_changed, retrieved_classes as retrieved_classes
from likeness.evaluation.semantics import Semantics as Semantics, semantics as semantics, semantics_table as semantics_table
from likeness.evaluation.structure import structure_metrics as structure_metrics
