"""A metric along a number: embedding size, number of prompts."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.plots.look import faded, look_of
from likeness.plots.panels import hover_texts, once, panels, position
from likeness.plots.spread import spread

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

AXES = {"dim": "Embedding size", "prompts": "Number of prompts"}
_BAND = 0.18
_HOVER = "%{hovertext}"


def metric_curve(runs: pd.DataFrame, x: str = "dim", metric: str = "map_at_r", *, log_x: bool = False, title: str | None = None) -> "Figure":
    """A line per method, its mean over the runs, with a band of one standard deviation on either side; a panel per notion.

    What does not depend on `x` is a horizontal line through all values: the raw encoder, which has dimensions of its own, and whatever
    was measured at 0 (methods that read no prompt, in `prompt_counts`). Refused runs are not drawn; `likeness.evaluation.refusals` names
    them.

    Args:
        runs: from `likeness.evaluation.embedding_sizes` or `prompt_counts`.
        x: column of the horizontal axis, "dim" or "prompts".
        metric: one of `likeness.evaluation.METRICS`.
        log_x: a logarithmic axis with a tick at each value.
        title: above all panels.

    Raises:
        InputError: no such column, or nothing but refused runs.
    """
    points = spread(runs, x, metric)
    notions = list(dict.fromkeys(points["notion"]))
    figure = panels(notions, metric, AXES.get(x, x), title)
    shown: set[str] = set()
    for place, notion in enumerate(notions):
        of_notion = points[points["notion"] == notion]
        for method, line in of_notion.groupby("method", sort=False):
            _draw(figure, _through(line, of_notion, str(method), x), str(method), x, once(shown, str(method)), position(place))
    values = sorted({value for trace in figure.data for value in trace.x})
    figure.update_xaxes(**_log_axis(values) if log_x else {"range": _padded(values[0], values[-1])})
    return figure


def _through(line: pd.DataFrame, of_notion: pd.DataFrame, method: str, x: str) -> pd.DataFrame:
    """The points of a method in order of x; those of a reference repeated at every x that another method has."""
    if method != "raw" and (line[x] > 0).any():
        return line.sort_values(x)
    others = of_notion[(of_notion["method"] != "raw") & (of_notion[x] > 0)][x]
    values = sorted(set(others)) or list(line[x])
    return pd.concat([line.iloc[:1].assign(**{x: value}) for value in values])


def _draw(figure: "Figure", line: pd.DataFrame, method: str, x: str, legend: dict[str, Any], place: dict[str, int]) -> None:
    look, values, mean, std = look_of(method), line[x].tolist(), line["mean"], line["std"]
    flat = line["mean"].nunique() == 1 and len(line) > 1
    if (std > 0).any():
        figure.add_scatter(
            x=[*values, *reversed(values)],
            y=[*(mean + std), *(mean - std)[::-1]],
            fill="toself",
            fillcolor=faded(look.color, _BAND),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            **{**legend, "showlegend": False},
            **place,
        )
    figure.add_scatter(
        x=values,
        y=mean.tolist(),
        mode="lines" if flat else "lines+markers",
        line={"color": look.color, "dash": look.dash, "width": 2},
        marker={"color": look.color, "symbol": look.symbol, "size": 7},
        hovertext=hover_texts(line),
        hovertemplate=_HOVER,
        **legend,
        **place,
    )


def _log_axis(values: list[float]) -> dict[str, Any]:
    import math

    low, high = math.log10(values[0]), math.log10(values[-1])
    return {"type": "log", "tickvals": values, "ticktext": [f"{value:g}" for value in values], "range": _padded(low, high)}


def _padded(low: float, high: float) -> list[float]:
    room = 0.04 * (high - low) or 0.5
    return [low - room, high + room]
