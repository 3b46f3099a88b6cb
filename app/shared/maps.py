"""The maps of a page: one or two spaces with one selection, one query and one coloring."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from components.linked_map import linked_map
from likeness.plots.linked_map import Coloring, MapEvent, MapPanel, cache_by_identity, color_by, coloring_of
from likeness.space import Space
from shared import layouts, link, map_names, selection
from shared.map_controls import Choice
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View


def draw(
    view: View,
    spaces: Sequence[Space],
    choice: Choice,
    *,
    slot: str,
    key: str,
    height: int,
    on_query: Callable[[int | None], None],
    neighbors: Sequence[np.ndarray] | None = None,
    named: bool = False,
) -> None:
    """Draws the spaces as `choice` lays them out; what is pointed at goes to the selection and to `on_query`.

    `slot` names the page's maps: new positions under the same one move from the old ones. `neighbors`: rows of each map that are marked,
    and joined to the query where that is an image of the map. `named`: with the names that the map's controls ask for.
    """
    placed = layouts.lay_out(spaces, choice, f"{slot}_{view.dataset}")
    coloring = _coloring(view.frame, view.color)
    names, jobs = map_names.of_maps(spaces, [layout.shown for layout in placed], coloring) if named else ([None] * len(spaces), [])
    linked_map(
        [MapPanel(readable(space.name), each.shown, each.note, own) for space, each, own in zip(spaces, placed, names, strict=True)],
        coloring,
        n=len(view.frame),
        thumbnails=view.thumbnails,
        info=view.info,
        key=key,
        identity=view.entry.id,
        selected=view.selected if len(view.selected) else None,
        query=view.query,
        neighbors=neighbors,
        dimmed=view.hidden,
        height=height,
        on_event=partial(_take_in, on_query),
        colored=of(view),
        on_colored=partial(take, view),
    )
    if named:
        map_names.follow(jobs, coloring)
    _tell_problems(choice, placed)


@cache_by_identity
def _coloring(frame: pd.DataFrame, attribute: str | None) -> Coloring:
    """Of every row by an attribute; one color for all where that is None."""
    return coloring_of("", [""] * len(frame), "none") if attribute is None else color_by(frame[attribute], attribute, readable(attribute))


def _take_in(on_query: Callable[[int | None], None], event: MapEvent) -> None:
    if event.selection_changed:
        selection.select([] if event.selected is None else event.selected)
    if event.query_changed:
        on_query(event.query)


def _tell_problems(choice: Choice, placed: Sequence[layouts.Layout]) -> None:
    failed = [layout for layout in placed if layout.problem]
    if failed:
        names = " and ".join(plain(readable(layout.name)) for layout in failed)
        st.warning(
            f"The {choice.title} map of {names} could not be computed, so the PCA map is shown. Choose other map settings to try again.",
            icon=":material/warning:",
        )
        with st.expander("Details"):
            st.text("\n".join(layout.problem for layout in failed))


_NAME = "colored"  # in the address: two numbers
_KEPT = "color_range"  # of the session: what it is of, and the range

Range = tuple[float, float]


def of(view: View) -> Range | None:
    """The range of what colors the map, from an address that a person has just come by or as it was chosen; None for all of it."""
    asked = link.read(_NAME)
    if asked is not None:
        _keep(view, _read(asked))
    whose, kept = st.session_state.get(_KEPT, (None, None))
    found: Range | None = kept if whose == (view.dataset, view.color) else None
    link.write({_NAME: [f"{end:.6g}" for end in found or ()]})
    return found


def take(view: View, sent: object) -> None:
    """Keeps the range that a browser sent, whatever it is."""
    given = [sent.get("low"), sent.get("high")] if isinstance(sent, Mapping) else []
    _keep(view, _range([float(each) for each in given if isinstance(each, int | float) and not isinstance(each, bool)]))


def _read(asked: list[str]) -> Range | None:
    try:
        found = _range([float(text) for text in asked])
    except ValueError:
        found = None
    if asked and found is None:
        given = link.shortened(" to ".join(asked))
        link.report(f"“{given}” of this link is no range of colors, so all numbers are colored. Set another one below the map.")
    return found


def _range(numbers: list[float]) -> Range | None:
    return (numbers[0], numbers[1]) if len(numbers) == 2 and all(map(math.isfinite, numbers)) and numbers[0] < numbers[1] else None


def _keep(view: View, chosen: Range | None) -> None:
    st.session_state[_KEPT] = (view.dataset, view.color), chosen
