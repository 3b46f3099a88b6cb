"""Retrieval judged by continuous labels: mean label distance and nDCG against how many images are retrieved (Kim et al., CVPR 2019, Figure 3)."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import banded_line, padded
from likeness.plots.look import GRAY
from likeness.plots.method_looks import method_looks
from likeness.plots.panels import GRID, dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

DISTANCE, NDCG = "mean_label_distance", "ndcg"
_HEIGHT = 380
_LEGEND_ROW, _PER_LEGEND_ROW = 22, 4
_X = "Retrieved images"


def continuous_curves(table: pd.DataFrame, *, methods: Sequence[str] | None = None, unit: str = "", title: str | None = None) -> "Figure":
    """Two panels with a line per method: mean label distance at k, and nDCG at k; between the bounds, Oracle and chance, as broken grey lines.

    Of methods with several seeds the mean is drawn, with a band of one standard deviation over the seeds on either side.

    Args:
        table: a row per run, as of `likeness.studies.study.measured`: row (the method), perhaps seed, mean_label_distance_at_k and ndcg_at_k, and
            of the bounds, where they are to be drawn, oracle_mean_label_distance_at_k, chance_mean_label_distance and chance_ndcg_at_k. Of bounds
            that differ between rows the mean is drawn. That Oracle's nDCG is 1 follows from its definition.
        methods: their order, in which they get their looks; None: as they come.
        unit: of the label distances, for the axis.
        title: above the figure.

    Raises:
        InputError: no row, or no such metric.
    """
    from plotly.subplots import make_subplots

    cutoffs = {name: _cutoffs(table, name) for name in (DISTANCE, NDCG)}
    if "row" not in table or table.empty or not any(cutoffs.values()):
        raise InputError("There is no mean label distance or nDCG to draw; give the table that `likeness.studies.study.measured` makes of such runs.")
    figure = make_subplots(1, 2, subplot_titles=["Mean label distance: smaller is better", "nDCG: larger is better"], horizontal_spacing=0.09)
    looks, named = method_looks(table["row"] if methods is None else methods), set[str]()
    for column, (name, ks) in enumerate(cutoffs.items(), 1):
        for method, look in looks.items():
            line = _points(table[table["row"] == method], name, ks)
            if not line.empty:
                legend = {"name": method, "legendgroup": method, "showlegend": method not in named}
                banded_line(figure, line, "k", look, legend, {"row": 1, "col": column})
                named.add(method)
        _add_bounds(figure, table, name, ks, column)
        _dress_axes(figure, name, ks, column)
    rows = -(-len(named) // _PER_LEGEND_ROW)
    figure.update_yaxes(title_text=unit, row=1, col=1)
    dress(figure, _HEIGHT + _LEGEND_ROW * max(0, rows - 1), title)
    figure.update_layout(hovermode="x unified", margin={"b": 62 + _LEGEND_ROW * rows})
    figure.update_xaxes(unifiedhovertitle_text="At %{x}", spikecolor=GRAY, spikethickness=-1, spikedash="solid")
    return figure


def _cutoffs(table: pd.DataFrame, name: str) -> list[int]:
    """The k of the columns NAME_at_k that hold a number, ascending."""
    found = [re.fullmatch(rf"{name}_at_(\d+)", str(column)) for column in table.columns]
    return sorted(int(match[1]) for match in found if match and table[match[0]].notna().any())


def _points(runs: pd.DataFrame, name: str, ks: Sequence[int]) -> pd.DataFrame:
    """k, mean, std and runs."""
    values = [runs[f"{name}_at_{k}"].dropna() for k in ks]
    lines = [{"k": k, "mean": each.mean(), "std": each.std(ddof=0), "runs": len(each)} for k, each in zip(ks, values, strict=True) if len(each)]
    return pd.DataFrame(lines)


def _add_bounds(figure: "Figure", table: pd.DataFrame, name: str, ks: Sequence[int], column: int) -> None:
    for bound, values in _bounds(table, name, ks).items():
        figure.add_scatter(
            x=list(values),
            y=list(values.values()),
            mode="lines+text",
            line={"color": GRAY, "dash": "dot", "width": 1.6},
            text=[bound if k == max(values) else "" for k in values],
            textposition="top left",
            textfont={"color": GRAY, "size": 12},
            cliponaxis=False,
            hovertemplate="%{y:.3f}",
            name=bound,
            showlegend=False,
            row=1,
            col=column,
        )


def _bounds(table: pd.DataFrame, name: str, ks: Sequence[int]) -> dict[str, dict[int, float]]:
    """Of each bound that the table has: k -> its value."""
    if name == NDCG:
        found = {"Oracle": dict.fromkeys(ks, 1.0), "Chance": {k: _mean(table, f"chance_{name}_at_{k}") for k in ks}}
    else:
        found = {"Oracle": {k: _mean(table, f"oracle_{name}_at_{k}") for k in ks}, "Chance": dict.fromkeys(ks, _mean(table, f"chance_{name}"))}
    known = {bound: {k: value for k, value in values.items() if value == value} for bound, values in found.items()}
    return {bound: values for bound, values in known.items() if values}


def _mean(table: pd.DataFrame, column: str) -> float:
    return float(table[column].mean()) if column in table else float("nan")


def _dress_axes(figure: "Figure", name: str, ks: Sequence[int], column: int) -> None:
    place: dict[str, Any] = {"row": 1, "col": column}
    if ks:
        figure.update_xaxes(range=padded(ks[0], ks[-1]), tickvals=list(ks), **place)
    figure.update_xaxes(title_text=_X, showgrid=False, zeroline=False, ticks="outside", tickcolor=GRID, showline=True, linecolor=GRID, **place)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, rangemode="tozero" if name == DISTANCE else "normal", **place)
