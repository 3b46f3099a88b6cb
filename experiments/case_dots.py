"""Charts of scores over many cases, such as notions on images: a dot per method, and a label-free score against the gain by labels."""

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
_TRUST_HEIGHT, _BOTTOM = 460, 84
_SYMBOLS = {"reads it": "circle", "flagged": "x"}


def case_dots(
    scores: pd.DataFrame, x_title: str, *, looks: Mapping[str, Look] | None = None, at: float | None = None, title: str | None = None
) -> "Figure":
    """A horizontal line for each case, the first on top, from its least to its largest score, with a dot for each column.

    InputError: no case or no score, or two cases of the same name.

    Args:
        scores: a row per case, whose name is the index; a column per method. What is missing has no dot.
        looks: of columns; others take those of their places.
        at: where a vertical line stands, such as at the value of no difference.
    """
    import plotly.graph_objects as go

    if scores.empty or scores.isna().all(axis=None):
        raise InputError("There is no score to draw; pass a row per case and a column per method.")
    if not scores.index.is_unique:
        raise InputError(f"Two cases are called '{scores.index[scores.index.duplicated()][0]}'; use unique names.")
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


def trust_scatter(verdicts: pd.DataFrame, *, title: str | None = None) -> "Figure":
    """A point for each notion and set of images: the score against MAP@R beyond that of the raw encoder; a cross where the notion is flagged.

    `verdicts` of `experiments.analyses.trust`: images (a color each), notion, score, gain and verdict. InputError: no row, or no such column.
    """
    import plotly.graph_objects as go

    missing = [name for name in ("images", "notion", "score", "gain", "verdict") if name not in verdicts]
    if missing or verdicts.empty:
        raise InputError(f"There is no '{(missing or ['score'])[0]}' to draw; pass the table of experiments.analyses.trust.")
    figure, looks = go.Figure(), {images: look_at(place) for place, images in enumerate(dict.fromkeys(verdicts["images"]))}
    for verdict, symbol in _SYMBOLS.items():
        for images, look in looks.items():
            own = verdicts[(verdicts["images"] == images) & (verdicts["verdict"] == verdict)]
            if own.empty:
                continue
            figure.add_scatter(
                x=own["score"].tolist(),
                y=own["gain"].tolist(),
                mode="markers",
                marker={"color": look.color, "symbol": symbol, "size": 10, "opacity": 0.85},
                hovertext=own["notion"].tolist(),
                hovertemplate=f"%{{hovertext}} ({images}): %{{x:.2f}}, %{{y:+.3f}}<extra></extra>",
                name=images if verdict == "reads it" else f"{images}, {verdict}",
            )
    dress(figure, _TRUST_HEIGHT, title)
    figure.update_layout(hovermode="closest", margin={"b": _BOTTOM, "t": 48 if title else 16})
    figure.update_xaxes(title_text="Score without labels", gridcolor=GRID, zeroline=False, range=[-0.04, 1.04])
    figure.update_yaxes(title_text="MAP@R beyond the raw encoder", gridcolor=GRID, zeroline=True, zerolinecolor=GRAY, zerolinewidth=1)
    return figure
