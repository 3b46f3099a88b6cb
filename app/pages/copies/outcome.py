"""What comes of it: lists of what stays and what is left out, a selection, and a tag. Files are never deleted."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import hand_labels
from likeness.duplicates import CopyGroups
from likeness.tagging import NewColumn
from pages.copies.search import Found
from shared import selection
from shared.label_edits import try_edit
from shared.view import View

_TAG = "copy"


def show(view: View, found: Found, groups: CopyGroups, whole: NDArray[np.int64]) -> None:
    """Draws what can be done with the images that may go: those in groups but the best, without groups that are left whole."""
    dropped = np.setdiff1d(groups.dropped, groups.rows[np.isin(groups.group, whole)])
    looked_at = view.visible(np.arange(len(view.base)))
    count = f"{len(looked_at):,} images{' that match the filters' if view.hidden is not None else ''}"
    st.markdown(
        f"**{len(dropped):,} of {count} may go**, {len(looked_at) - len(dropped):,} stay. No file is deleted here: download the lists, or tag them."
    )
    with st.container(horizontal=True):
        st.button(
            "Select those that may go",
            key="copies_select",
            icon=":material/select_all:",
            type="primary",
            on_click=selection.select,
            args=(dropped,),
            disabled=not len(dropped),
            help="They are the selection on every page, as on the map in Explore.",
        )
        _tag_button(view, dropped)
        kept = np.setdiff1d(looked_at, dropped)
        for label, rows, file in (("List of what stays", kept, "keep.txt"), ("List of what may go", dropped, "leave-out.txt")):
            st.download_button(
                label, partial(_list, view, rows), file, "text/plain", icon=":material/download:", on_click="ignore", key=f"copies_{file}"
            )
        st.download_button(
            "Groups as CSV",
            partial(_csv, view, found, groups, dropped),
            "copies.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="copies_csv",
        )


def _tag_button(view: View, dropped: NDArray[np.int64]) -> None:
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table)
    if not reason and view.entry.id != view.dataset:
        reason = "Images are still being embedded; tag them when all are there."
    st.button(
        f"Tag them “{_TAG}”",
        key="copies_tag",
        icon=":material/label:",
        on_click=_tag,
        args=(view, dropped),
        disabled=bool(reason) or not len(dropped),
        help=reason or "The tag is an attribute of the images from then on: a filter, a color. Tags of an earlier search are taken off.",
    )


def _tag(view: View, dropped: NDArray[np.int64]) -> None:
    looked_at = view.visible(np.arange(len(view.base)))
    names = [str(path) for path in view.base.table.frame["path"].iloc[looked_at]]
    tagged = np.isin(looked_at, dropped)
    column = NewColumn(_TAG, "tag", ["yes" if each else "" for each in tagged])  # those of an earlier search lose it
    if try_edit(view, lambda store, who: store.set_columns(names, [column], who, "copies")) is None:
        return
    st.toast(f"{len(dropped):,} images have the tag “{_TAG}”.", icon=":material/label:")


def _list(view: View, rows: NDArray[np.int64]) -> bytes:
    """A path a line, as `likeness ... --only` reads it."""
    paths = view.base.table.frame["path"].to_numpy()
    return "".join(f"{paths[row]}\n" for row in rows).encode("utf-8", "surrogateescape")


def _csv(view: View, found: Found, groups: CopyGroups, dropped: NDArray[np.int64]) -> bytes:
    frame = groups.frame(view.base.table)
    frame[["width", "height", "bytes"]] = found.sizes_of(groups.rows)
    frame.insert(2, "stays", ~np.isin(groups.rows, dropped))
    return frame.to_csv(index=False).encode("utf-8", "surrogateescape")
