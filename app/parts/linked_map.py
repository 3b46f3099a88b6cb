"""One or two maps of the same rows with one selection, one query and one coloring."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from typing import Any, Literal

import numpy as np
import streamlit as st

from likeness.plots.linked_map import SCRIPTS, Coloring, MapEvent, MapPanel, Publish, decode_event, encode_map, read_script, read_text
from server.addresses import address

from .message import message


@cache
def _renderer() -> Any:
    script = read_script(*SCRIPTS, "streamlit")
    return st.components.v2.component("linked_map", html=read_text("linked_map.html"), css=read_text("linked_map.css"), js=script)


def linked_map(
    panels: Sequence[MapPanel], coloring: Coloring, *, n: int, thumbnails: str, key: str, info: str | None = None,
    selected: np.ndarray | None = None, query: int | None = None, neighbors: Sequence[np.ndarray] | None = None,
    dimmed: np.ndarray | None = None, height: int = 620, noun: str = "images", identity: str = "",
    renderer: Literal["auto", "cpu", "webgl"] = "auto", on_event: Callable[[MapEvent], None] | None = None,
    colored: tuple[float, float] | None = None, on_colored: Callable[[object], None] | None = None,
) -> MapEvent:  # fmt: skip
    """Draws the maps and returns what was done on them since the last run.

    panels: one or two, positions (n, 2); new positions under the same key morph from the old ones.
    thumbnails, info: URL templates with "{row}"; info answers {"label": str, "attributes": {name: text}} and fills the hover card.
    selected: rows (m,) in full color, the rest faded. dimmed: mask (n,) of rows that a filter took out; faded, not selectable.
    query: the ringed row. neighbors: rows (k,) of each panel that are marked, and joined to the query by lines where there is one.
    height: of the whole in px, legend included. identity: names the data; another one starts afresh instead of morphing.
    renderer: who draws many points; "auto" takes the graphics card where the browser has one.
    colored: of a coloring by numbers, between which the colors are spread at first. on_colored: called with what the browser sends when a person
    chooses others, {"low": float, "high": float}, or nothing in them for all numbers; it may be anything.
    on_event: called before the script reruns, so that what stands above the map is already right; the return value is for the rest.

    Raises InputError for arrays that do not fit n.
    """
    seen_key, event_key = f"{key}:seen", f"{key}:event"

    def take_in() -> None:
        event = decode_event(message(key, "edit"), n)
        if event.id:
            st.session_state[seen_key] = event.id
        st.session_state[event_key] = event
        if on_event is not None and event:
            on_event(event)

    def take_in_colored() -> None:
        if on_colored is not None:
            on_colored(message(key, "colored"))

    payload = encode_map(
        panels, coloring, n=n, thumbnails=thumbnails, info=info, selected=selected, query=query, neighbors=neighbors, dimmed=dimmed,
        noun=noun, identity=identity, renderer=renderer, colored=colored, seen=st.session_state.get(seen_key), publish=streamlit_publisher(key),
    )  # fmt: skip
    _renderer()(key=key, data=payload, height=height, on_edit_change=take_in, on_colored_change=take_in_colored)
    event: MapEvent = st.session_state.pop(event_key, None) or MapEvent()
    return event


def streamlit_publisher(key: str) -> Publish:
    """Publishes through Streamlit's media route. The i-th array of a map replaces the i-th of the run before, which is then forgotten."""
    from streamlit.runtime import exists, get_instance

    places = count()

    def publish(content: bytes, name: str) -> str:
        if not exists():
            return ""
        url = get_instance().media_file_mgr.add(content, "application/octet-stream", f"{key}.{next(places)}", file_name=name)
        return address(url)

    return publish
