"""Labels that people give on pages: the edits with their toasts, and the bar that labels the selected images by click or key, with undo."""

import hashlib
import json
from collections.abc import Callable

import numpy as np
import streamlit as st

from likeness.tagging import NOTE, Edit, TagStore
from parts import cached, progress
from parts.errors import toast_errors
from parts.gallery import take_ticks
from parts.plain import plain
from parts.selection import Rows
from parts.sidebar import listed
from parts.view import View
from server import hand_labels
from server.settings import server
from state import Item

_GROWING = "Images are still being embedded. Label them when all are ready."
_KEYS = 9  # labels that have a key of their own, 1 to 9
_SECONDS = 5.0  # between two checks for labels of others

Label = tuple[str, str]  # name and value; the value of a tag is empty
# labels that the session has met, by dataset; their order never changes, so that keys stay
_known = Item[dict[str, list[Label]]](make=dict, key="label_known")
_name = Item[str | None](key="label_name")  # typed in the form
_value = Item[str | None](key="label_value")


def try_edit(view: View, work: Callable[[TagStore, str], Edit]) -> Edit | None:
    """`hand_labels.edit_labels` for the images of a view; None with a toast if it is refused."""
    with toast_errors():
        return hand_labels.edit_labels(view.entry, view.base.table, work)
    return None


def refusal(view: View) -> str:
    """Why the images of a view cannot be labeled; "" if they can."""
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table) or hand_labels.problem(view.entry)
    return reason or (_GROWING if cached.is_state(view.entry.id) else "")


def known(view: View) -> list[Label]:
    """Labels given to images of the view, now or earlier in this session; a new one comes last."""
    counts = hand_labels.counts(view.entry)
    now = {(str(name), str(value)) for name, kind, value, _ in counts.itertuples(index=False) if kind != "note"}
    met = _known.get().setdefault(view.dataset, [])
    met += [each for each in hand_labels.given_order(view.entry) if each in now and each not in met]
    return met


def title(label: Label) -> str:
    name, value = label
    return plain(f"{name}: {value}" if value else name)


def toggle(view: View, rows: Rows, label: Label) -> None:
    """Gives a label to images, or removes it if all have it."""
    if len(rows):
        (remove if _has(view, rows, label).all() else give)(view, rows, label)


def give(view: View, rows: Rows, label: Label) -> None:
    """Gives a label to images."""
    name, value = label

    def work(store: TagStore, who: str) -> Edit:
        return store.set_value(paths(view, rows), name, value, who) if value else store.add_tag(paths(view, rows), name, who)

    edit_and_report(view, work, f"{title(label)} added to", "All of them have it already.")


def remove(view: View, rows: Rows, label: Label) -> None:
    """Removes a label from the images that have it; without a value, whatever value they have."""
    name, value = label

    def work(store: TagStore, who: str) -> Edit:
        kind = store.kind_of(name)
        take = store.clear_value if kind and kind[1] == "attribute" else store.remove_tag
        return take(paths(view, rows[_has(view, rows, label)] if value else rows), name, who)

    edit_and_report(view, work, f"{plain(name)} removed from", "None of them has it.")


def edit_and_report(view: View, work: Callable[[TagStore, str], Edit], done: str, nothing: str) -> None:
    """Makes an edit and reports its result in a toast."""
    edit = try_edit(view, work)
    if edit is None:
        return
    if not edit.id:
        st.toast(nothing, icon=":material/info:")
        return
    parts = [f"{done} {edit.images:,} image{'s' if edit.images != 1 else ''}"]
    if edit.skipped:
        parts.append(f"{edit.skipped:,} skipped, since others have changed them")
    st.toast(f"{listed(parts)}.", icon=":material/label:")


def paths(view: View, rows: Rows) -> list[str]:
    """The images' keys in the label store."""
    return [str(path) for path in view.base.table.frame["path"].iloc[rows]]


def _has(view: View, rows: Rows, label: Label) -> "np.ndarray":
    """Whether each image has a label, (k,) bool."""
    name, value = label
    frame = view.base.table.frame
    column = hand_labels.column_of(frame, name)
    if column is None:
        return np.zeros(len(rows), bool)
    values = frame[column].iloc[rows]
    has = values.astype(str) == value if value else values.notna() & values.astype(object).ne(False)
    return np.asarray(has, bool)


def label_bar(view: View, *galleries: str) -> None:
    """Draws the bar, even with no selection, so that pictures do not move.

    Args:
        view: what the page shows.
        galleries: keys of the galleries whose ticks select.
    """
    chosen = view.chosen
    _follow_others(view)
    if problem := hand_labels.problem(view.entry):
        st.warning(f"Labels are not shown. {plain(problem)}", icon=":material/warning:")
        return
    reason = refusal(view)
    offered = [] if reason else known(view)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="labeling"):
        title = f"Label {len(chosen):,} image{'s' if len(chosen) > 1 else ''}" if len(chosen) else "Label"
        nothing = "Select images first: draw around points on a map or tick pictures."
        help = reason or ("" if len(chosen) else nothing) or "Add a tag, an attribute value or a note."
        with st.popover(title, icon=":material/label:", disabled=bool(reason) or not len(chosen), help=help, key="label_popover"):
            _form(view, chosen, offered)
        for place, label in enumerate(offered[:_KEYS]):
            _button(view, chosen, label, place, galleries)
        _undo_and_redo(view, reason)


def _follow_others(view: View) -> None:
    """Redraws the page after someone else has labeled these images on a shared server."""
    version = hand_labels.version(view.entry)
    progress.poll(server().has_accounts, lambda: hand_labels.newest_version(view.entry) != version, every=_SECONDS)


def _button(view: View, chosen: Rows, label: Label, place: int, galleries: tuple[str, ...]) -> None:
    have = int(_has(view, chosen, label).sum())
    everywhere = bool(len(chosen)) and have == len(chosen)

    def act() -> None:
        take_ticks(*galleries)  # a click may come with the last tick, before the page has been drawn with it
        toggle(view, view.chosen, label)

    st.button(
        title(label),
        key=f"label:{json.dumps(list(label))}",  # JSON, so that no two labels share a key
        type="primary" if everywhere else "secondary",
        shortcut=str(place + 1),
        disabled=not len(chosen),
        help=f"{have:,} of {len(chosen):,} selected images have it. Click to {'remove it from' if everywhere else 'add it to'} all of them."
        if len(chosen)
        else None,
        on_click=act,
    )


def _form(view: View, chosen: Rows, offered: list[Label]) -> None:
    names = list(dict.fromkeys(name for name, _ in offered))
    name = st.selectbox(
        "Name",
        _with_typed(names, _name.get()),
        index=None,
        key=_name.key,
        accept_new_options=True,
        placeholder="Choose or type one, like good or breed",
        on_change=_forget_value,
    )
    values = [value for each, value in offered if each == name and value]
    is_tag = name in names and not values
    st.selectbox(
        "Value",
        _with_typed(values, _value.get()),
        index=None,
        key=_value.key,
        accept_new_options=True,
        disabled=not name or is_tag,
        placeholder="Tags have no value" if is_tag else "Optional, like beagle",
    )
    label = (_name.get() or "", _value.get() or "")
    with st.container(horizontal=True):
        st.button("Add", key="label_give", type="primary", icon=":material/check:", disabled=not name, on_click=give, args=(view, chosen, label))
        st.button("Remove", key="label_take", icon=":material/close:", disabled=name not in names, on_click=remove, args=(view, chosen, label))
    field = _note_key(view, chosen)
    st.text_area("Note", _note(view, chosen), key=field, height=80)
    st.button("Save note", key="label_write", icon=":material/edit_note:", on_click=_write_note, args=(view, chosen, field))


def _forget_value() -> None:
    """Clears the value when another name is chosen."""
    _value.set(None)


def _with_typed(offered: list[str], typed: str | None) -> list[str]:
    """The known labels, then those typed before."""
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
    edit_and_report(view, lambda store, who: store.set_note(paths(view, chosen), text, who), done, "They already have this note.")


def _note_key(view: View, chosen: Rows) -> str:
    """Key of the note field: a new field for other images, or after someone has written another note."""
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
            on_click=edit_and_report,
            args=(view, lambda store, who, step=step: getattr(store, step)(who), done, ""),
        )
