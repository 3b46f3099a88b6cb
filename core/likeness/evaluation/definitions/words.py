"""Zero-shot accuracy of a notion's words; measured in `likeness.studies.compare` if there is a notion."""

from likeness.evaluation.metric import Metric

METRICS = (
    Metric(
        "zero_shot",
        "Zero-shot",
        "Share of images whose nearest aspect of the notion is their label.",
        "words",
    ),
)
