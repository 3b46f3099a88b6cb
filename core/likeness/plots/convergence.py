"""A metric against epochs: how soon runs get where (language guidance, Figure S1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import metric_title
from likeness.plots.lines import banded_line, padded
from likeness.plots.look import look_at
from likeness.plots.panels import panels, position

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def convergence_curves(curves: pd.DataFrame, metric: str = "recall_at_1", *, runs: Sequence[str] | None = None, title: str | None = None) -> "Figure":
    """A line per run; of runs that share a name their mean, with a band of one standard deviation over the seeds on either side.

    The vertical axis does not begin at 0: it is the course that is compared.

    Args:
        curves: run, seed, epoch and the metric, as of `likeness.studies.convergence`.
        metric: its column.
        runs: their order, in which they get their looks, so that one without a point yet does not change the others' later; None: as they come.
        title: above the figure.

    Raises:
        InputError: no such column, or no row.
    """
    if metric not in curves or curves.empty:
        raise InputError(f"There is no '{metric}' to draw; give the table that `likeness.studies.convergence` makes for it.")
    figure = panels([""], metric_title(metric), "Epoch", title)
    for place, run in enumerate(dict.fromkeys(curves["run"]) if runs is None else runs):
        points = curves[curves["run"] == run].groupby("epoch")[metric]
        line = pd.DataFrame({"mean": points.mean(), "std": points.std(ddof=0), "runs": points.size()}).reset_index()
        banded_line(figure, line, "epoch", look_at(place), {"name": str(run), "legendgroup": str(run), "showlegend": True}, position(0))
    figure.update_xaxes(range=padded(curves["epoch"].min(), curves["epoch"].max()))
    figure.update_yaxes(rangemode="normal")
    return figure
