"""Lines of means with bands of one standard deviation."""

from typing import Any

import pandas as pd

from likeness.plots.look import Figure, Look, faded
from likeness.plots.panels import hover_texts

_BAND = 0.18
_HOVER = "%{hovertext}"
_MOST_MARKERS = 40


def banded_line(figure: Figure, line: pd.DataFrame, x: str, look: Look, legend: dict[str, Any], place: dict[str, int]) -> None:
    """Adds a line of `means` and, where there is one, a band of one standard deviation; points are marked unless the line is flat or has too many."""
    values, mean, std = line[x].tolist(), line["mean"], line["std"]
    marked = len(line) <= _MOST_MARKERS and (line["mean"].nunique() > 1 or len(line) == 1)
    if (std > 0).any():
        around = {"x": [*values, *reversed(values)], "y": [*(mean + std), *(mean - std)[::-1]]}
        band = {"fill": "toself", "fillcolor": faded(look.color, _BAND), "line": {"width": 0}, "mode": "lines", "hoverinfo": "skip"}
        figure.add_scatter(**around, **band, **{**legend, "showlegend": False}, **place)
    figure.add_scatter(x=values, y=mean.tolist(), **look.line(marked), hovertext=hover_texts(line), hovertemplate=_HOVER, **legend, **place)


def means(groups: Any) -> pd.DataFrame:
    """Mean, standard deviation (ddof 0) and number of runs of each group of a metric's values, with the keys."""
    return pd.DataFrame({"mean": groups.mean(), "std": groups.std(ddof=0), "runs": groups.size()}).reset_index()


def whiskers(deviations: "pd.Series[float]", color: str) -> dict[str, Any]:
    """Error bars of one standard deviation, if there is any."""
    visible = bool((deviations > 0).any())
    return {"type": "data", "array": deviations.fillna(0.0).tolist(), "color": color, "thickness": 1.2, "width": 3, "visible": visible}


def padded(low: float, high: float) -> list[float]:
    """A range with some padding on both sides."""
    room = 0.04 * (high - low) or 0.5
    return [low - room, high + room]
