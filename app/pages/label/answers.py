"""Screens of pictures with ticks, and what a person says of them."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import hand_labels
from components.gallery import Section, gallery, take_ticks
from pages.label.spread import SpreadRequest
from shared.label_edits import try_edit
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View

Rows = NDArray[np.int64]
_TILE = 112  # pixels
_KEYS = 9
_SCREENS = ("sure", "left", "uncertain", "mistakes")  # each a gallery of its own
_STATE, _LEFT, _TICKED = "label_put_off", "label_left", "label_ticked"


def put_off(view: View, column: str, step: str) -> set[int]:
    """Rows that the person has put off in this session."""
    return _all_put_off().setdefault((view.dataset, column, step), set())


def bring_back(view: View, column: str) -> None:
    """Shows again what was put off."""
    _all_put_off().pop((view.dataset, column, "sure"), None)


def left_over(view: View, column: str) -> Rows:
    """Rows that were not what a screen was expected to show, and have no value yet."""
    of, rows = st.session_state.get(_LEFT, (None, np.empty(0, np.int64)))
    if of != (view.dataset, column):
        return np.empty(0, np.int64)
    skipped = put_off(view, column, "sure")
    missing = view.base.table.frame[column].iloc[rows].isna().to_numpy() & ~np.isin(rows, list(skipped))
    return np.asarray(rows[missing], np.int64)


def confirm(view: View, request: SpreadRequest, rows: Rows, value: str, confidence: float) -> None:
    """Asks whether all of a screen have one value."""
    name = readable(request.column)
    st.subheader(f"{plain(name)}: {plain(value)}")
    st.caption(f"Take the ticks from those that are not, then confirm. These are {confidence:.0%} probable on average.")
    ticked = _ticks(rows, f"sure_{value}", all_ticked=True)
    with st.container(horizontal=True):
        many = (
            f"Confirm {len(ticked)} as {value}" if len(ticked) < len(rows) else f"All {len(rows)} are {value}" if len(rows) > 1 else f"It is {value}"
        )
        st.button(
            plain(many), key="label_confirm", type="primary", shortcut="Y", icon=":material/check:", disabled=not len(ticked),
            on_click=_confirm_ticked, args=(view, request, rows, value),
        )  # fmt: skip
        none = "None is, show what they are" if len(ticked) else "Say what they are"
        st.button(none, key="label_none", shortcut="N", on_click=_ask_for, args=(view, request.column, rows))
        st.button("Later", key="label_later", shortcut="L", type="tertiary", on_click=_skip, args=(view, request.column, "sure", rows))
        _undo(view)
    _pictures(view, rows, ticked, "label_sure", None)


def ask(
    view: View, request: SpreadRequest, rows: Rows, title: str, *, key: str, put_off: str, captions: Sequence[str] | None = None, ticked: bool = True
) -> None:
    """Asks for the value of those of a screen that are ticked."""
    st.subheader(title)
    chosen = _ticks(rows, key, all_ticked=ticked)
    st.caption("Tick those of one value, and click it." if not len(chosen) else f"The {len(chosen)} with a tick get the value that you click.")
    with st.container(horizontal=True, vertical_alignment="center"):
        for place, value in enumerate(request.classes):
            shortcut = str(place + 1) if place < _KEYS else None
            st.button(
                plain(value),
                key=f"label_as_{value}",
                shortcut=shortcut,
                disabled=not len(chosen),
                on_click=_give,
                args=(view, request, rows, value),
            )
        new = f"label_new_{st.session_state.setdefault('label_news', 0)}"
        st.text_input("Another value", key=new, placeholder="Another value", label_visibility="collapsed", disabled=not len(chosen), width=160,
                      on_change=_give_new, args=(view, request, rows, new))  # fmt: skip
        later = {"mistakes": "They are right as they are"}.get(put_off, "Later")
        st.button(later, key="label_later", shortcut="L", type="tertiary", on_click=_skip,
                  args=(view, request.column, put_off, rows, True))  # fmt: skip
        _undo(view)
    _pictures(view, rows, chosen, f"label_{key}", captions)


def _pictures(view: View, rows: Rows, ticked: Rows, key: str, captions: Sequence[str] | None) -> None:
    gallery(
        [Section("", rows.tolist(), captions=captions)],
        thumbnails=view.thumbnails,
        key=key,
        tile=_TILE,
        selected=ticked,
        on_select=_take_ticks,
        ticks_by_click=True,
    )


def _ticks(rows: Rows, screen: str, all_ticked: bool) -> Rows:
    """Which of a screen's images are ticked; of a new screen all or none."""
    of = (screen, rows.tobytes())
    if st.session_state.get(_TICKED, (None,))[0] != of:
        st.session_state[_TICKED] = of, rows if all_ticked else rows[:0]
    ticked: Rows = st.session_state[_TICKED][1]
    return rows[np.isin(rows, ticked)]


def _ticked_now(rows: Rows) -> Rows:
    """For callbacks: which of the images are ticked; a click on a button may come with the last tick, before the page has been drawn with it."""
    take_ticks(*(f"label_{screen}" for screen in _SCREENS))
    ticked: Rows = st.session_state[_TICKED][1]
    return rows[np.isin(rows, ticked)]


def _take_ticks(ticked: Rows) -> None:
    of, _ = st.session_state[_TICKED]
    st.session_state[_TICKED] = of, ticked


def _confirm_ticked(view: View, request: SpreadRequest, rows: Rows, value: str) -> None:
    ticked = _ticked_now(rows)
    if not len(ticked) or _write(view, request, ticked, value):
        _ask_for(view, request.column, rows[~np.isin(rows, ticked)])


def _ask_for(view: View, column: str, rows: Rows) -> None:
    st.session_state[_LEFT] = (view.dataset, column), rows


def _give(view: View, request: SpreadRequest, rows: Rows, value: str) -> None:
    ticked = _ticked_now(rows)
    if len(ticked) and _write(view, request, ticked, value):
        put_off(view, request.column, "mistakes").update(ticked.tolist())  # said twice is meant


def _give_new(view: View, request: SpreadRequest, rows: Rows, key: str) -> None:
    value = str(st.session_state.get(key) or "").strip()
    if value:
        st.session_state["label_news"] += 1  # the field is empty again
        _give(view, request, rows, value)


def _skip(view: View, column: str, step: str, rows: Rows, only_ticked: bool = False) -> None:
    ticked = _ticked_now(rows) if only_ticked else rows
    put_off(view, column, step).update((ticked if len(ticked) else rows).tolist())


def _write(view: View, request: SpreadRequest, rows: Rows, value: str) -> bool:
    """Gives images the value; whether that went well."""
    paths = [str(path) for path in view.base.table.frame["path"].iloc[rows]]
    return try_edit(view, lambda store, who: store.set_value(paths, request.name, value, who)) is not None


def _undo(view: View) -> None:
    can, _ = hand_labels.can_undo(view.entry)
    st.button("Undo", key="label_back", icon=":material/undo:", type="tertiary", shortcut="U", disabled=not can, on_click=_take_back, args=(view,))


def _take_back(view: View) -> None:
    st.session_state.pop(_LEFT, None)
    try_edit(view, lambda store, who: store.undo(who))


def _all_put_off() -> dict[tuple[str, str, str], set[int]]:
    found: dict[tuple[str, str, str], set[int]] = st.session_state.setdefault(_STATE, {})
    return found
