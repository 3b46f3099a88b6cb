"""Edits of labels by controls of pages: made where the visitor may, and said in a toast."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from likeness.errors import InputError
from likeness.tagging import Edit, TagStore
from parts import cached
from parts.plain import plain
from parts.selection import Rows
from parts.sidebar import listed
from parts.view import View
from server import hand_labels
from server.access import redact
from state import Item

_GROWING = "Images are still being embedded; label them when all of them are there."

Label = tuple[str, str]  # name and value; the value of a tag is empty


class _Labels:
    """Labels that the session has met, by dataset; their order never changes, so that keys stay."""

    prefix = "labels_"
    known = Item[dict[str, list[Label]]](make=dict)


_labels = _Labels()


def try_edit(view: View, work: Callable[[TagStore, str], Edit]) -> Edit | None:
    """As `hand_labels.edit_labels` of the images of a view; None where it is refused, which a toast says."""
    try:
        return hand_labels.edit_labels(view.entry, view.base.table, work)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
        return None


def refusal(view: View) -> str:
    """Why the images of a view cannot be labeled, in a sentence; empty where they can."""
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table) or hand_labels.problem(view.entry)
    return reason or (_GROWING if cached.is_state(view.entry.id) else "")


def known(view: View) -> list[Label]:
    """Labels that people gave to images of the view, now or earlier in this session; a new one comes last."""
    counts = hand_labels.counts(view.entry)
    now = {(str(name), str(value)) for name, kind, value, _ in counts.itertuples(index=False) if kind != "note"}
    met = _labels.known.setdefault(view.dataset, [])
    met += [each for each in hand_labels.given_order(view.entry) if each in now and each not in met]
    return met


def title(label: Label) -> str:
    """A label as it is shown."""
    name, value = label
    return plain(f"{name}: {value}" if value else name)


def having(view: View, rows: Rows, label: Label) -> int:
    """How many of the images have a label."""
    return int(_has(view, rows, label).sum())


def toggle(view: View, rows: Rows, label: Label) -> None:
    """Gives a label to images; takes it from them where all have it."""
    if len(rows):
        (remove if having(view, rows, label) == len(rows) else give)(view, rows, label)


def give(view: View, rows: Rows, label: Label) -> None:
    """Gives a label to images."""
    name, value = label

    def work(store: TagStore, who: str) -> Edit:
        return store.set_value(paths(view, rows), name, value, who) if value else store.add_tag(paths(view, rows), name, who)

    edit_and_report(view, work, f"{title(label)} added to", "All of them have it already.")


def remove(view: View, rows: Rows, label: Label) -> None:
    """Takes a label from those of the images that have it; without a value, whatever value they have."""
    name, value = label

    def work(store: TagStore, who: str) -> Edit:
        kind = store.kind_of(name)
        take = store.clear_value if kind and kind[1] == "attribute" else store.remove_tag
        return take(paths(view, rows[_has(view, rows, label)] if value else rows), name, who)

    edit_and_report(view, work, f"{plain(name)} removed from", "None of them has it.")


def edit_and_report(view: View, work: Callable[[TagStore, str], Edit], done: str, nothing: str) -> None:
    """Makes an edit where the visitor may, and says what it did or why not."""
    edit = try_edit(view, work)
    if edit is None:
        return
    if not edit.id:
        st.toast(nothing, icon=":material/info:")
        return
    parts = [f"{done} {edit.images:,} image{'s' if edit.images != 1 else ''}"]
    if edit.skipped:
        parts.append(f"{edit.skipped:,} that others have changed since stay as they are")
    st.toast(f"{listed(parts)}.", icon=":material/label:")


def paths(view: View, rows: Rows) -> list[str]:
    """Of the images, as the store of labels knows them."""
    return [str(path) for path in view.base.table.frame["path"].iloc[rows]]


def _has(view: View, rows: Rows, label: Label) -> "np.ndarray":
    """(k,) bool, which of the images have a label."""
    name, value = label
    frame = view.base.table.frame
    column = hand_labels.column_of(frame, name)
    if column is None:
        return np.zeros(len(rows), bool)
    values = frame[column].iloc[rows]
    has = values.astype(str) == value if value else values.fillna(False).astype(bool)
    return np.asarray(has, bool)
