"""Mean label distance and nDCG by number of retrieved images, or by embedding size (Kim et al., CVPR 2019, Figures 3 and 5)."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import banded_line, means, padded
from likeness.plots.look import GRAY, Figure, method_looks
from likeness.plots.panels import AXIS, GRID, READ_TOGETHER, dress_with_legend, once, panel_row

DISTANCE, NDCG = "mean_label_distance", "ndcg"
_AT_TEN = (f"{DISTANCE}_at_10", f"{NDCG}_at_10")
_HEIGHT = 380
_ROOM = 0.15  # padding of the axis beyond the first and the last size, in powers of two


def continuous_curves(table: pd.DataFrame, *, methods: Sequence[str] | None = None, unit: str = "") -> Figure:
    """Two panels with a line per method, mean label distance at k and nDCG at k, and the bounds, Oracle and chance, as dashed gray lines.

    Methods with several seeds have their mean and a band of one standard deviation. InputError: no row, or no such metric.

    Args:
        table: a row per run, as from `likeness.studies.study.measured`: row (the method), optionally seed, mean_label_distance_at_k and ndcg_at_k,
            and to draw bounds oracle_mean_label_distance_at_k, chance_mean_label_distance and chance_ndcg_at_k. Bounds that differ between rows are
            averaged. Oracle's nDCG is 1 by definition.
        methods: all methods, in the order that determines their looks; None: in order of appearance.
        unit: of the label distances, for the axis.
    """
    cutoffs = {name: _cutoffs(table, name) for name in (DISTANCE, NDCG)}
    if "row" not in table or table.empty or not any(cutoffs.values()):
        raise InputError("There is no mean label distance or nDCG to draw; pass the table of `likeness.studies.study.measured`.")
    figure = panel_row(["Mean label distance: smaller is better", "nDCG: larger is better"])
    columns = [{f"{name}_at_{k}": k for k in ks} for name, ks in cutoffs.items()]
    values = [table[["row", *each]].rename(columns=each).melt("row", var_name="x", value_name="value") for each in columns]
    _add_lines(figure, values, table["row"] if methods is None else methods, unit)
    for column, (name, ks) in enumerate(cutoffs.items(), 1):
        _add_bounds(figure, table, name, ks, column)
        if ks:
            figure.update_xaxes(range=padded(ks[0], ks[-1]), tickvals=ks, row=1, col=column)
    figure.update_xaxes(title_text="Retrieved images", unifiedhovertitle_text="At %{x}")
    figure.update_yaxes(rangemode="tozero", row=1, col=1)
    return figure


def size_curves(table: pd.DataFrame, *, methods: Sequence[str] | None = None, unit: str = "") -> Figure:
    """Two panels with a line per method by embedding size, on a logarithmic axis: mean label distance and nDCG at 10.

    Arguments as for `continuous_curves`; `table` also has the column dim. InputError: no row, a missing column, or dimensions below 1.
    """
    sizes = _sizes(table)
    figure = panel_row(["Mean label distance at 10: smaller is better", "nDCG at 10: larger is better"])
    values = [table[["row", "dim", metric]].set_axis(["row", "x", "value"], axis=1) for metric in _AT_TEN]
    _add_lines(figure, values, table["row"] if methods is None else methods, unit)
    ends = [float(np.log10(sizes[0] / 2**_ROOM)), float(np.log10(sizes[-1] * 2**_ROOM))]  # plotly's logarithmic axes use powers of ten
    axis: dict[str, Any] = {"type": "log", "range": ends, "tickvals": sizes, "ticktext": [f"{each:g}" for each in sizes], "minor": {"ticks": ""}}
    figure.update_xaxes(title_text="Dimensions of the embedding", unifiedhovertitle_text="%{x} dimensions", **axis)
    return figure


def _sizes(table: pd.DataFrame) -> list[float]:
    needed = ("row", "dim", *_AT_TEN)
    missing = [name for name in needed if name not in table]
    if missing or table.empty:
        raise InputError(f"There is no '{(missing or ['row'])[0]}' to draw; pass a row per run with {', '.join(needed)}.")
    sizes = np.unique(table["dim"].to_numpy(dtype=np.float64))
    if not np.isfinite(sizes).all() or sizes.min() < 1:
        raise InputError(f"The smallest number in 'dim' is {sizes.min():g}; pass numbers of at least 1.")
    return [float(each) for each in sizes]


def _add_lines(figure: Figure, panels: Sequence[pd.DataFrame], methods: Iterable[str], unit: str) -> None:
    """Adds a line per method to each panel (columns row, the method, x and value), and what surrounds the lines."""
    looks, named = method_looks(methods), set[str]()
    for column, values in enumerate(panels, 1):
        for method, look in looks.items():
            line = means(values[values["row"] == method].dropna(subset="value").groupby("x")["value"])
            if not line.empty:
                banded_line(figure, line, "x", look, once(named, method), {"row": 1, "col": column})
    dress_with_legend(figure, _HEIGHT, len(named), 4)
    figure.update_layout(hovermode="x unified")
    figure.update_xaxes(**READ_TOGETHER, **AXIS)
    figure.update_yaxes(gridcolor=GRID, zeroline=False)
    figure.update_yaxes(title_text=unit, row=1, col=1)


def _cutoffs(table: pd.DataFrame, name: str) -> list[int]:
    """The k of the columns NAME_at_k with at least one number, ascending."""
    found = [re.fullmatch(rf"{name}_at_(\d+)", str(column)) for column in table.columns]
    return sorted(int(match[1]) for match in found if match and table[match[0]].notna().any())


def _add_bounds(figure: Figure, table: pd.DataFrame, name: str, ks: Sequence[int], column: int) -> None:
    for bound, values in _bounds(table, name, ks).items():
        line, font = {"color": GRAY, "dash": "dot", "width": 1.6}, {"color": GRAY, "size": 12}
        words = {"text": [bound if k == max(values) else "" for k in values], "textposition": "top left", "textfont": font, "cliponaxis": False}
        drawn = {"x": list(values), "y": list(values.values()), "mode": "lines+text", "line": line, "hovertemplate": "%{y:.3f}"}
        figure.add_scatter(**drawn, **words, name=bound, showlegend=False, row=1, col=column)


def _bounds(table: pd.DataFrame, name: str, ks: Sequence[int]) -> dict[str, dict[int, float]]:
    """Value by k for each bound in the table."""
    if name == NDCG:
        found = {"Oracle": dict.fromkeys(ks, 1.0), "Chance": {k: _mean(table, f"chance_{name}_at_{k}") for k in ks}}
    else:
        found = {"Oracle": {k: _mean(table, f"oracle_{name}_at_{k}") for k in ks}, "Chance": dict.fromkeys(ks, _mean(table, f"chance_{name}"))}
    known = {bound: {k: value for k, value in values.items() if value == value} for bound, values in found.items()}
    return {bound: values for bound, values in known.items() if values}


def _mean(table: pd.DataFrame, column: str) -> float:
    return float(table[column].mean()) if column in table else float("nan")
