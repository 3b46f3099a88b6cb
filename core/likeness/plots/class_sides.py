"""Map of a dataset's classes: train, test and removed ones."""

import pandas as pd

from likeness.errors import InputError
from likeness.plots.look import GRAY, Figure, Look
from likeness.plots.panels import dress

# side -> title and look
SIDES = {
    "train": ("Trains", Look("#0072B2", "", "circle")),
    "test": ("Tests", Look("#D55E00", "", "diamond")),
    "out": ("Taken out", Look(GRAY, "", "x-thin")),
}
_MOVED = "#E69F00"
_HEIGHT = 530
_ROOM = 0.06
_MOST_DRAWN_ONE_BY_ONE = 5_000


def class_sides(classes: pd.DataFrame, *, title: str | None = None) -> Figure:
    """A point per class with its name on hover; equal units, no axes, and the same view for the same positions.

    The figure always has the same four traces, so that updates change only colors. InputError: no class, or an unknown side.

    Args:
        classes: name, x, y, side ("train", "test", "out") and moved (bool), which rings the class.
    """
    from plotly.graph_objects import Figure

    if classes.empty:
        raise InputError("There is no class to draw; pass at least one.")
    unknown = set(classes["side"]) - set(SIDES)
    if unknown:
        raise InputError(f"There is no side '{min(unknown)}'; choose from {', '.join(SIDES)}.")
    figure = Figure()
    add = figure.add_scatter if len(classes) <= _MOST_DRAWN_ONE_BY_ONE else figure.add_scattergl
    size = 11 if len(classes) <= 150 else 8 if len(classes) <= 1_000 else 4
    for side, (name, look) in SIDES.items():
        own = classes[classes["side"] == side]
        line = {"width": 2 if side == "out" else 0, "color": look.color}
        marker = {"color": look.color, "symbol": look.symbol, "size": size, "opacity": 0.85, "line": line}
        texts = {"hovertext": own["name"].tolist(), "hovertemplate": f"%{{hovertext}}<extra>{name}</extra>"}
        add(**_points(own), mode="markers", marker=marker, name=name, **texts, showlegend=True)
    moved = _points(classes[classes["moved"].astype(bool)])
    ring = {"symbol": "circle-open", "size": size + 8, "color": _MOVED, "line": {"width": 3, "color": _MOVED}}
    add(**moved, mode="markers", marker=ring, name="Moved in this step", hoverinfo="skip", showlegend=True)
    dress(figure, _HEIGHT, title)
    figure.update_layout(hovermode="closest", margin={"l": 8, "r": 8, "t": figure.layout.margin.t if title else 16})
    figure.update_xaxes(visible=False, range=_view(classes["x"]))
    figure.update_yaxes(visible=False, range=_view(classes["y"]), scaleanchor="x")
    return figure


def _points(classes: pd.DataFrame) -> dict[str, list[float | None]]:
    """Positions; a single empty one if there are none, since the legend omits traces without points."""
    nowhere: list[float | None] = [None]
    return {name: [float(value) for value in classes[name]] or nowhere for name in ("x", "y")}


def _view(values: "pd.Series[float]") -> list[float]:
    room = _ROOM * (values.max() - values.min()) or 1.0
    return [float(values.min() - room), float(values.max() + room)]
