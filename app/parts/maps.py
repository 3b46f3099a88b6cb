"""The maps of a page: one or two spaces with one selection, one query and one coloring."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from likeness.plots.linked_map import Coloring, MapEvent, MapPanel, cache_by_identity, color_by, coloring_of
from likeness.space import Space
from parts import color_range, layouts, map_names, selection
from parts.linked_map import linked_map
from parts.map_controls import Choice
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View


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
        colored=color_range.of(view),
        on_colored=partial(color_range.take, view),
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
