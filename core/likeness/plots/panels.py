"""The frame of every figure: a panel per notion with a shared vertical axis, a light grid, the legend below; and an HTML page for it."""

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd

from likeness.notions import METHOD_TITLES
from likeness.plots.look import GRAY, OKABE_ITO, Figure, faded

_PER_ROW = 3
_ROW_HEIGHT = 300
_ALONE_HEIGHT = 380  # of a panel of full width
_AROUND = 150  # margins for title, axis titles and legend
_CLEAR = "rgba(0, 0, 0, 0)"
_LEGEND_ROW = 22
GRID = faded(GRAY, 0.22)
# a horizontal axis, and one whose traces share a hover label
AXIS = {"showgrid": False, "zeroline": False, "ticks": "outside", "tickcolor": GRID, "showline": True, "linecolor": GRID}
READ_TOGETHER = {"spikecolor": GRAY, "spikethickness": -1, "spikedash": "solid"}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 1.5rem auto; padding: 0 1rem; max-width: 1440px; background: #fff; color: #1b1f2a; font: 15px/1.5 system-ui, sans-serif }}
aside {{ margin: 0 60px; font-size: 0.87rem; color: #5b616b }}
p {{ margin: 0.3rem 0 }}
</style>
</head>
<body>
{figure}
<aside>
{notes}
</aside>
</body>
</html>
"""


def panels(notions: Sequence[str], y_title: str, x_title: str, title: str | None) -> Figure:
    """An empty figure with a titled panel per notion, transparent for light and dark pages."""
    from plotly.subplots import make_subplots

    columns = min(len(notions), _PER_ROW)
    rows = -(-len(notions) // columns)
    figure = make_subplots(
        rows, columns, shared_yaxes="all", subplot_titles=list(notions), horizontal_spacing=0.03, vertical_spacing=0.2 / rows if rows > 1 else 0
    )
    dress(figure, (rows * _ROW_HEIGHT if columns > 1 else _ALONE_HEIGHT) + _AROUND, title)
    figure.update_layout(hovermode="x unified")
    figure.update_xaxes(unifiedhovertitle_text=f"{x_title}: %{{x}}", **READ_TOGETHER, **AXIS)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, rangemode="tozero")
    for row in range(1, rows + 1):
        figure.update_yaxes(title_text=y_title, row=row, col=1)
    for place in range(len(notions)):
        if place + columns >= len(notions):
            figure.update_xaxes(title_text=x_title, **position(place))
    return figure


def panel_row(titles: Sequence[str], **options: Any) -> Figure:
    """Empty panels side by side with titles; `options` are those of plotly's `make_subplots`."""
    from plotly.subplots import make_subplots

    return make_subplots(1, len(titles), subplot_titles=list(titles), **({"horizontal_spacing": 0.09} | options))


def dress_with_legend(figure: Figure, height: int, entries: int, per_row: int) -> None:
    """Like `dress`, with room for a legend of so many entries."""
    rows = -(-entries // per_row)
    dress(figure, height + _LEGEND_ROW * max(0, rows - 1), None)
    figure.update_layout(hovermode="closest", margin={"b": 66 + _LEGEND_ROW * rows})


def dress(figure: Figure, height: int, title: str | None) -> None:
    """Applies the common style: transparent background, title above, legend below."""
    figure.update_layout(
        template="plotly_white",
        title={"text": title, "x": 0, "xref": "paper", "y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 14}, "font": {"size": 17}}
        if title
        else None,
        paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR,
        height=height,
        margin={"l": 60, "r": 12, "t": 78 if title else 56, "b": 20},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left", "bgcolor": _CLEAR},
        modebar={"bgcolor": _CLEAR, "color": GRAY, "activecolor": OKABE_ITO[0]},
    )


def position(place: int) -> dict[str, int]:
    """Row and column, from 1, of panel number `place`."""
    return {"row": place // _PER_ROW + 1, "col": place % _PER_ROW + 1}


def hover_texts(points: pd.DataFrame) -> list[str]:
    """`0.574 ± 0.002 (5 runs)` for each row of `spread`."""
    numbers = zip(points["mean"], points["std"], points["runs"], strict=True)
    return [f"{mean:.3f} ± {std:.3f} ({runs} runs)" if runs > 1 else f"{mean:.3f}" for mean, std, runs in numbers]


def entry(name: str, listed: bool) -> dict[str, Any]:
    """Legend settings of a trace: its name, which toggles all traces of that name; `listed` for one of them."""
    return {"name": name, "legendgroup": name, "showlegend": listed}


def once(shown: set[str], method: str) -> dict[str, Any]:
    """Legend settings of a trace: each method is listed once and toggles in all panels."""
    first = method not in shown
    shown.add(method)
    return {"name": METHOD_TITLES.get(method, method), "legendgroup": method, "showlegend": first}


def as_page(figure: Figure, title: str, notes: Sequence[str] = ()) -> str:
    """HTML of the interactive figure including plotly.js (about 5 MB), with a line below for each note."""
    config = {"responsive": True, "displaylogo": False}
    content = figure.to_html(full_html=False, include_plotlyjs=True, config=config)
    return _PAGE.format(title=escape(title), figure=content, notes="\n".join(f"<p>{escape(note)}</p>" for note in notes))
