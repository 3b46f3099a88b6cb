"""Scores against the distance between train and test, and how methods differ (ooDML, Figures 2 and 3)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import padded, whiskers
from likeness.plots.look import GRAY, Look, faded, method_looks
from likeness.plots.panels import AXIS, GRID, dress, dress_with_legend, hover_texts, panel_row

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

DISTANCE = "Distance between train and test"
_HEIGHT = 460
_BAR = 26
_AROUND_BARS = 120


def generalization_curves(found: pd.DataFrame, *, named: str = "R@1", methods: Sequence[str] | None = None) -> "Figure":
    """Two panels with a line per method along the distance: its score, and how far it lies above or below the mean of all methods.

    Whiskers are one standard deviation over the seeds. A split that lacks a method has no differences yet.

    Args:
        found: of `likeness.evaluation.by_split`.
        named: what it was made of, for people: "R@1 among 26 classes".
        methods: their order, in which they get their looks; None: as they come.

    Raises:
        InputError: no row.
    """
    if found.empty:
        raise InputError("There is no figure to draw; give the table that `likeness.evaluation.by_split` makes of finished runs.")
    drawn = panel_row([named, "Difference from the mean of all methods"])
    looks = method_looks(found["row"] if methods is None else methods)
    for method, look in looks.items():
        line = found[found["row"] == method].sort_values("distance")
        if not line.empty:
            _add_line(drawn, line, "mean", method, look, 1)
            _add_line(drawn, line.dropna(subset="difference"), "difference", method, look, 2)
    dress_with_legend(drawn, _HEIGHT, len(looks), 5)
    drawn.update_xaxes(title_text=DISTANCE, range=padded(found["distance"].min(), found["distance"].max()), **AXIS)
    drawn.update_yaxes(gridcolor=GRID, zeroline=False, title_standoff=6)
    drawn.update_yaxes(zeroline=True, zerolinecolor=GRAY, tickformat="+.2~f", row=1, col=2)
    return drawn


def _add_line(figure: "Figure", line: pd.DataFrame, column: str, method: str, look: Look, panel: int) -> None:
    texts = hover_texts(line.rename(columns={"deviation": "std"})) if column == "mean" else [f"{each:+.3f}" for each in line[column]]
    color = look.color if look.color == GRAY else faded(look.color, 0.6)
    figure.add_scatter(
        x=line["distance"].tolist(),
        y=line[column].tolist(),
        error_y=whiskers(line["deviation"], color) if column == "mean" else None,
        **look.line(),
        hovertext=[f"{split}: {text}" for split, text in zip(line["split"], texts, strict=True)],
        hovertemplate=f"{method}<br>%{{hovertext}}<extra></extra>",
        name=method,
        legendgroup=method,
        showlegend=panel == 1,
        row=1,
        col=panel,
    )


def generalization_bars(scores: pd.DataFrame, *, methods: Sequence[str] | None = None) -> "Figure":
    """A bar per method with its aggregated generalization score, beside its name, and one standard deviation over the seeds; the best on top.

    Args:
        scores: of `likeness.evaluation.generalization_scores`.
        methods: all of the benchmark, in the order in which they get their looks; None: as they come.

    Raises:
        InputError: no row.
    """
    from plotly.graph_objects import Figure

    if scores.empty:
        raise InputError("There is no score to draw; a method has one once a seed of it has every split.")
    looks = method_looks(scores["row"] if methods is None else methods)
    own = [looks[row] for row in scores["row"]]
    drawn = Figure()
    drawn.add_bar(
        x=scores["ags"].tolist(),
        y=scores["row"].tolist(),
        orientation="h",
        error_x=whiskers(scores["deviation"], GRAY),
        marker={"color": [look.color for look in own], "pattern": {"shape": [look.pattern for look in own]}},
        hovertext=hover_texts(scores.rename(columns={"ags": "mean", "deviation": "std"})),
        hovertemplate="%{y}: %{hovertext}<extra></extra>",
        showlegend=False,
    )
    dress(drawn, _BAR * len(scores) + _AROUND_BARS, None)
    drawn.update_layout(bargap=0.25, margin={"l": 20, "t": 16, "b": 56})
    drawn.update_xaxes(title_text="Score over all splits", gridcolor=GRID, zeroline=False, rangemode="tozero")
    labels = [f"{row}  <b>{value:.3f}</b>  " for row, value in zip(scores["row"], scores["ags"], strict=True)]
    drawn.update_yaxes(autorange="reversed", ticks="", automargin=True, tickvals=scores["row"].tolist(), ticktext=labels)
    return drawn
