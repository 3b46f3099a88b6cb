"""Other classes retrieved for a query class in two spaces (language guidance, Figure 3)."""

from collections.abc import Mapping

import pandas as pd

from likeness.errors import InputError
from likeness.plots.look import GRAY, Figure, look_at
from likeness.plots.panels import GRID, dress, entry

_FIXED = ("class", "language_similarity")
_BAR = 22  # pixels per space
_GAP = 14  # between classes
_PANEL = 76  # a panel's title, ticks and axis title
_AROUND = 120
_LEFT = 220


def retrieved_bars(tables: Mapping[str, pd.DataFrame], *, title: str | None = None) -> Figure:
    """A panel per query class with a group of horizontal bars per retrieved class, most related on top, and a bar per space.

    `tables`: tables of `likeness.evaluation.retrieved_classes` by query class: class, language_similarity, and a column of counts per space.
    InputError: no table, or tables of different spaces.
    """
    from plotly.subplots import make_subplots

    spaces = _spaces(tables)
    heights = [max(len(table), 1) * (_BAR * len(spaces) + _GAP) for table in tables.values()]
    height = sum(heights) + _PANEL * len(heights)
    titles = [query if len(table) else f"{query}: no other class retrieved" for query, table in tables.items()]
    figure = make_subplots(
        len(tables), 1, shared_xaxes="all", subplot_titles=titles, row_heights=heights, vertical_spacing=_PANEL / height if len(tables) > 1 else 0
    )
    for row, table in enumerate(tables.values(), start=1):
        labels = [f"{name} ({similarity:.2f})" for name, similarity in zip(table["class"], table["language_similarity"], strict=True)]
        for place, space in enumerate(spaces):
            bars = {"x": table[space].tolist(), "y": labels, "orientation": "h", "cliponaxis": False}
            texts = {"texttemplate": "%{x}", "textposition": "outside", "hovertemplate": "%{y}: %{x}"}
            figure.add_bar(**bars, **look_at(place).bar(), **texts, **entry(space, row == 1), row=row, col=1)
    dress(figure, height + _AROUND, title)
    figure.update_layout(barmode="group", bargap=_GAP / (_GAP + _BAR * len(spaces)), bargroupgap=0.05, margin={"l": _LEFT})
    figure.update_annotations(x=0, xanchor="left")
    figure.update_xaxes(gridcolor=GRID, zeroline=True, zerolinecolor=GRAY, rangemode="tozero", showticklabels=True, tickformat="d")
    figure.update_xaxes(title_text="Retrieved images", row=len(tables), col=1)
    figure.update_yaxes(autorange="reversed", ticks="", ticksuffix="  ")
    return figure


def _spaces(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    found = [[str(column) for column in table.columns if column not in _FIXED] for table in tables.values()]
    if not found:
        raise InputError("There is no query class to draw; pass the table of at least one.")
    if any(spaces != found[0] for spaces in found):
        raise InputError(f"The tables have different spaces ({'; '.join(', '.join(spaces) for spaces in found)}); pass tables of the same spaces.")
    return found[0]
