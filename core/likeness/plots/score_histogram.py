"""Distribution of the scores of all images for a query, with the cut-off."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.plots.look import GRAY, OKABE_ITO, Figure

_BINS = 60
_HEIGHT = 190


def score_histogram(scores: Any, threshold: float, answers: tuple[Any, Any] = ((), ()), axis: str = "Similarity to the query") -> Figure:
    """A histogram of scores (n,) with logarithmic counts, colored from the cut-off on, with the scores of answered images below.

    InputError: no scores, or scores that are not finite.

    Args:
        threshold: the cut-off, which is also an edge of the bars.
        answers: scores of the images answered as matches, and of those answered as no matches.
        axis: title of the axis.

    Example:
        >>> figure = score_histogram([0.1, 0.2, 0.3, 0.9], 0.5)
        >>> [(trace.name, sum(trace.y)) for trace in figure.data[:2]]
        [('no match', 3), ('match', 1)]
    """
    import plotly.graph_objects as go

    values: NDArray[np.float64] = np.asarray(scores, np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise InputError(f"The scores have shape {values.shape}; pass one finite number for each image.")
    figure = go.Figure()
    for name, part, color in (("no match", values[values < threshold], GRAY), ("match", values[values >= threshold], OKABE_ITO[0])):
        edges = _edges(part, values, threshold, name == "match")
        counts = np.histogram(part, edges)[0]
        bars = {"x": ((edges[:-1] + edges[1:]) / 2).tolist(), "y": counts.tolist(), "width": np.diff(edges).tolist()}
        figure.add_bar(**bars, name=name, marker={"color": color, "line": {"width": 0}}, hovertemplate="%{x:.3f}: %{y:,} images")
    for name, answered, symbol, color in zip(("yes", "no"), answers, ("circle", "x"), (OKABE_ITO[2], OKABE_ITO[1]), strict=True):
        if points := list(answered):
            marker = {"symbol": symbol, "color": color, "size": 7}
            figure.add_scatter(x=points, y=[0.7] * len(points), mode="markers", name=name, marker=marker, hoverinfo="name")
    figure.add_vline(x=threshold, line={"color": OKABE_ITO[0], "width": 2, "dash": "dot"})
    margin, legend = dict.fromkeys("lrtb", 8), {"orientation": "h", "y": 1.2, "x": 0}
    figure.update_layout(height=_HEIGHT, bargap=0, barmode="overlay", margin=margin, legend=legend, hovermode="closest")
    figure.update_xaxes(title=axis)
    figure.update_yaxes(title="Images", type="log", range=[-0.3, float(np.log10(max(2, len(values))))], dtick=1)
    return figure


def _edges(part: NDArray[np.float64], values: NDArray[np.float64], threshold: float, above: bool) -> NDArray[np.float64]:
    """Edges of bars of the same width on both sides of the cut-off, for this side of it."""
    low, high = float(values.min()), float(values.max())
    width = max(high - low, 1e-9) / _BINS
    reach = (high - threshold) if above else (threshold - low)
    steps = max(1, int(np.ceil(reach / width + 1e-9))) if len(part) else 1
    places = np.arange(steps + 1) if above else np.arange(-steps, 1)
    return np.asarray(threshold + width * places, np.float64)
