"""Label distances of retrieved images; defined in `likeness.evaluation.continuous_metrics`."""

from likeness.evaluation.metric import Metric

METRICS = (
    Metric(
        "mean_label_distance_at_{k}",
        "Label distance at {k}",
        "Mean label distance between the query and the top {k} images; smaller is better.",
        "continuous",
        larger_is_better=False,
        format=".4g",  # in units of the labels, pixels or degrees
    ),
    Metric(
        "ndcg_at_{k}",
        "nDCG at {k}",
        "How near the labels of the top {k} images are, earlier images counting more; 1 is the best possible order.",
        "continuous",
    ),
)
