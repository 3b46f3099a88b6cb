"""What a few images of each new class bring: scores before and after adaptation (ooDML, Figure 7)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from likeness.errors import InputError
from likeness.plots.generalization import DISTANCE
from likeness.plots.lines import padded
from likeness.plots.look import GRAY, OKABE_ITO, faded, method_looks
from likeness.plots.panels import AXIS, GRID, dress, dress_with_legend, once, panel_row

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT = 400
_BEFORE, _AFTER = "Before", "After adaptation"
_MOST_FLAT = 8  # bars whose gains fit above them side by side


def few_shot_bars(gains: pd.DataFrame, method: str | None = None) -> "Figure":
    """A panel per number of shots; in it, for each split from easy to hard, R@1 before and after adaptation, with the relative gain above.

    Args:
        gains: of `likeness.evaluation.few_shot_gains`.
        method: whose; None: the mean over all methods.

    Raises:
        InputError: no row, or none of the method.
    """
    own = _own(gains, method)
    shots = sorted(own["shots"].unique())
    figure = panel_row([f"{each} images of each class" for each in shots], shared_yaxes="all", horizontal_spacing=0.04)
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
    dress(figure, _HEIGHT, None)
    figure.update_layout(barmode="group", bargap=0.3, bargroupgap=0.05, margin={"b": 90})
    figure.update_xaxes(type="category", title_text="Split, from easy to hard", tickangle=-35)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, rangemode="tozero")
    figure.update_yaxes(title_text="R@1", row=1, col=1)
    return figure


def few_shot_curves(gains: pd.DataFrame, *, methods: Sequence[str] | None = None) -> "Figure":
    """The relative gain of each method along the distance, a panel per number of shots.

    Args:
        gains: of `likeness.evaluation.few_shot_gains`.
        methods: all of the benchmark, in the order in which they get their looks; None: as they come.

    Raises:
        InputError: no row.
    """
    own = _own(gains, None)
    shots = sorted(own["shots"].unique())
    figure = panel_row([f"{each} images of each class" for each in shots], shared_yaxes="all", horizontal_spacing=0.04)
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
                **look.line(),
                hovertext=line["split"].tolist(),
                hovertemplate=f"{method}<br>%{{hovertext}}: %{{y:+.1%}}<extra></extra>",
                **once(named, method),
                row=1,
                col=panel,
            )
    dress_with_legend(figure, _HEIGHT, len(named), 2)
    figure.update_xaxes(title_text=DISTANCE, range=padded(own["distance"].min(), own["distance"].max()), **AXIS)
    figure.update_yaxes(gridcolor=GRID, zeroline=True, zerolinecolor=GRAY, tickformat="+.0%")
    figure.update_yaxes(title_text="Gain in R@1", row=1, col=1)
    return figure


def _own(gains: pd.DataFrame, method: str | None) -> pd.DataFrame:
    own = gains if method is None else gains[gains["row"] == method]
    if own.empty:
        whose = "" if method is None else f" of '{method}'"
        raise InputError(f"There is no few-shot figure{whose} to draw; give runs that were measured with few_shot.")
    return own
