"""Distance between train and test along the steps of a construction of splits (ooDML, Figure 1)."""

from collections.abc import Mapping

import pandas as pd

from likeness.errors import InputError
from likeness.plots.lines import padded
from likeness.plots.look import GRAY, Figure, Look
from likeness.plots.panels import panels

_CHOSEN = "#E69F00"
# kind of step -> title and look
STEP_KINDS = {
    "easier": ("Easier", Look("#009E73", "solid", "square")),
    "start": ("Start", Look(GRAY, "solid", "diamond")),
    "swap": ("Classes exchanged", Look("#0072B2", "solid", "circle")),
    "removal": ("Classes taken out", Look("#D55E00", "solid", "triangle-up")),
}
_OTHER = ("Splits", Look("#56B4E9", "solid", "hexagon"))
_DASHES = ("dot", "dashdot", "longdash")
_MOST_MARKERS = 150


def distance_curve(steps: pd.DataFrame, chosen: str | None = None, references: Mapping[str, float] | None = None) -> Figure:
    """The distance of each step, with a color and symbol per kind, a ring around the chosen step, and references as dashed lines.

    InputError: no step, or an unknown chosen one.

    Args:
        steps: name, kind ("easier", "start", "swap", "removal"), distance: a row per step, in order of construction.
        chosen: name of the step to ring.
        references: distances by name.
    """
    if steps.empty:
        raise InputError("There is no step to draw; pass the steps of a construction.")
    if chosen is not None and chosen not in set(steps["name"]):
        raise InputError(f"There is no step '{chosen}'; the steps are {', '.join(steps['name'])}.")
    figure = panels([""], "Distance between train and test", "Steps from the start", None)
    kinds = steps["kind"].tolist()
    start = kinds.index("start") if "start" in kinds else 0
    numbered = steps.reset_index(drop=True).assign(place=range(-start, len(kinds) - start))
    for kind in dict.fromkeys(kinds):
        _add_kind(figure, numbered, str(kind))
    _add_chosen(figure, numbered, chosen)
    ends = [int(numbered["place"].iloc[0]), int(numbered["place"].iloc[-1])]
    for (name, distance), dash in zip((references or {}).items(), _DASHES * len(references or {}), strict=False):
        line = {"color": GRAY, "dash": dash, "width": 1.5}
        figure.add_scatter(x=ends, y=[distance] * 2, mode="lines", line=line, name=name, hovertemplate=f"{name}: %{{y:.3g}}<extra></extra>")
    figure.update_xaxes(range=padded(*ends), tickformat="d")
    figure.update_layout(hovermode="closest", margin={"t": 16})
    return figure


def _add_kind(figure: Figure, steps: pd.DataFrame, kind: str) -> None:
    """The points of a kind, and the line that joins them to the step before them, or after them for easier ones."""
    title, look = STEP_KINDS.get(kind, _OTHER)
    own = steps.index[steps["kind"] == kind]
    size = 12 if kind == "start" else 7
    first, last = (own[0], min(own[-1] + 1, len(steps) - 1)) if kind == "easier" else (max(own[0] - 1, 0), own[-1])
    drawn = steps.loc[own] if kind == "start" else steps.loc[first:last]
    line = look.line(len(own) <= _MOST_MARKERS)
    line["marker"]["size"] = [size if each == kind else 0 for each in drawn["kind"]]
    texts = {"hovertext": drawn["name"].tolist(), "hovertemplate": "%{hovertext}: %{y:.3g}<extra></extra>"}
    figure.add_scatter(x=drawn["place"].tolist(), y=drawn["distance"].tolist(), **line, **texts, name=title, legendgroup=kind)


def _add_chosen(figure: Figure, steps: pd.DataFrame, chosen: str | None) -> None:
    own = steps[steps["name"] == chosen]
    points = {"x": own["place"].tolist(), "y": own["distance"].tolist(), "mode": "markers"}
    ring = {"symbol": "circle-open", "size": 17, "color": _CHOSEN, "line": {"width": 3, "color": _CHOSEN}}
    figure.add_scatter(**points, marker=ring, name="Chosen", hoverinfo="skip", showlegend=len(own) > 0)
