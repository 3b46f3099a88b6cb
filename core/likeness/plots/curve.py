"""A metric along a number: embedding size, number of prompts."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.evaluation import metric_title
from likeness.plots.lines import banded_line, padded
from likeness.plots.look import look_of
from likeness.plots.panels import once, panels, position
from likeness.plots.spread import spread

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

AXES = {"dim": "Embedding size", "prompts": "Number of prompts"}


def metric_curve(runs: pd.DataFrame, x: str = "dim", metric: str = "map_at_r", *, log_x: bool = False, title: str | None = None) -> "Figure":
    """A line per method, its mean over the runs, with a band of one standard deviation on either side; a panel per notion.

    What does not depend on `x` is a horizontal line through all values: the raw encoder, which has dimensions of its own, and whatever
    was measured at 0 (methods that read no prompt, in `prompt_counts`). Refused runs are not drawn; `likeness.studies.comparison_tables` names
    them.

    Args:
        runs: from `likeness.studies.embedding_sizes` or `prompt_counts`.
        x: column of the horizontal axis, "dim" or "prompts".
        metric: a column of the runs, a metric.
        log_x: a logarithmic axis with a tick at each value.
        title: above all panels.

    Raises:
        InputError: no such column, or nothing but refused runs.
    """
    points = spread(runs, x, metric)
    notions = list(dict.fromkeys(points["notion"]))
    figure = panels(notions, metric_title(metric), AXES.get(x, x), title)
    shown: set[str] = set()
    for place, notion in enumerate(notions):
        of_notion = points[points["notion"] == notion]
        for method, line in of_notion.groupby("method", sort=False):
            drawn = _through(line, of_notion, str(method), x)
            banded_line(figure, drawn, x, look_of(str(method)), once(shown, str(method)), position(place))
    values = sorted({value for trace in figure.data for value in trace.x})
    figure.update_xaxes(**_log_axis(values) if log_x else {"range": padded(values[0], values[-1])})
    return figure


def _through(line: pd.DataFrame, of_notion: pd.DataFrame, method: str, x: str) -> pd.DataFrame:
    """The points of a method in order of x; those of a reference repeated at every x that another method has."""
    if method != "raw" and (line[x] > 0).any():
        return line.sort_values(x)
    others = of_notion[(of_notion["method"] != "raw") & (of_notion[x] > 0)][x]
    values = sorted(set(others)) or list(line[x])
    return pd.concat([line.iloc[:1].assign(**{x: value}) for value in values])


def _log_axis(values: list[float]) -> dict[str, Any]:
    import math

    low, high = math.log10(values[0]), math.log10(values[-1])
    return {"type": "log", "tickvals": values, "ticktext": [f"{value:g}" for value in values], "range": padded(low, high)}
