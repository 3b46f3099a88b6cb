"""Which notions the images have: those of the library by how far they can be trusted, and what varies beyond them, shown by its extremes."""

import streamlit as st

from components.gallery import Section, gallery
from likeness.errors import InputError
from likeness.found_notions import FoundNotion
from likeness.notions import Notion
from pages.notions import library
from shared import cached, drafts, sidebar
from shared.plain import plain
from shared.view import View

_DIRECTIONS = 3
_SHOWN, _TILE = 4, 72  # images at each end, pixels


def offer() -> None:
    """Draws the button; nothing is computed before it is clicked."""
    st.button("Which notions do these images have?", icon=":material/manage_search:", type="tertiary", on_click=_open, args=(True,))


def show(view: View) -> None:
    """Draws the list, where it was asked for."""
    if not st.session_state.get("found_open"):
        return
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown("**Which notions do these images have?**", width="content")
            st.button("Close", icon=":material/close:", type="tertiary", on_click=_open, args=(False,))
        with st.spinner("Reading the images ..."):
            found = cached.found_notions(view.base, sidebar.fitting(view.base))
        _list(view, found)
        _beyond(view, [each.notion for each in found if each.trust.reads])


def _open(whether: bool) -> None:
    st.session_state["found_open"] = whether


def _edit(view: View, notion: Notion) -> None:
    library.put(drafts.of(notion), view)
    _open(False)


def _list(view: View, found: list[FoundNotion]) -> None:
    st.caption("No label is read. The share is how much of what the images vary in lies along a notion's aspects.")
    for place, each in enumerate(found):
        name, verdict, share, opened = st.columns((1.1, 1.5, 0.5, 0.4), vertical_alignment="center", gap="small")
        name.markdown(f"**{plain(sidebar.readable(each.notion.name))}**")
        icon, color = (":material/visibility:", "gray") if each.trust.reads else (":material/warning:", "orange")
        verdict.markdown(f":{color}[{icon}] {'Read by the encoder' if each.trust.reads else 'Not to be relied on'} ({each.trust.score:.2f})")
        share.markdown(f"share {100 * each.share:.0f} %")
        opened.button("Open", key=f"found_{place}", on_click=_edit, args=(view, each.notion))


def _beyond(view: View, named: list[Notion]) -> None:
    try:
        directions = cached.unnamed_directions(view.base, named, _DIRECTIONS)
    except InputError:  # nothing is left
        return
    st.markdown("**Beyond these, what no word names**")
    st.caption("The images at the two ends of what else they vary in most. If you see what it is, write a notion of it.")
    for number, each in enumerate(directions, start=1):
        ends = [
            Section(f"{100 * each.share:.0f} % of what varies: one end", each.low[:_SHOWN].tolist()),
            Section("The other end", each.high[:_SHOWN].tolist()),
        ]
        gallery(ends, thumbnails=view.thumbnails, key=f"unnamed_{number}", layout="columns", tile=_TILE)
