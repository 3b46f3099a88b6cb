"""Mean label distance and nDCG against the dimensions of the embedding (Kim et al., CVPR 2019, Figure 5)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import banded_line
from likeness.plots.look import GRAY
from likeness.plots.method_looks import method_looks
from likeness.plots.panels import GRID, dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT = 380
_LEGEND_ROW, _PER_LEGEND_ROW = 22, 4
_ROOM = 0.15  # beside the first and the last size, in powers of two


def size_curves(
    table: pd.DataFrame, size: str = "dim", k: int = 10, *, methods: Sequence[str] | None = None, unit: str = "", title: str | None = None
) -> "Figure":
    """Two panels with a line per method along the embedding's dimensions, on a logarithmic axis: mean label distance at k, and nDCG at k.

    Of several seeds the mean is drawn, with a band of one standard deviation on either side.

    Args:
        table: a row per run: row (the method), the column `size`, perhaps seed, mean_label_distance_at_k and ndcg_at_k.
        size: the column of dimensions, 1 or more.
        k: how many images are retrieved.
        methods: their order, in which they get their looks; None: as they come.
        unit: of the label distances, for the axis.
        title: above the figure.

    Raises:
        InputError: no row, a column that is not there, or dimensions below 1.
    """
    from plotly.subplots import make_subplots

    metrics = {f"mean_label_distance_at_{k}": "smaller is better", f"ndcg_at_{k}": "larger is better"}
    sizes = _sizes(table, size, list(metrics))
    titles = [f"{name} at {k}: {better}" for name, better in zip(("Mean label distance", "nDCG"), metrics.values(), strict=True)]
    figure = make_subplots(1, 2, subplot_titles=titles, horizontal_spacing=0.09)
    looks, named = method_looks(table["row"] if methods is None else methods), set[str]()
    for column, metric in enumerate(metrics, 1):
        for method, look in looks.items():
            runs = table[table["row"] == method].dropna(subset=metric).groupby(size)[metric]
            line = pd.DataFrame({"mean": runs.mean(), "std": runs.std(ddof=0), "runs": runs.size()}).reset_index()
            if not line.empty:
                legend = {"name": method, "legendgroup": method, "showlegend": method not in named}
                banded_line(figure, line, size, look, legend, {"row": 1, "col": column})
                named.add(method)
    rows = -(-len(named) // _PER_LEGEND_ROW)
    figure.update_yaxes(title_text=unit, row=1, col=1)
    dress(figure, _HEIGHT + _LEGEND_ROW * max(0, rows - 1), title)
    _dress_axes(figure, sizes)
    figure.update_layout(hovermode="x unified", margin={"b": 62 + _LEGEND_ROW * rows})
    return figure


def _sizes(table: pd.DataFrame, size: str, metrics: Sequence[str]) -> list[float]:
    missing = [name for name in ("row", size, *metrics) if name not in table]
    if missing or table.empty:
        raise InputError(f"There is no '{(missing or ['row'])[0]}' to draw; give a row per run with {', '.join(('row', size, *metrics))}.")
    sizes = np.unique(table[size].to_numpy(dtype=np.float64))
    if not np.isfinite(sizes).all() or sizes.min() < 1:
        raise InputError(f"The dimensions in '{size}' begin at {sizes.min():g}; give numbers of 1 or more.")
    return [float(each) for each in sizes]


def _dress_axes(figure: "Figure", sizes: Sequence[float]) -> None:
    ends = [float(np.log10(sizes[0] / 2**_ROOM)), float(np.log10(sizes[-1] * 2**_ROOM))]  # plotly's logarithmic axes count in powers of ten
    axis: dict[str, Any] = {"type": "log", "range": ends, "tickvals": list(sizes), "ticktext": [f"{each:g}" for each in sizes]}
    figure.update_xaxes(title_text="Dimensions of the embedding", showgrid=False, zeroline=False, ticks="outside", tickcolor=GRID, **axis)
    figure.update_xaxes(showline=True, linecolor=GRID, minor={"ticks": ""}, unifiedhovertitle_text="%{x} dimensions")
    figure.update_xaxes(spikecolor=GRAY, spikethickness=-1, spikedash="solid")
    figure.update_yaxes(gridcolor=GRID, zeroline=False)
