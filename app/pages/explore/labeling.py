"""Above the pictures: labels for the selected images, by a click or a key, with a way back."""

import hashlib
import json
from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

import hand_labels
from components.gallery import take_ticks
from likeness.tagging import NOTE, Edit, TagStore
from shared import cached
from shared.label_edits import try_edit
from shared.plain import plain
from shared.sidebar import listed
from shared.view import View

_GALLERIES = ("nearest", "selected", "all")  # of the page, whose ticks select
_KEYS = 9  # labels that have a key of their own, 1 to 9
_SECONDS = 5.0  # between two looks for what others have said
_GROWING = "Images are still being embedded; label them when all are there."
_NAME, _VALUE, _TEXT = "label_name", "label_value", "label_note"


def bar(view: View) -> None:
    """Draws it, also where nothing is selected, so that pictures stay where they are."""
    chosen = view.chosen
    _follow_others(view)
    if problem := hand_labels.problem(view.entry):
        st.warning(f"Labels are left out. {plain(problem)}", icon=":material/warning:")
        return
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table) or (_GROWING if cached.is_state(view.entry.id) else "")
    known = [] if reason else _known(view)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="labeling"):
        what = f"Label {len(chosen):,} image{'s' if len(chosen) > 1 else ''}" if len(chosen) else "Label"
        nothing = "Select images first: draw around points on a map, or tick pictures."
        help = reason or ("" if len(chosen) else nothing) or "A tag, a value of an attribute, or a note."
        with st.popover(what, icon=":material/label:", disabled=bool(reason) or not len(chosen), help=help, key="label_popover"):
            _form(view, chosen, known)
        for place, (name, value) in enumerate(known[:_KEYS]):
            _button(view, chosen, name, value, place)
        _undo_and_redo(view, reason)


def _follow_others(view: View) -> None:
    """Draws the page anew when somebody else has labeled these images; where people share a server, looked at every few seconds."""
    seen = hand_labels.version(view.entry)

    @st.fragment(run_every=_SECONDS)
    def look() -> None:
        if hand_labels.newest_version(view.entry) != seen:
            st.rerun()

    if hand_labels.are_shared():
        look()


def _known(view: View) -> list[tuple[str, str]]:
    """Names and values that images have, or had in this session, in the order in which they were first given, so that keys stay; of tags the value
    is empty."""
    counts = hand_labels.counts(view.entry)
    now = {(str(name), str(value)) for name, kind, value, _ in counts.itertuples(index=False) if kind != "note"}
    seen: dict[str, set[tuple[str, str]]] = st.session_state.setdefault("labels_seen", {})
    seen[view.dataset] = seen.get(view.dataset, set()) | now
    return [each for each in hand_labels.given_order(view.entry) if each in seen[view.dataset]]


def _button(view: View, chosen: np.ndarray, name: str, value: str, place: int) -> None:
    """Gives a label to all that are selected; takes it from them where all have it."""
    have = _having(view, chosen, name, value)
    everywhere = bool(len(chosen)) and have == len(chosen)
    text = plain(f"{name}: {value}" if value else name)
    st.button(
        text,
        key=f"label:{json.dumps([name, value])}",  # so that no two of them run together
        type="primary" if everywhere else "secondary",
        shortcut=str(place + 1),
        disabled=not len(chosen),
        help=f"{have:,} of {len(chosen):,} selected images have it; a click {'takes it from' if everywhere else 'gives it to'} all of them."
        if len(chosen)
        else None,
        on_click=_turn,
        args=(view, name, value),
    )


def _turn(view: View, name: str, value: str) -> None:
    """With the images that are selected now: a click may come with the last tick, before the page has been drawn with it."""
    take_ticks(*_GALLERIES)
    chosen = view.chosen
    if len(chosen):
        (_remove if _having(view, chosen, name, value) == len(chosen) else _give)(view, chosen, name, value)


def _having(view: View, chosen: np.ndarray, name: str, value: str) -> int:
    frame = view.base.table.frame
    column = hand_labels.column_of(frame, name)
    if column is None or not len(chosen):
        return 0
    values = frame[column].iloc[chosen]
    return int((values.astype(str) == value).sum()) if value else int(values.fillna(False).astype(bool).sum())


def _form(view: View, chosen: np.ndarray, known: list[tuple[str, str]]) -> None:
    names = list(dict.fromkeys(name for name, _ in known))
    name = st.selectbox(
        "Name",
        _with_typed(names, _NAME),
        index=None,
        key=_NAME,
        accept_new_options=True,
        placeholder="Choose or type, as: good, or: breed",
        on_change=_forget_value,
    )
    values = [value for each, value in known if each == name and value]
    is_tag = name in names and not values
    st.selectbox(
        "Value",
        _with_typed(values, _VALUE),
        index=None,
        key=_VALUE,
        accept_new_options=True,
        disabled=not name or is_tag,
        placeholder="A tag has none" if is_tag else "None: a tag. Or type one, as: beagle",
    )
    with st.container(horizontal=True):
        give = partial(_give_typed, view, chosen)
        st.button("Give", key="label_give", type="primary", icon=":material/check:", disabled=not name, on_click=give)
        st.button("Take away", key="label_take", icon=":material/close:", disabled=name not in names, on_click=_take_typed, args=(view, chosen))
    field = _note_key(view, chosen)
    st.text_area("Note", _note(view, chosen), key=field, height=80)
    st.button("Write the note", key="label_write", icon=":material/edit_note:", on_click=_write_note, args=(view, chosen, field))


def _forget_value() -> None:
    """That of another name."""
    st.session_state[_VALUE] = None


def _with_typed(offered: list[str], key: str) -> list[str]:
    """What is offered, and what was typed before."""
    typed = st.session_state.get(key)
    return offered if typed is None or typed in offered else [*offered, typed]


def _note(view: View, chosen: np.ndarray) -> str:
    """The note of a single image."""
    if len(chosen) != 1 or NOTE not in view.base.table.frame:
        return ""
    note = view.base.table.frame[NOTE].iloc[int(chosen[0])]
    return note if isinstance(note, str) else ""


def _give_typed(view: View, chosen: np.ndarray) -> None:
    _give(view, chosen, str(st.session_state.get(_NAME) or ""), str(st.session_state.get(_VALUE) or ""))


def _take_typed(view: View, chosen: np.ndarray) -> None:
    _remove(view, chosen, str(st.session_state.get(_NAME) or ""), str(st.session_state.get(_VALUE) or ""))


def _give(view: View, chosen: np.ndarray, name: str, value: str) -> None:
    def work(store: TagStore, who: str) -> Edit:
        paths = _paths(view, chosen)
        return store.set_value(paths, name, value, who) if value else store.add_tag(paths, name, who)

    _do(view, work, f"{plain(f'{name}: {value}' if value else name)} given to", "All of them have it already.")


def _remove(view: View, chosen: np.ndarray, name: str, value: str) -> None:
    def work(store: TagStore, who: str) -> Edit:
        known = store.kind_of(name)
        take = store.clear_value if known and known[1] == "attribute" else store.remove_tag
        return take(_paths(view, chosen, name, value), name, who)

    _do(view, work, f"{plain(name)} taken from", "None of them has it.")


def _write_note(view: View, chosen: np.ndarray, field: str) -> None:
    text = str(st.session_state.get(field) or "")
    said = "Note written for" if text.strip() else "Note taken from"
    _do(view, lambda store, who: store.set_note(_paths(view, chosen), text, who), said, "Their notes say so already.")


def _note_key(view: View, chosen: np.ndarray) -> str:
    """Another field for other images, and where somebody has written another note meanwhile."""
    of = f"{view.dataset} {_note(view, chosen)}".encode("utf-8", "surrogateescape")
    return f"{_TEXT}_{hashlib.sha256(chosen.tobytes() + of).hexdigest()[:16]}"


def _undo_and_redo(view: View, reason: str) -> None:
    can = (False, False) if reason else hand_labels.can_undo(view.entry)
    steps = (("undo", "U", _undo), ("redo", "Shift+U", _redo))
    for may, (what, key, step) in zip(can, steps, strict=True):
        help = None if reason else f"{what.capitalize()} your last label ({key})"
        st.button(
            "",
            key=f"label_{what}",
            icon=f":material/{what}:",
            type="tertiary",
            shortcut=key,
            disabled=not may,
            help=help,
            on_click=step,
            args=(view,),
        )


def _undo(view: View) -> None:
    _do(view, lambda store, who: store.undo(who), "Undone for", "")


def _redo(view: View) -> None:
    _do(view, lambda store, who: store.redo(who), "Done again for", "")


def _do(view: View, work: Callable[[TagStore, str], Edit], said: str, nothing: str) -> None:
    """Makes an edit where the visitor may, and says what it did or why not."""
    edit = try_edit(view, work)
    if edit is None:
        return
    if not edit.id:
        st.toast(nothing, icon=":material/info:")
        return
    parts = [f"{said} {edit.images:,} image{'s' if edit.images != 1 else ''}"]
    if edit.skipped:
        parts.append(f"{edit.skipped:,} that others have changed since stay as they are")
    st.toast(f"{listed(parts)}.", icon=":material/label:")


def _paths(view: View, chosen: np.ndarray, name: str = "", value: str = "") -> list[str]:
    """Of the selected images; with a value, of those that have it."""
    frame = view.base.table.frame
    rows = chosen
    column = hand_labels.column_of(frame, name)
    if value and column is not None:
        rows = chosen[(frame[column].iloc[chosen].astype(str) == value).to_numpy()]
    return [str(path) for path in frame["path"].iloc[rows]]
