"""How near the labels of retrieved images are, where labels have distances; defined in `likeness.evaluation.continuous_metrics`."""

from likeness.evaluation.metric import Metric

METRICS = (
    Metric(
        "mean_label_distance_at_{k}",
        "Label distance at {k}",
        "How far the labels of the top {k} images lie from the query's, on average; smaller is better.",
        "continuous",
        larger_is_better=False,
        format=".4g",  # in units of the labels, pixels or degrees
    ),
    Metric(
        "ndcg_at_{k}",
        "nDCG at {k}",
        "How near the labels of the top {k} images are, earlier ones counting more; 1 is the best possible order.",
        "continuous",
    ),
)
