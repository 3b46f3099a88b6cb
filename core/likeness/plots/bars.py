"""A metric over a few named things: encoders."""

from typing import TYPE_CHECKING

import pandas as pd

from likeness.evaluation import metric_title
from likeness.plots.look import look_of
from likeness.plots.panels import hover_texts, once, panels, position
from likeness.plots.spread import spread

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

AXES = {"encoder": "Encoder"}
_ERROR = "#7D838C"  # to be seen on light and dark pages
_HOVER = "%{hovertext}"


def metric_bars(runs: pd.DataFrame, x: str = "encoder", metric: str = "map_at_r", *, title: str | None = None) -> "Figure":
    """A group of bars for each value of `x`, a bar per method with one standard deviation as error bar; a panel per notion.

    Values of `x` that have nothing but refused runs keep their place and say so.

    Args:
        runs: from `likeness.studies.encoder_sizes`.
        x: column of the groups.
        metric: a column of the runs, a metric.
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
        for method, bars in of_notion.groupby("method", sort=False):
            deviations = {
                "type": "data",
                "array": bars["std"].tolist(),
                "color": _ERROR,
                "thickness": 1.2,
                "width": 3,
                "visible": bool((bars["std"] > 0).any()),
            }
            look = look_of(str(method))
            figure.add_bar(
                x=bars[x].tolist(),
                y=bars["mean"].tolist(),
                error_y=deviations,
                marker={"color": look.color, "pattern": {"shape": look.pattern}},
                hovertext=hover_texts(bars),
                hovertemplate=_HOVER,
                **once(shown, str(method)),
                **position(place),
            )
    groups = list(dict.fromkeys(runs[x]))
    measured = set(points[x])
    labels = [str(group) if group in measured else f"{group}<br>(refused)" for group in groups]
    figure.update_layout(barmode="group", bargap=0.3, bargroupgap=0.06)
    figure.update_xaxes(
        type="category", categoryorder="array", categoryarray=groups, tickvals=groups, ticktext=labels, range=[-0.5, len(groups) - 0.5]
    )
    return figure
