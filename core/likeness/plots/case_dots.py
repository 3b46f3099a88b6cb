"""Scores of many cases, such as notions on images: a line per case and a dot per method."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from likeness.errors import InputError
from likeness.plots.look import GRAY, Look, look_at
from likeness.plots.panels import GRID, dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_LINE, _AROUND = 21, 150  # pixels: a case; titles, axis and legend
_LEFT = 250


def case_dots(
    scores: pd.DataFrame, x_title: str, *, looks: Mapping[str, Look] | None = None, at: float | None = None, title: str | None = None
) -> "Figure":
    """A horizontal line for each case, the first on top, from its least to its largest score, with a dot for each column.

    Args:
        scores: a row per case, whose name is the index; a column per method. What is missing has no dot.
        x_title: what the scores are.
        looks: of columns; others take those of their places.
        at: where a vertical line stands, such as at the value of no difference.
        title: above the figure.

    Raises:
        InputError: no case or no score, or two cases of the same name.
    """
    import plotly.graph_objects as go

    if scores.empty or scores.isna().all(axis=None):
        raise InputError("There is no score to draw; pass a row per case and a column per method.")
    if not scores.index.is_unique:
        raise InputError(f"Two cases are called '{scores.index[scores.index.duplicated()][0]}'; give each a name of its own.")
    figure, cases = go.Figure(), [str(case) for case in scores.index]
    spans = [end for case, own in zip(cases, scores.to_numpy(), strict=True) for end in ((min(own), case), (max(own), case), (None, case))]
    ends, names = zip(*spans, strict=True)
    figure.add_scatter(x=ends, y=names, mode="lines", line={"color": GRID, "width": 3}, hoverinfo="skip", showlegend=False)
    for place, column in enumerate(scores):
        look = (looks or {}).get(str(column), look_at(place))
        symbol = look.symbol.replace("line-ew", "line-ns")  # across the case's line, on which it would not be seen
        figure.add_scatter(
            x=scores[column].tolist(),
            y=cases,
            mode="markers",
            marker={"color": look.color, "symbol": symbol, "size": 10, "line": {"width": 2, "color": look.color}},
            hovertemplate=f"{column}<br>%{{y}}: %{{x:.3f}}<extra></extra>",
            name=str(column),
        )
    dress(figure, _LINE * len(cases) + _AROUND, title)
    figure.update_layout(hovermode="closest", margin={"l": _LEFT, "t": 48 if title else 16, "b": 92})
    figure.update_xaxes(title_text=x_title, gridcolor=GRID, zeroline=False)
    figure.update_yaxes(categoryorder="array", categoryarray=cases[::-1], range=[-0.6, len(cases) - 0.4], showgrid=False, ticksuffix="  ")
    if at is not None:
        figure.add_vline(at, line={"color": GRAY, "width": 1, "dash": "dash"})
    return figure
