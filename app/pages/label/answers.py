"""Screens of pictures with ticks, and the labels that a person gives them."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.label.spread import SpreadRequest
from parts.gallery import Section, gallery, take_ticks
from parts.label_edits import try_edit
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server import hand_labels
from state import Item

Rows = NDArray[np.int64]
_TILE = 112  # pixels
_KEYS = 9  # values that have a key, 1 to 9
_SCREENS = ("start", "sure", "left", "uncertain", "mistakes")  # each a gallery of its own
_NO_ROWS = np.empty(0, np.int64)


class _Answers:
    """put_off: rows by dataset, column and step. left: rows that are asked about next, and the dataset and column. ticked: the rows with a tick, and
    the screen that they are of. typed: how many values were typed, so that the field is empty again."""

    prefix = "label_"
    put_off = Item[dict[tuple[str, str, str], set[int]]](make=dict)
    left = Item[tuple[tuple[str, str], Rows]]((("", ""), _NO_ROWS))
    ticked = Item[tuple[tuple[str, bytes] | None, Rows]]((None, _NO_ROWS))
    typed = Item(0)


_answers = _Answers()


def put_off(view: View, column: str, step: str) -> set[int]:
    """Rows that the person has put off in this session."""
    return _answers.put_off.setdefault((view.dataset, column, step), set())


def bring_back(view: View, column: str) -> None:
    """Shows again what was put off."""
    _answers.put_off.pop((view.dataset, column, "sure"), None)


def left_over(view: View, column: str) -> Rows:
    """Rows that were not what a screen was expected to show, and have no value yet."""
    of, rows = _answers.left
    if of != (view.dataset, column):
        return _NO_ROWS
    skipped = put_off(view, column, "sure")
    missing = view.base.table.frame[column].iloc[rows].isna().to_numpy() & ~np.isin(rows, list(skipped))
    return np.asarray(rows[missing], np.int64)


def confirm(view: View, request: SpreadRequest, rows: Rows, value: str, confidence: float) -> None:
    """Asks whether all of a screen have one value."""
    name = readable(request.column)
    st.subheader(f"{plain(name)}: {plain(value)}?")
    st.caption(f"Untick the wrong ones, then confirm. Average confidence: {confidence:.0%}.")
    ticked = _ticks(rows, f"sure_{value}", all_ticked=True)
    with st.container(horizontal=True):
        st.button(
            plain(f"Confirm {len(ticked)} as {value}"),
            key="label_confirm",
            type="primary",
            shortcut="Y",
            icon=":material/check:",
            disabled=not len(ticked),
            on_click=_confirm_ticked,
            args=(view, request, rows, value),
        )
        st.button("None of them", key="label_none", shortcut="N", on_click=_ask_for, args=(view, request.column, rows))
        st.button("Skip", key="label_later", shortcut="L", type="tertiary", on_click=_skip, args=(view, request.column, "sure", rows))
        _undo(view)
    _pictures(view, rows, ticked, "label_sure", None)


def ask(
    view: View, request: SpreadRequest, rows: Rows, title: str, *, key: str, put_off: str, captions: Sequence[str] | None = None, ticked: bool = True
) -> None:
    """Asks for the value of those of a screen that are ticked."""
    st.subheader(title)
    chosen = _ticks(rows, key, all_ticked=ticked)
    st.caption(f"Click a value, or press its number, to label the {len(chosen)} ticked." if len(chosen) else "Tick images with the same value.")
    values = values_in_order(view, request)
    with st.container(horizontal=True, vertical_alignment="center"):
        for place, value in enumerate(values[:_KEYS]):
            st.button(
                plain(value),
                key=f"label_as_{value}",
                shortcut=str(place + 1),
                disabled=not len(chosen),
                on_click=_give,
                args=(view, request, rows, value),
            )
        field = f"label_new_{_answers.typed}"
        st.selectbox(
            "Another value",
            values[_KEYS:],
            index=None,
            key=field,
            placeholder="Another value",
            accept_new_options=True,
            label_visibility="collapsed",
            disabled=not len(chosen),
            width=180,
            on_change=_give_new,
            args=(view, request, rows, field),
        )
        skip = "These are right" if put_off == "mistakes" else "Skip"
        st.button(skip, key="label_later", shortcut="L", type="tertiary", on_click=_skip, args=(view, request.column, put_off, rows, True))
        _undo(view)
    _pictures(view, rows, chosen, f"label_{key}", captions)


def values_in_order(view: View, request: SpreadRequest) -> list[str]:
    """The values as they were first given, so that a new one comes last and no key changes its meaning."""
    given = [value for name, value in hand_labels.given_order(view.entry) if name == request.name]
    return sorted(request.classes, key=lambda value: (given.index(value) if value in given else len(given), value))


def start(view: View, name: str, rows: Rows) -> None:
    """Asks for a first value of some images, of an attribute that has a name already or is given one."""
    chosen = _ticks(rows, "start", all_ticked=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Attribute", name, key=f"label_start_name_{name}", placeholder="breed", width=180).strip()
        value = st.text_input("Value", key=f"label_start_value_{_answers.typed}", placeholder="beagle", width=180).strip()
        ready = bool(name and value and len(chosen))
        label = f"Label {len(chosen)} image{'' if len(chosen) == 1 else 's'}" if len(chosen) else "Label the ticked images"
        st.button(label, key="label_first", type="primary", disabled=not ready, on_click=_give_first, args=(view, name, rows, value))
        _undo(view)
    _pictures(view, rows, chosen, "label_start", None)


def _give_first(view: View, name: str, rows: Rows, value: str) -> None:
    if _write(view, name, _ticked_now(rows), value):
        _answers.typed += 1  # the field is empty again


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
    if _answers.ticked[0] != of:
        _answers.ticked = of, rows if all_ticked else rows[:0]
    return rows[np.isin(rows, _answers.ticked[1])]


def _ticked_now(rows: Rows) -> Rows:
    """For callbacks: which of the images are ticked; a click on a button may come with the last tick, before the page has been drawn with it."""
    take_ticks(*(f"label_{screen}" for screen in _SCREENS))
    return rows[np.isin(rows, _answers.ticked[1])]


def _take_ticks(ticked: Rows) -> None:
    _answers.ticked = _answers.ticked[0], ticked


def _confirm_ticked(view: View, request: SpreadRequest, rows: Rows, value: str) -> None:
    ticked = _ticked_now(rows)
    if not len(ticked) or _write(view, request.name, ticked, value):
        _ask_for(view, request.column, rows[~np.isin(rows, ticked)])


def _ask_for(view: View, column: str, rows: Rows) -> None:
    _answers.left = (view.dataset, column), rows


def _give(view: View, request: SpreadRequest, rows: Rows, value: str) -> None:
    ticked = _ticked_now(rows)
    if len(ticked) and _write(view, request.name, ticked, value):
        put_off(view, request.column, "mistakes").update(ticked.tolist())  # given twice is meant


def _give_new(view: View, request: SpreadRequest, rows: Rows, key: str) -> None:
    value = str(st.session_state.get(key) or "").strip()
    if value:
        _answers.typed += 1
        _give(view, request, rows, value)


def _skip(view: View, column: str, step: str, rows: Rows, only_ticked: bool = False) -> None:
    ticked = _ticked_now(rows) if only_ticked else rows
    put_off(view, column, step).update((ticked if len(ticked) else rows).tolist())


def _write(view: View, name: str, rows: Rows, value: str) -> bool:
    """Gives images the value; whether that went well."""
    paths = [str(path) for path in view.base.table.frame["path"].iloc[rows]]
    return try_edit(view, lambda store, who: store.set_value(paths, name, value, who)) is not None


def _undo(view: View) -> None:
    can, _ = hand_labels.can_undo(view.entry)
    st.button("Undo", key="label_back", icon=":material/undo:", type="tertiary", shortcut="U", disabled=not can, on_click=_take_back, args=(view,))


def _take_back(view: View) -> None:
    del _answers.left
    try_edit(view, lambda store, who: store.undo(who))
