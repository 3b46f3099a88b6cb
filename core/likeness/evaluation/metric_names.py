"""Look-up of metrics by name."""

from likeness.errors import InputError
from likeness.evaluation import definitions
from likeness.evaluation.metric import Metric
from likeness.registry import LiveView

_VALIDATION = "validation_"


def metric_names() -> list[str]:
    """The names of all metrics; "{k}" in "recall_at_{k}" stands for any number.

    >>> "map_at_r" in metric_names()
    True
    """
    return [metric.name for metric in definitions.LISTED]


def find_metric(name: str) -> Metric:
    """The metric of this name. InputError: if there is none, with the known names.

    Example:
        >>> find_metric("recall_at_4").title
        'R@4'
    """
    found = listed_metric(name)
    if found is None:
        raise InputError(f"There is no metric '{name}'; choose from {', '.join(metric_names())}.")
    return found


def listed_metric(name: str) -> Metric | None:
    """The metric of this name; None if there is none."""
    return next((metric for listed in definitions.LISTED if (metric := listed.at(name)) is not None), None)


def metric_title(name: str) -> str:
    """The title of a metric: "R@1" for recall_at_1, "R@1, validation" for validation_recall_at_1; unknown names are returned unchanged.

    >>> metric_title("validation_recall_at_1")
    'R@1, validation'
    """
    plain = name.removeprefix(_VALIDATION)
    metric = listed_metric(plain)
    title = plain if metric is None else metric.title
    return title if plain == name else f"{title}, validation"


# in the order of the InDiReCT paper's tables, then others
_PAPER = ("map_at_r", "precision_at_1", "r_precision", "ami", "nmi", "map", "mrr")


def _compared() -> dict[str, str]:
    found = {metric.name: metric.title for metric in definitions.LISTED if metric.compared}
    return {name: found[name] for name in sorted(found, key=lambda name: _PAPER.index(name) if name in _PAPER else len(_PAPER))}


# names and titles of the metrics that a comparison of methods measures, in display order
METRICS = LiveView(_compared)
