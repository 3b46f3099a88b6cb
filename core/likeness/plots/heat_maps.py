"""Class similarities as heat maps side by side: of language and of spaces."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from likeness.errors import InputError
from likeness.plots.look import Figure
from likeness.plots.panels import dress

MOST_CLASSES = 1_000
_MOST_NAMED = 30  # more names are unreadable beside a panel
_HEIGHT = 560
_LETTER = 7  # pixels per letter of the names below
_LINE = 20  # of further lines in titles


def class_heat_maps(matrices: Mapping[str, Any], names: Sequence[str], order: Any = None, *, title: str | None = None) -> Figure:
    """A square panel per matrix, with the classes in the same order: a bright block in language should also be one in a space.

    Each panel has its own color scale, from the smallest to the largest similarity of different classes, since cosines of texts and of images have
    different ranges and only their order is comparable. The diagonal is empty. InputError: no matrix, one that does not fit the names, or more than
    1,000 classes.

    Args:
        matrices: similarities (c, c) by title, such as "Language" or a space's name; "<br>" separates lines.
        names: c class names.
        order: class numbers (c,), such as from `likeness.evaluation.clustered_order`; None: unchanged.
    """
    from plotly.subplots import make_subplots

    _check(matrices, names)
    chosen = np.arange(len(names)) if order is None else np.asarray(order)
    called, named = [names[int(each)] for each in chosen], len(names) <= _MOST_NAMED
    # separate axes: plotly cannot keep panels with shared axes square
    figure = make_subplots(1, len(matrices), subplot_titles=list(matrices), horizontal_spacing=0.04 if len(matrices) > 1 else 0)
    for place, matrix in enumerate(matrices.values(), start=1):
        values = np.asarray(matrix, dtype=np.float64)[np.ix_(chosen, chosen)]  # copied, since the diagonal is changed
        np.fill_diagonal(values, np.nan)
        least, largest = float(np.nanmin(values)), float(np.nanmax(values))
        bar = _colorbar(figure.layout["xaxis" if place == 1 else f"xaxis{place}"].domain, (least, largest))
        colors = {"colorscale": "Viridis", "zmin": least, "zmax": largest, "colorbar": bar, "hoverongaps": False}
        figure.add_heatmap(z=values, x=called, y=called, **colors, hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>", row=1, col=place)
    below = _LETTER * max(map(len, called)) if named else 0
    dress(figure, _HEIGHT + below, title)
    figure.update_xaxes(showgrid=False, showticklabels=named, tickangle=90, constrain="domain", type="category", dtick=1)
    figure.update_yaxes(showgrid=False, showticklabels=False, constrain="domain", constraintoward="top", type="category", autorange="reversed")
    for place in range(1, len(matrices) + 1):
        figure.update_yaxes(scaleanchor=f"x{place}" if place > 1 else "x", row=1, col=place)
    figure.update_yaxes(showticklabels=named, dtick=1, row=1, col=1)
    lines = max(each.count("<br>") for each in matrices)
    figure.update_layout(margin={"b": 70 + below, "t": figure.layout.margin.t + _LINE * lines})
    return figure


def _colorbar(domain: Sequence[float], ends: tuple[float, float]) -> dict[str, Any]:
    """Below the panel, half as wide."""
    width = domain[1] - domain[0]
    place = {"x": (domain[0] + domain[1]) / 2, "xanchor": "center", "yref": "container", "y": 0.01, "yanchor": "bottom"}
    ticks = {"tickvals": [ends[0], sum(ends) / 2, ends[1]], "tickformat": ".2f"}
    return {"orientation": "h", "len": width / 2, "thickness": 10, "outlinewidth": 0, **place, **ticks}


def _check(matrices: Mapping[str, Any], names: Sequence[str]) -> None:
    if not matrices:
        raise InputError("There is no matrix to draw; pass the similarities of at least one space.")
    if len(names) > MOST_CLASSES:
        raise InputError(f"There are {len(names):,} classes, but at most {MOST_CLASSES:,} can be told apart in a heat map; choose some of them.")
    for title, matrix in matrices.items():
        shape = np.shape(matrix)
        if shape != (len(names), len(names)) or len(names) < 2:
            raise InputError(f"'{title}' has similarities of shape {shape} for {len(names)} classes; pass a square matrix of at least two classes.")
