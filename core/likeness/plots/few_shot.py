"""What a few images of each new class bring: scores before and after adaptation (ooDML, Figure 7)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from likeness.errors import InputError
from likeness.plots.generalization import DISTANCE
from likeness.plots.lines import padded
from likeness.plots.look import GRAY, OKABE_ITO, faded
from likeness.plots.method_looks import method_looks
from likeness.plots.panels import GRID, dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT = 400
_BEFORE, _AFTER = "Before", "After adaptation"
_LEGEND_ROW = 22
_MOST_FLAT = 8  # bars whose gains fit above them side by side


def few_shot_bars(gains: pd.DataFrame, method: str | None = None, *, title: str | None = None) -> "Figure":
    """A panel per number of shots; in it, for each split from easy to hard, R@1 before and after adaptation, with the relative gain above.

    Args:
        gains: of `likeness.evaluation.few_shot_gains`.
        method: whose; None: the mean over all methods.
        title: above the figure.

    Raises:
        InputError: no row, or none of the method.
    """
    from plotly.subplots import make_subplots

    own = _own(gains, method)
    shots = sorted(own["shots"].unique())
    figure = make_subplots(1, len(shots), shared_yaxes="all", subplot_titles=[_shots_title(each) for each in shots], horizontal_spacing=0.04)
    for panel, count in enumerate(shots, 1):
        means = own[own["shots"] == count].groupby(["split", "distance"], sort=False)[["zero_shot", "few_shot"]].mean()
        bars = means.reset_index().sort_values("distance")
        for name, column, color in ((_BEFORE, "zero_shot", faded(OKABE_ITO[0], 0.35)), (_AFTER, "few_shot", OKABE_ITO[0])):
            figure.add_bar(
                x=bars["split"].tolist(),
                y=bars[column].tolist(),
                marker={"color": color, "pattern": {"shape": "/" if column == "zero_shot" else ""}},
                text=[f"{gain:+.0%}" for gain in bars["few_shot"] / bars["zero_shot"] - 1] if column == "few_shot" else None,
                textposition="outside",
                textangle=0 if len(bars) * len(shots) <= _MOST_FLAT else -90,
                textfont={"size": 11},
                constraintext="none",
                cliponaxis=False,
                hovertemplate=f"%{{x}}, {name.lower()}: %{{y:.3f}}<extra></extra>",
                name=name,
                legendgroup=name,
                showlegend=panel == 1,
                row=1,
                col=panel,
            )
    dress(figure, _HEIGHT, title)
    figure.update_layout(barmode="group", bargap=0.3, bargroupgap=0.05, margin={"b": 90})
    figure.update_xaxes(type="category", title_text="Split, from easy to hard", tickangle=-35)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, rangemode="tozero")
    figure.update_yaxes(title_text="R@1", row=1, col=1)
    return figure


def few_shot_curves(gains: pd.DataFrame, *, methods: Sequence[str] | None = None, title: str | None = None) -> "Figure":
    """The relative gain of each method along the distance, a panel per number of shots.

    Args:
        gains: of `likeness.evaluation.few_shot_gains`.
        methods: all of the benchmark, in the order in which they get their looks; None: as they come.
        title: above the figure.

    Raises:
        InputError: no row.
    """
    from plotly.subplots import make_subplots

    own = _own(gains, None)
    shots = sorted(own["shots"].unique())
    figure = make_subplots(1, len(shots), shared_yaxes="all", subplot_titles=[_shots_title(each) for each in shots], horizontal_spacing=0.04)
    looks = method_looks(own["row"] if methods is None else methods)
    named: set[str] = set()
    for panel, count in enumerate(shots, 1):
        for method, look in looks.items():
            line = own[(own["row"] == method) & (own["shots"] == count)].sort_values("distance")
            if line.empty:
                continue
            figure.add_scatter(
                x=line["distance"].tolist(),
                y=line["gain"].tolist(),
                mode="lines+markers",
                line={"color": look.color, "dash": look.dash, "width": 2},
                marker={"color": look.color, "symbol": look.symbol, "size": 7},
                hovertext=line["split"].tolist(),
                hovertemplate=f"{method}<br>%{{hovertext}}: %{{y:+.1%}}<extra></extra>",
                name=method,
                legendgroup=method,
                showlegend=method not in named,
                row=1,
                col=panel,
            )
            named.add(method)
    rows = -(-len(named) // 2)
    dress(figure, _HEIGHT + _LEGEND_ROW * max(0, rows - 1), title)
    figure.update_layout(hovermode="closest", margin={"b": 68 + _LEGEND_ROW * rows})
    figure.update_xaxes(title_text=DISTANCE, showgrid=False, zeroline=False, ticks="outside", tickcolor=GRID, showline=True, linecolor=GRID)
    figure.update_xaxes(range=padded(own["distance"].min(), own["distance"].max()))
    figure.update_yaxes(gridcolor=GRID, zeroline=True, zerolinecolor=GRAY, tickformat="+.0%")
    figure.update_yaxes(title_text="Gain in R@1", row=1, col=1)
    return figure


def _own(gains: pd.DataFrame, method: str | None) -> pd.DataFrame:
    own = gains if method is None else gains[gains["row"] == method]
    if own.empty:
        whose = "" if method is None else f" of '{method}'"
        raise InputError(f"There is no few-shot figure{whose} to draw; give runs that were measured with few_shot.")
    return own


def _shots_title(shots: int) -> str:
    return f"{shots} images of each class"
