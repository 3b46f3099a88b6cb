"""A metric by a number, such as embedding size or number of prompts, or by encoder."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import banded_line, means, padded, whiskers
from likeness.plots.look import Figure, look_at, look_of
from likeness.plots.panels import hover_texts, once, panels, position

AXES = {"dim": "Embedding size", "prompts": "Number of prompts", "encoder": "Encoder"}
_ERROR = "#7D838C"  # visible on light and dark pages


def metric_curve(runs: pd.DataFrame, x: str = "dim", metric: str = "map_at_r", *, log_x: bool = False, title: str | None = None) -> Figure:
    """A panel per notion with a line per method: its mean over the runs, with a band of one standard deviation.

    Methods that do not depend on `x` are horizontal lines: the raw encoder, which has its own dimensions, and values measured at 0 (methods that read
    no prompts, in `prompt_counts`). Refused runs are not drawn; `likeness.studies.refusals` lists them. InputError: a missing column, or only refused
    runs.

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
    if log_x:
        ends = padded(math.log10(values[0]), math.log10(values[-1]))
        figure.update_xaxes(type="log", tickvals=values, ticktext=[f"{value:g}" for value in values], range=ends)
    else:
        figure.update_xaxes(range=padded(values[0], values[-1]))
    return figure


def metric_bars(runs: pd.DataFrame, x: str = "encoder", metric: str = "map_at_r", *, title: str | None = None) -> Figure:
    """A panel per notion with a group of bars for each value of `x`: a bar per method, with one standard deviation as error bar.

    Values of `x` with only refused runs keep their place and say so. InputError: a missing column, or only refused runs.

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
    """For each method in each notion's panel: its points, all points of the notion, its legend entry, and the panel."""
    shown: set[str] = set()
    for place, (_, of_notion) in enumerate(points.groupby("notion", sort=False)):
        for method, own in of_notion.groupby("method", sort=False):
            yield str(method), own, of_notion, once(shown, str(method)), position(place)


def _through(line: pd.DataFrame, of_notion: pd.DataFrame, method: str, x: str) -> pd.DataFrame:
    """The points of a method in order of x; those of a reference are repeated at every x that another method has."""
    if not method.startswith("raw") and (line[x] > 0).any():
        return line.sort_values(x)
    others = of_notion[~of_notion["method"].str.startswith("raw") & (of_notion[x] > 0)][x]
    values = sorted(set(others)) or list(line[x])
    return pd.concat([line.iloc[:1].assign(**{x: value}) for value in values])


def spread(runs: pd.DataFrame, x: str, metric: str) -> pd.DataFrame:
    """`means` of a metric over the runs of each notion, method and value of `x`, in order of appearance, without refused runs. InputError: only
    refused runs, or a missing column.
    """
    from likeness.evaluation import METRICS

    for column, known in ((x, "columns"), (metric, "metrics")):
        if column not in runs.columns:
            choices = [name for name in runs.columns if known == "columns" or name in METRICS]
            raise InputError(f"The runs have no '{column}'; choose from their {known} {', '.join(map(str, choices))}.")
    done = runs[runs["refused"] == ""] if "refused" in runs.columns else runs
    if done.empty:
        raise InputError("There is nothing to plot: every run was refused; choose other methods, sizes or encoders.")
    return means(done.groupby(["notion", "method", x], sort=False)[metric])


def _title(metric: str) -> str:
    from likeness.evaluation import metric_title

    return metric_title(metric)


def convergence_curves(curves: pd.DataFrame, metric: str = "recall_at_1", *, runs: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """A line per run, or for runs of the same name their mean, with a band of one standard deviation over the seeds.

    The vertical axis does not begin at 0, to compare the shapes. InputError: a missing column, or no row.

    Args:
        curves: run, seed, epoch and the metric, as from `likeness.studies.convergence`.
        runs: all runs, in the order that determines their looks, also of those without points yet; None: in order of appearance.
    """
    if metric not in curves or curves.empty:
        raise InputError(f"There is no '{metric}' to draw; pass the table of `likeness.studies.convergence`.")
    figure = panels([""], _title(metric), "Epoch", title)
    for place, run in enumerate(dict.fromkeys(curves["run"]) if runs is None else runs):
        line = means(curves[curves["run"] == run].groupby("epoch")[metric])
        banded_line(figure, line, "epoch", look_at(place), {"name": str(run), "legendgroup": str(run), "showlegend": True}, position(0))
    figure.update_xaxes(range=padded(curves["epoch"].min(), curves["epoch"].max()))
    figure.update_yaxes(rangemode="normal")
    return figure
