"""A metric along a number, embedding size or number of prompts, or over a few named things: encoders."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import banded_line, means, padded, whiskers
from likeness.plots.look import look_at, look_of
from likeness.plots.panels import hover_texts, once, panels, position

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

AXES = {"dim": "Embedding size", "prompts": "Number of prompts", "encoder": "Encoder"}
_ERROR = "#7D838C"  # to be seen on light and dark pages


def metric_curve(runs: pd.DataFrame, x: str = "dim", metric: str = "map_at_r", *, log_x: bool = False, title: str | None = None) -> "Figure":
    """A line per method, its mean over the runs, with a band of one standard deviation on either side; a panel per notion.

    What does not depend on `x` is a horizontal line through all values: the raw encoder, which has dimensions of its own, and whatever was measured
    at 0 (methods that read no prompt, in `prompt_counts`). Refused runs are not drawn; `likeness.studies.refusals` names them.
    InputError: no such column, or nothing but refused runs.

    Args:
        runs: from `likeness.studies.embedding_sizes` or `prompt_counts`.
        x: column of the horizontal axis, "dim" or "prompts".
        log_x: a logarithmic axis with a tick at each value.
    """
    points = spread(runs, x, metric)
    figure = panels(list(dict.fromkeys(points["notion"])), _title(metric), AXES.get(x, x), title)
    for method, line, of_notion, legend, place in _by_notion(points):
        banded_line(figure, _through(line, of_notion, method, x), x, look_of(method), legend, place)
    values = sorted({value for trace in figure.data for value in trace.x})
    figure.update_xaxes(**_log_axis(values) if log_x else {"range": padded(values[0], values[-1])})
    return figure


def metric_bars(runs: pd.DataFrame, x: str = "encoder", metric: str = "map_at_r", *, title: str | None = None) -> "Figure":
    """A group of bars for each value of `x`, a bar per method with one standard deviation as error bar; a panel per notion.

    Values of `x` that have nothing but refused runs keep their place and say so. InputError: no such column, or nothing but refused runs.

    Args:
        runs: from `likeness.studies.encoder_sizes`.
        x: column of the groups.
    """
    points = spread(runs, x, metric)
    figure = panels(list(dict.fromkeys(points["notion"])), _title(metric), AXES.get(x, x), title)
    for method, bars, _, legend, place in _by_notion(points):
        texts = {"hovertext": hover_texts(bars), "hovertemplate": "%{hovertext}"}
        figure.add_bar(
            x=bars[x].tolist(), y=bars["mean"].tolist(), error_y=whiskers(bars["std"], _ERROR), **look_of(method).bar(), **texts, **legend, **place
        )
    groups = list(dict.fromkeys(runs[x]))
    labels = [str(group) if group in set(points[x]) else f"{group}<br>(refused)" for group in groups]
    figure.update_layout(barmode="group", bargap=0.3, bargroupgap=0.06)
    axis = {"type": "category", "categoryorder": "array", "categoryarray": groups, "tickvals": groups, "ticktext": labels}
    figure.update_xaxes(range=[-0.5, len(groups) - 0.5], **axis)
    return figure


def _by_notion(points: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame, dict[str, Any], dict[str, int]]]:
    """Each method in each notion's panel: its points, all of the notion, its entry in the legend, and the panel."""
    shown: set[str] = set()
    for place, (_, of_notion) in enumerate(points.groupby("notion", sort=False)):
        for method, own in of_notion.groupby("method", sort=False):
            yield str(method), own, of_notion, once(shown, str(method)), position(place)


def _through(line: pd.DataFrame, of_notion: pd.DataFrame, method: str, x: str) -> pd.DataFrame:
    """The points of a method in order of x; those of a reference repeated at every x that another method has."""
    if method != "raw" and (line[x] > 0).any():
        return line.sort_values(x)
    others = of_notion[(of_notion["method"] != "raw") & (of_notion[x] > 0)][x]
    values = sorted(set(others)) or list(line[x])
    return pd.concat([line.iloc[:1].assign(**{x: value}) for value in values])


def _log_axis(values: list[float]) -> dict[str, Any]:
    low, high = math.log10(values[0]), math.log10(values[-1])
    return {"type": "log", "tickvals": values, "ticktext": [f"{value:g}" for value in values], "range": padded(low, high)}


def spread(runs: pd.DataFrame, x: str, metric: str) -> pd.DataFrame:
    """`means` of a metric over the runs of each notion, method and value of `x`, as they first appear, without refused runs. InputError: no run that
    was not refused, or no such column.
    """
    from likeness.evaluation import METRICS

    for column, known in ((x, "columns"), (metric, "metrics")):
        if column not in runs.columns:
            choices = [name for name in runs.columns if known == "columns" or name in METRICS]
            raise InputError(f"The runs have no '{column}'; their {known} are {', '.join(map(str, choices))}.")
    done = runs[runs["refused"] == ""] if "refused" in runs.columns else runs
    if done.empty:
        raise InputError("There is nothing to plot: every run was refused; choose other methods, sizes or encoders.")
    return means(done.groupby(["notion", "method", x], sort=False)[metric])


def _title(metric: str) -> str:
    from likeness.evaluation import metric_title

    return metric_title(metric)


def convergence_curves(curves: pd.DataFrame, metric: str = "recall_at_1", *, runs: Sequence[str] | None = None, title: str | None = None) -> "Figure":
    """A line per run; of runs that share a name their mean, with a band of one standard deviation over the seeds on either side.

    The vertical axis does not begin at 0: it is the course that is compared. InputError: no such column, or no row.

    Args:
        curves: run, seed, epoch and the metric, as of `likeness.studies.convergence`.
        runs: their order, in which they get their looks, so that one without a point yet does not change the others' later; None: as they come.
    """
    if metric not in curves or curves.empty:
        raise InputError(f"There is no '{metric}' to draw; give the table that `likeness.studies.convergence` makes for it.")
    figure = panels([""], _title(metric), "Epoch", title)
    for place, run in enumerate(dict.fromkeys(curves["run"]) if runs is None else runs):
        line = means(curves[curves["run"] == run].groupby("epoch")[metric])
        banded_line(figure, line, "epoch", look_at(place), {"name": str(run), "legendgroup": str(run), "showlegend": True}, position(0))
    figure.update_xaxes(range=padded(curves["epoch"].min(), curves["epoch"].max()))
    figure.update_yaxes(rangemode="normal")
    return figure
