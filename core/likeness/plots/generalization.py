"""Scores against the distance between train and test, and how methods differ (ooDML, Figures 2 and 3)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import metric_title
from likeness.plots.lines import padded
from likeness.plots.look import GRAY, Look, faded
from likeness.plots.method_looks import method_looks
from likeness.plots.panels import GRID, dress, hover_texts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

DISTANCE = "Distance between train and test"
_HEIGHT = 460
_LEGEND_ROW = 22
_PER_LEGEND_ROW = 5
_BAR = 26
_AROUND_BARS = 120


def generalization_curves(
    found: pd.DataFrame, figure: str = "recall_at_1", *, named: str = "", methods: Sequence[str] | None = None, title: str | None = None
) -> "Figure":
    """Two panels with a line per method along the distance: its score, and how far it lies above or below the mean of all methods.

    Whiskers are one standard deviation over the seeds. A split that lacks a method has no differences yet.

    Args:
        found: of `likeness.evaluation.by_split`.
        figure: what it was made of, for the title of the axis.
        named: instead, for people: "R@1 among 26 classes".
        methods: their order, in which they get their looks; None: as they come.
        title: above the figure.

    Raises:
        InputError: no row.
    """
    from plotly.subplots import make_subplots

    if found.empty:
        raise InputError("There is no figure to draw; give the table that `likeness.evaluation.by_split` makes of finished runs.")
    score = named or metric_title(figure)
    drawn = make_subplots(1, 2, subplot_titles=[score, "Difference from the mean of all methods"], horizontal_spacing=0.09)
    looks = method_looks(found["row"] if methods is None else methods)
    for method, look in looks.items():
        line = found[found["row"] == method].sort_values("distance")
        if not line.empty:
            _add_line(drawn, line, "mean", method, look, 1)
            _add_line(drawn, line.dropna(subset="difference"), "difference", method, look, 2)
    rows = -(-len(looks) // _PER_LEGEND_ROW)
    dress(drawn, _HEIGHT + _LEGEND_ROW * rows, title)
    drawn.update_layout(hovermode="closest", margin={"b": 70 + _LEGEND_ROW * rows})
    drawn.update_xaxes(
        title_text=DISTANCE, showgrid=False, zeroline=False, ticks="outside", tickcolor=GRID, showline=True, linecolor=GRID,
        range=padded(found["distance"].min(), found["distance"].max()),
    )  # fmt: skip
    drawn.update_yaxes(gridcolor=GRID, zeroline=False, title_standoff=6)
    drawn.update_yaxes(zeroline=True, zerolinecolor=GRAY, tickformat="+.2~f", row=1, col=2)
    return drawn


def _add_line(figure: "Figure", line: pd.DataFrame, column: str, method: str, look: Look, panel: int) -> None:
    texts = hover_texts(line.rename(columns={"deviation": "std"})) if column == "mean" else [f"{each:+.3f}" for each in line[column]]
    figure.add_scatter(
        x=line["distance"].tolist(),
        y=line[column].tolist(),
        error_y=_whiskers(line["deviation"], look.color) if column == "mean" else None,
        mode="lines+markers",
        line={"color": look.color, "dash": look.dash, "width": 2},
        marker={"color": look.color, "symbol": look.symbol, "size": 7},
        hovertext=[f"{split}: {text}" for split, text in zip(line["split"], texts, strict=True)],
        hovertemplate=f"{method}<br>%{{hovertext}}<extra></extra>",
        name=method,
        legendgroup=method,
        showlegend=panel == 1,
        row=1,
        col=panel,
    )


def _whiskers(deviations: "pd.Series[float]", color: str) -> dict[str, Any]:
    return {
        "type": "data",
        "array": deviations.fillna(0.0).tolist(),
        "color": color if color == GRAY else faded(color, 0.6),
        "thickness": 1.2,
        "width": 3,
        "visible": bool((deviations > 0).any()),
    }


def generalization_bars(scores: pd.DataFrame, *, methods: Sequence[str] | None = None, title: str | None = None) -> "Figure":
    """A bar per method with its aggregated generalization score, beside its name, and one standard deviation over the seeds; the best on top.

    Args:
        scores: of `likeness.evaluation.generalization_scores`.
        methods: all of the benchmark, in the order in which they get their looks; None: as they come.
        title: above the figure.

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
        error_x=_whiskers(scores["deviation"], GRAY),
        marker={"color": [look.color for look in own], "pattern": {"shape": [look.pattern for look in own]}},
        hovertext=hover_texts(scores.rename(columns={"ags": "mean", "deviation": "std"})),
        hovertemplate="%{y}: %{hovertext}<extra></extra>",
        showlegend=False,
    )
    dress(drawn, _BAR * len(scores) + _AROUND_BARS, title)
    drawn.update_layout(bargap=0.25, margin={"l": 20, "t": 60 if title else 16, "b": 56})
    drawn.update_xaxes(title_text="Score over all splits", gridcolor=GRID, zeroline=False, rangemode="tozero")
    labels = [f"{row}  <b>{value:.3f}</b>  " for row, value in zip(scores["row"], scores["ags"], strict=True)]
    drawn.update_yaxes(autorange="reversed", ticks="", automargin=True, tickvals=scores["row"].tolist(), ticktext=labels)
    return drawn
