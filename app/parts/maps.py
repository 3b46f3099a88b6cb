"""Draws one or two maps of the same images, with a shared selection, query and coloring."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from likeness.plots.linked_map import (
    SCRIPTS,
    Coloring,
    MapEvent,
    MapPanel,
    Publish,
    cache_by_identity,
    color_by,
    coloring_of,
    decode_event,
    encode_map,
)
from likeness.space import Space
from parts import layouts, link, map_names, selection
from parts.component import message, renderer
from parts.map_controls import Choice
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.addresses import address
from state import Item

_COLORED = "colored"  # in the address: two numbers
Range = tuple[float, float]
# the dataset and color of a numeric coloring, and its color range
_range = Item[tuple[tuple[str, str | None] | None, Range | None]]((None, None), key="color_range")


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
    """Draws the spaces as laid out by `choice`; clicks set the selection and call `on_query`.

    `slot` names the page's maps: points move from the old to new positions under the same name. `neighbors`: rows to mark on each map, joined to the
    query if it is on the map. `named`: shows the names chosen in the map settings.
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
        colored=color_range(view),
        on_colored=partial(take_color_range, view),
    )
    if named:
        map_names.follow(jobs, coloring)
    failed = [layout for layout in placed if layout.problem]
    if failed:
        titles = " and ".join(plain(readable(layout.name)) for layout in failed)
        st.warning(
            f"The {choice.title} map of {titles} could not be computed, so the PCA map is shown. Choose other map settings to try again.",
            icon=":material/warning:",
        )
        with st.expander("Details"):
            st.text("\n".join(layout.problem for layout in failed))


def linked_map(
    panels: Sequence[MapPanel],
    coloring: Coloring,
    *,
    n: int,
    key: str,
    on_event: Callable[[MapEvent], None],
    height: int = 620,
    on_colored: Callable[[Mapping[str, object]], None] | None = None,
    **options: Any,
) -> None:
    """Draws the maps. Callbacks run before the script reruns, so that what is above the maps is already up to date.

    Args:
        panels: one or two, positions (n, 2); points move from the old to new positions under the same key.
        coloring, n, options: as `likeness.plots.linked_map.encode_map` takes them, with its errors.
        height: total height in px, including the legend.
        on_colored: called with what the browser sends when a person chooses others between which the colors are spread,
            {"low": float, "high": float}, or nothing in them for all numbers; it may be anything.
    """
    seen_key = f"{key}:seen"

    def take_in() -> None:
        event = decode_event(message(key, "edit"), n)
        if event.id:
            st.session_state[seen_key] = event.id
        if event:
            on_event(event)

    def take_in_colored() -> None:
        if on_colored is not None:
            on_colored(message(key, "colored"))

    payload = encode_map(panels, coloring, n=n, seen=st.session_state.get(seen_key), publish=_publisher(key), **options)
    drawn = renderer("linked_map", *SCRIPTS, "streamlit")
    drawn(key=key, data=payload, height=height, on_edit_change=take_in, on_colored_change=take_in_colored)


def _publisher(key: str) -> Publish:
    """Serves arrays through Streamlit's media route; the i-th array of a map replaces the i-th of the previous run."""
    from streamlit.runtime import exists, get_instance

    places = count()

    def publish(content: bytes, name: str) -> str:
        if not exists():
            return ""
        return address(get_instance().media_file_mgr.add(content, "application/octet-stream", f"{key}.{next(places)}", file_name=name))

    return publish


@cache_by_identity
def _coloring(frame: pd.DataFrame, attribute: str | None) -> Coloring:
    """Colors rows by an attribute; one color for all if None."""
    return coloring_of("", [""] * len(frame), "none") if attribute is None else color_by(frame[attribute], attribute, readable(attribute))


def _take_in(on_query: Callable[[int | None], None], event: MapEvent) -> None:
    if event.selection_changed:
        selection.select([] if event.selected is None else event.selected)
    if event.query_changed:
        on_query(event.query)


def color_range(view: View) -> Range | None:
    """The color range from a newly opened address or as chosen; None: all numbers."""
    asked = link.read(_COLORED)
    if asked is not None:
        _keep_range(view, asked)
        if asked and _range.get()[1] is None:
            link.report_missing("the range of colors", " to ".join(asked), "All values are colored.")
    of, chosen = _range.get()
    found = chosen if of == (view.dataset, view.color) else None
    link.write({_COLORED: [f"{end:.6g}" for end in found or ()]})
    return found


def take_color_range(view: View, sent: Mapping[str, object]) -> None:
    """Stores the color range that a browser sent, if it is valid."""
    _keep_range(view, [each for each in (sent.get("low"), sent.get("high")) if type(each) in (int, float)])


def _keep_range(view: View, ends: Sequence[object]) -> None:
    try:
        low, high = (float(str(end)) for end in ends)
    except ValueError:  # no numbers, or not two of them
        low = high = math.nan
    _range.set(((view.dataset, view.color), (low, high) if -math.inf < low < high < math.inf else None))
