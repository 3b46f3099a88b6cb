"""Scores by distance between train and test, differences between methods, and few-shot gains (ooDML, Figures 2, 3, 7)."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import is_control
from likeness.plots.lines import padded, whiskers
from likeness.plots.look import GRAY, OKABE_ITO, Figure, faded, method_looks
from likeness.plots.panels import AXIS, GRID, dress, dress_with_legend, entry, hover_texts, once, panel_row

DISTANCE = "Distance between train and test"
_HEIGHT = 460
_BAR = 26
_AROUND_BARS = 120
_FEW_SHOT_HEIGHT = 400
_BEFORE, _AFTER = "Before", "After adaptation"
_MOST_FLAT = 8  # up to so many bars have room for their gains above them


def generalization_curves(found: pd.DataFrame, *, named: str = "R@1", methods: Sequence[str] | None = None) -> Figure:
    """Two panels with a line per method by distance: its score, and its difference from the mean of all methods.

    Error bars are one standard deviation over the seeds. A split that lacks a method has no differences yet. Controls with classes removed at random
    are points beside the line. InputError: no row.

    Args:
        found: from `likeness.evaluation.by_split`.
        named: title of the score, such as "R@1 among 26 classes".
        methods: all methods, in the order that determines their looks; None: in order of appearance.
    """
    if found.empty:
        raise InputError("There is nothing to draw; pass the table of `likeness.evaluation.by_split` for finished runs.")
    drawn = panel_row([named, "Difference from the mean of all methods"])
    looks = method_looks(found["row"] if methods is None else methods)
    for method, look in looks.items():
        own = found[found["row"] == method].sort_values("distance")
        for line, style in ((own[~is_control(own)], look.line()), (own[is_control(own)], look.line() | {"mode": "markers"})):
            if not line.empty:
                _add_line(drawn, line, "mean", method, style, 1)
                _add_line(drawn, line.dropna(subset="difference"), "difference", method, style, 2)
    dress_with_legend(drawn, _HEIGHT, len(looks), 5)
    drawn.update_xaxes(title_text=DISTANCE, range=padded(found["distance"].min(), found["distance"].max()), **AXIS)
    drawn.update_yaxes(gridcolor=GRID, zeroline=False, title_standoff=6)
    drawn.update_yaxes(zeroline=True, zerolinecolor=GRAY, tickformat="+.2~f", row=1, col=2)
    return drawn


def _add_line(figure: Figure, line: pd.DataFrame, column: str, method: str, style: dict[str, Any], panel: int) -> None:
    texts = hover_texts(line.rename(columns={"deviation": "std"})) if column == "mean" else [f"{each:+.3f}" for each in line[column]]
    color = style["line"]["color"]
    color = color if color == GRAY else faded(color, 0.6)
    points: dict[str, Any] = {"x": line["distance"].tolist(), "y": line[column].tolist()}
    points["hovertext"] = [f"{split}: {text}" for split, text in zip(line["split"], texts, strict=True)]
    points["hovertemplate"] = f"{method}<br>%{{hovertext}}<extra></extra>"
    error = whiskers(line["deviation"], color) if column == "mean" else None
    figure.add_scatter(**points, error_y=error, **style, **entry(method, panel == 1 and style["mode"] != "markers"), row=1, col=panel)


def generalization_bars(scores: pd.DataFrame, *, methods: Sequence[str] | None = None) -> Figure:
    """A bar per method with its aggregated generalization score and one standard deviation over the seeds; best on top.

    Args:
        scores: from `likeness.evaluation.generalization_scores`; InputError: no row.
        methods: all methods of the benchmark, in the order that determines their looks; None: in order of appearance.
    """
    from plotly.graph_objects import Figure

    if scores.empty:
        raise InputError("There is no score to draw; a method has one once a seed of it has every split.")
    looks = method_looks(scores["row"] if methods is None else methods)
    own = [looks[row] for row in scores["row"]]
    drawn = Figure()
    bars = {"x": scores["ags"].tolist(), "y": scores["row"].tolist(), "orientation": "h", "error_x": whiskers(scores["deviation"], GRAY)}
    marker = {"color": [look.color for look in own], "pattern": {"shape": [look.pattern for look in own]}}
    texts = hover_texts(scores.rename(columns={"ags": "mean", "deviation": "std"}))
    drawn.add_bar(**bars, marker=marker, hovertext=texts, hovertemplate="%{y}: %{hovertext}<extra></extra>", showlegend=False)
    dress(drawn, _BAR * len(scores) + _AROUND_BARS, None)
    drawn.update_layout(bargap=0.25, margin={"l": 20, "t": 16, "b": 56})
    drawn.update_xaxes(title_text="Score over all splits", gridcolor=GRID, zeroline=False, rangemode="tozero")
    labels = [f"{row}  <b>{value:.3f}</b>  " for row, value in zip(scores["row"], scores["ags"], strict=True)]
    drawn.update_yaxes(autorange="reversed", ticks="", automargin=True, tickvals=scores["row"].tolist(), ticktext=labels)
    return drawn


def few_shot_bars(gains: pd.DataFrame, method: str | None = None) -> Figure:
    """A panel per number of shots: R@1 before and after adaptation on each split from easy to hard, with the relative gain above.

    InputError: no row, or none for the method.

    Args:
        gains: from `likeness.evaluation.few_shot_gains`.
        method: the method; None: mean over all methods.
    """
    figure, panels = _by_shots(gains, method)
    for panel, own in panels.items():
        means = own.groupby(["split", "distance"], sort=False)[["zero_shot", "few_shot"]].mean()
        bars = means.reset_index().sort_values("distance")
        for name, column, color in ((_BEFORE, "zero_shot", faded(OKABE_ITO[0], 0.35)), (_AFTER, "few_shot", OKABE_ITO[0])):
            drawn = {"x": bars["split"].tolist(), "y": bars[column].tolist(), "cliponaxis": False}
            marker = {"color": color, "pattern": {"shape": "/" if column == "zero_shot" else ""}}
            gains_above = [f"{gain:+.0%}" for gain in bars["few_shot"] / bars["zero_shot"] - 1] if column == "few_shot" else None
            angle = 0 if len(bars) * len(panels) <= _MOST_FLAT else -90
            words = {"text": gains_above, "textposition": "outside", "textangle": angle, "textfont": {"size": 11}, "constraintext": "none"}
            hover = f"%{{x}}, {name.lower()}: %{{y:.3f}}<extra></extra>"
            figure.add_bar(**drawn, marker=marker, **words, hovertemplate=hover, **entry(name, panel == 1), row=1, col=panel)
    dress(figure, _FEW_SHOT_HEIGHT, None)
    figure.update_layout(barmode="group", bargap=0.3, bargroupgap=0.05, margin={"b": 90})
    figure.update_xaxes(type="category", title_text="Split, from easy to hard", tickangle=-35)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, rangemode="tozero")
    figure.update_yaxes(title_text="R@1", row=1, col=1)
    return figure


def few_shot_curves(gains: pd.DataFrame, *, methods: Sequence[str] | None = None) -> Figure:
    """The relative gain of each method by distance, a panel per number of shots. InputError: no row.

    Args:
        gains: from `likeness.evaluation.few_shot_gains`.
        methods: all methods of the benchmark, in the order that determines their looks; None: in order of appearance.
    """
    figure, panels = _by_shots(gains)
    looks, named = method_looks(gains["row"] if methods is None else methods), set[str]()
    for panel, own in panels.items():
        for method, look in looks.items():
            line = own[own["row"] == method].sort_values("distance")
            if line.empty:
                continue
            points = {"x": line["distance"].tolist(), "y": line["gain"].tolist(), "hovertext": line["split"].tolist()}
            hover = f"{method}<br>%{{hovertext}}: %{{y:+.1%}}<extra></extra>"
            figure.add_scatter(**points, **look.line(), hovertemplate=hover, **once(named, method), row=1, col=panel)
    dress_with_legend(figure, _FEW_SHOT_HEIGHT, len(named), 2)
    figure.update_xaxes(title_text=DISTANCE, range=padded(gains["distance"].min(), gains["distance"].max()), **AXIS)
    figure.update_yaxes(gridcolor=GRID, zeroline=True, zerolinecolor=GRAY, tickformat="+.0%")
    figure.update_yaxes(title_text="Gain in R@1", row=1, col=1)
    return figure


def _by_shots(gains: pd.DataFrame, method: str | None = None) -> tuple[Figure, dict[int, pd.DataFrame]]:
    """An empty panel per number of shots, and the gains to draw in each, of one method or all."""
    own = gains if method is None else gains[gains["row"] == method]
    if own.empty:
        whose = "" if method is None else f" of '{method}'"
        raise InputError(f"There is no few-shot figure{whose} to draw; pass runs that were measured with few_shot.")
    shots = sorted(own["shots"].unique())
    figure = panel_row([f"{each} images of each class" for each in shots], shared_yaxes="all", horizontal_spacing=0.04)
    return figure, {panel: own[own["shots"] == count] for panel, count in enumerate(shots, 1)}
