"""The bar that labels the selected images, by a click or a key, with a way back."""

import hashlib
import json

import streamlit as st

from likeness.tagging import NOTE
from parts import label_edits
from parts.gallery import take_ticks
from parts.label_edits import Label
from parts.plain import plain
from parts.selection import Rows
from parts.view import View
from server import hand_labels
from state import Item

_KEYS = 9  # labels that have a key of their own, 1 to 9
_SECONDS = 5.0  # between two checks for labels of others


class _Form:
    """What is typed in the form."""

    prefix = "label_"
    name = Item[str | None]()
    value = Item[str | None]()


_typed = _Form()


def label_bar(view: View, *galleries: str) -> None:
    """Draws the bar, also where nothing is selected, so that pictures stay where they are.

    Args:
        view: what the page shows.
        galleries: keys of those whose ticks select.
    """
    chosen = view.chosen
    _follow_others(view)
    if problem := hand_labels.problem(view.entry):
        st.warning(f"Labels are left out. {plain(problem)}", icon=":material/warning:")
        return
    reason = label_edits.refusal(view)
    known = [] if reason else label_edits.known(view)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="labeling"):
        title = f"Label {len(chosen):,} image{'s' if len(chosen) > 1 else ''}" if len(chosen) else "Label"
        nothing = "Select images first: draw around points on a map, or tick pictures."
        help = reason or ("" if len(chosen) else nothing) or "Add a tag, a value of an attribute, or a note."
        with st.popover(title, icon=":material/label:", disabled=bool(reason) or not len(chosen), help=help, key="label_popover"):
            _form(view, chosen, known)
        for place, label in enumerate(known[:_KEYS]):
            _button(view, chosen, label, place, galleries)
        _undo_and_redo(view, reason)


def _follow_others(view: View) -> None:
    """Draws the page again after somebody else has labeled these images, where people share a server."""
    version = hand_labels.version(view.entry)

    @st.fragment(run_every=_SECONDS)
    def check() -> None:
        if hand_labels.newest_version(view.entry) != version:
            st.rerun()

    if hand_labels.are_shared():
        check()


def _button(view: View, chosen: Rows, label: Label, place: int, galleries: tuple[str, ...]) -> None:
    have = label_edits.having(view, chosen, label)
    everywhere = bool(len(chosen)) and have == len(chosen)

    def toggle() -> None:
        take_ticks(*galleries)  # a click may come with the last tick, before the page has been drawn with it
        label_edits.toggle(view, view.chosen, label)

    st.button(
        label_edits.title(label),
        key=f"label:{json.dumps(list(label))}",  # so that no two of them run together
        type="primary" if everywhere else "secondary",
        shortcut=str(place + 1),
        disabled=not len(chosen),
        help=f"{have:,} of {len(chosen):,} selected images have it. Click to {'remove it from' if everywhere else 'add it to'} all of them."
        if len(chosen)
        else None,
        on_click=toggle,
    )


def _form(view: View, chosen: Rows, known: list[Label]) -> None:
    names = list(dict.fromkeys(name for name, _ in known))
    name = st.selectbox(
        "Name",
        _with_typed(names, _typed.name),
        index=None,
        key=_Form.name.key,
        accept_new_options=True,
        placeholder="Choose or type one, like good or breed",
        on_change=_forget_value,
    )
    values = [value for each, value in known if each == name and value]
    is_tag = name in names and not values
    st.selectbox(
        "Value",
        _with_typed(values, _typed.value),
        index=None,
        key=_Form.value.key,
        accept_new_options=True,
        disabled=not name or is_tag,
        placeholder="Tags have no value" if is_tag else "Optional, like beagle",
    )
    label = (str(_typed.name or ""), str(_typed.value or ""))
    with st.container(horizontal=True):
        add, remove = label_edits.give, label_edits.remove
        st.button("Add", key="label_give", type="primary", icon=":material/check:", disabled=not name, on_click=add, args=(view, chosen, label))
        st.button("Remove", key="label_take", icon=":material/close:", disabled=name not in names, on_click=remove, args=(view, chosen, label))
    field = _note_key(view, chosen)
    st.text_area("Note", _note(view, chosen), key=field, height=80)
    st.button("Save note", key="label_write", icon=":material/edit_note:", on_click=_write_note, args=(view, chosen, field))


def _forget_value() -> None:
    """That of another name."""
    _typed.value = None


def _with_typed(offered: list[str], typed: str | None) -> list[str]:
    """What is offered, and what was typed before."""
    return offered if typed is None or typed in offered else [*offered, typed]


def _note(view: View, chosen: Rows) -> str:
    """The note of a single image."""
    if len(chosen) != 1 or NOTE not in view.base.table.frame:
        return ""
    note = view.base.table.frame[NOTE].iloc[int(chosen[0])]
    return note if isinstance(note, str) else ""


def _write_note(view: View, chosen: Rows, field: str) -> None:
    text = str(st.session_state.get(field) or "")
    done = "Note saved for" if text.strip() else "Note removed from"
    label_edits.edit_and_report(
        view, lambda store, who: store.set_note(label_edits.paths(view, chosen), text, who), done, "Their notes say so already."
    )


def _note_key(view: View, chosen: Rows) -> str:
    """Another field for other images, and where somebody has written another note meanwhile."""
    of = f"{view.dataset} {_note(view, chosen)}".encode("utf-8", "surrogateescape")
    return f"label_note_{hashlib.sha256(chosen.tobytes() + of).hexdigest()[:16]}"


def _undo_and_redo(view: View, reason: str) -> None:
    can = (False, False) if reason else hand_labels.can_undo(view.entry)
    steps = (("undo", "U", "Undone for"), ("redo", "Shift+U", "Redone for"))
    for enabled, (step, key, done) in zip(can, steps, strict=True):
        st.button(
            "",
            key=f"label_{step}",
            icon=f":material/{step}:",
            type="tertiary",
            shortcut=key,
            disabled=not enabled,
            help=None if reason else f"{step.capitalize()} your last label ({key})",
            on_click=label_edits.edit_and_report,
            args=(view, lambda store, who, step=step: getattr(store, step)(who), done, ""),
        )
