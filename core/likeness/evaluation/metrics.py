"""The names of metrics, as people read them."""

# what a comparison of methods measures
METRICS = {
    "map_at_r": "MAP@R",
    "precision_at_1": "Prec@1",
    "r_precision": "R-Prec",
    "ami": "AMI",
    "nmi": "NMI",
    "map": "MAP",
    "mrr": "MRR",
}

# Of continuous labels, before "at k".
_OF_LABELS = {"mean_label_distance": "Label distance", "ndcg": "nDCG"}


def metric_title(metric: str) -> str:
    """As the papers write it: "R@1" for recall_at_1, "mAP@1000" for map_at_1000; "R@1, validation" for validation_recall_at_1."""
    name = metric.removeprefix("validation_")
    kind, at, cutoff = name.rpartition("_at_")
    if kind in _OF_LABELS:
        return f"{_OF_LABELS[kind]} at {cutoff}{'' if name == metric else ', validation'}"
    known = {"recall": "R", "map": "mAP"}.get(kind)
    title = f"{known}@{cutoff.upper()}" if at and known else name.upper()
    return title if name == metric else f"{title}, validation"
