"""Structure of a space against its generalization (ooDML, Figure 4)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.plots.look import GRAY, OKABE_ITO, Figure, method_looks
from likeness.plots.panels import AXIS, GRID, dress_with_legend, entry

# property of a space -> title
PROPERTIES = {
    "inter": "Distance between classes",
    "intra": "Spread within classes",
    "ratio": "Spread / distance",
    "spectral_decay": "Uneven use of directions",
}
_ALL, _START = "all", "start"
_PER_ROW = 2
_ROW_HEIGHT = 330


def structure_scatter(scaled: pd.DataFrame, correlations: pd.DataFrame, *, methods: Sequence[str] | None = None) -> Figure:
    """A panel per property with a point per run, and least-squares lines through all runs and through those of the start.

    Structure and score are scaled to [0, 1] within each split. Correlations are in the titles. InputError: no row.

    Args:
        scaled: from `likeness.evaluation.scaled_structure`.
        correlations: from `likeness.evaluation.structure_correlations`.
        methods: all methods of the benchmark, in the order that determines their looks; None: in order of appearance.
    """
    from plotly.subplots import make_subplots

    if scaled.empty:
        raise InputError("There is no structure to draw; a split needs two runs that were measured with structure.")
    names = list(dict.fromkeys(scaled["property"]))
    columns = min(_PER_ROW, len(names))
    rows = -(-len(names) // columns)
    titles, gap = [_titled(name, correlations) for name in names], 0.36 / rows if rows > 1 else 0
    figure = make_subplots(rows, columns, shared_yaxes="all", subplot_titles=titles, horizontal_spacing=0.05, vertical_spacing=gap)
    looks = method_looks(scaled["row"] if methods is None else methods)
    for number, name in enumerate(names):
        place = {"row": number // columns + 1, "col": number % columns + 1}
        own = scaled[scaled["property"] == name]
        for method, look in looks.items():
            points = own[own["row"] == method]
            drawn = {"x": points["structure"].tolist(), "y": points["score"].tolist(), "mode": "markers"}
            marker = {"color": look.color, "symbol": look.symbol, "size": 7, "opacity": 0.75}
            texts = [f"{split}, seed {seed}" for split, seed in zip(points["split"], points["seed"], strict=True)]
            hover = {"hovertext": texts, "hovertemplate": f"{method}<br>%{{hovertext}}<extra></extra>"}
            listed = number == 0 and not scaled[scaled["row"] == method].empty
            figure.add_scatter(**drawn, marker=marker, **hover, **entry(method, listed), **place)
        _add_trend(figure, own, "All splits", OKABE_ITO[1], "solid", place, number == 0)
        _add_trend(figure, own[own["split"] == _START], "Start alone", GRAY, "dash", place, number == 0)
    dress_with_legend(figure, rows * _ROW_HEIGHT + 82, len(looks) + 2, 5)
    figure.update_xaxes(range=[-0.05, 1.05], **AXIS)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, range=[-0.08, 1.08])
    for row in range(1, rows + 1):
        figure.update_yaxes(title_text="Score within its split", row=row, col=1)
    figure.update_xaxes(title_text="Within its split, from smallest to largest", row=rows)
    return figure


def _add_trend(figure: Figure, own: pd.DataFrame, name: str, color: str, dash: str, place: dict[str, int], listed: bool) -> None:
    """The least-squares line; an empty trace for fewer than three points or no spread, so that the legend keeps its entries."""
    x = own["structure"].to_numpy(dtype=np.float64)
    drawn = len(x) > 2 and float(np.ptp(x)) > 0
    slope, offset = np.polyfit(x, own["score"].to_numpy(dtype=np.float64), 1) if drawn else (0.0, 0.0)
    ends = [float(x.min()), float(x.max())] if drawn else []
    line = {"mode": "lines", "line": {"color": color, "dash": dash, "width": 3}, "hoverinfo": "skip"}
    figure.add_scatter(x=ends, y=[float(offset + slope * end) for end in ends], **line, **entry(name, listed and drawn), **place)


def _titled(name: str, correlations: pd.DataFrame) -> str:
    parts = []
    for split, words in ((_ALL, "all splits"), (_START, "start alone")):
        found = correlations[(correlations["property"] == name) & (correlations["split"] == split)]
        if len(found):
            parts.append(f"{words} {found['correlation'].iloc[0]:+.2f}")
    title = PROPERTIES.get(name, name)
    return f"{title}<br><sup>correlation: {', '.join(parts)}</sup>" if parts else title
