"""How well a notion's words name the images; measured where there is a notion, in `likeness.studies.compare`."""

from likeness.evaluation.metric import Metric

METRICS = (
    Metric(
        "zero_shot",
        "Zero-shot",
        "The share of images whose nearest aspect, among all of the notion, is their label.",
        "words",
    ),
)
