"""Search results: groups with checkboxes for images to remove, lists and tags of them, pairs, and leaks across splits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.duplicates import CopyGroups, NearPairs, leaks_by, rarer_side, why_best
from likeness.io import csv_bytes, spoken_name
from likeness.tagging import NewColumn
from pages.duplicates.search import Copies
from parts import filters, label_edits, selection
from parts.gallery import Section, gallery, take_ticks
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from state import Item, Rows

_TAG = "copy"
_GROUPS, _TILE = 10, 120  # at a time, and pixels
_GALLERY = "copies_groups"
_PAIRS, _COLUMNS, _PAIR_TILE = 4, 4, 92  # pairs on each side of the threshold, and how pairs are drawn
_SPLITS = ("split", "set", "subset", "fold", "part", "partition", "phase", "usage")
_MOST_VALUES = 1_000
_LEAKS = 12  # at a time
_NONE = "None"
# ticks by path, separate for each dataset and space: whether to remove the image
_ticks = Item[dict[tuple[str, str], dict[str, bool]]](make=dict, key="copies_chosen")


@dataclass(frozen=True)
class Shown:
    """The groups of a search, with their checkboxes.

    Attributes:
        view, found, groups: the view, and the results on its images.
        key: key of the search, which has its own checkboxes.
        is_reliable: whether all but the best image of each group are ticked by default.
    """

    view: View
    found: Copies
    groups: CopyGroups
    key: str
    is_reliable: bool

    @property
    def paths(self) -> "NDArray[np.object_]":
        return np.asarray(self.view.base.table.frame["path"].to_numpy()[self.groups.rows], object)

    def ticked(self) -> Rows:
        """Rows of the images to remove, ascending: as ticked, or else as suggested."""
        ticks = _ticks.get().get((self.view.dataset, self.key), {})
        suggested = np.isin(self.groups.rows, self.groups.dropped) & self.is_reliable
        goes = [ticks.get(str(path), bool(default)) for path, default in zip(self.paths, suggested, strict=True)]
        return np.sort(self.groups.rows[np.array(goes, bool)])

    def tick(self, rows: Rows) -> None:
        """Stores the checkboxes of all groups."""
        ticks = _ticks.get().setdefault((self.view.dataset, self.key), {})
        ticks.update({str(path): bool(goes) for path, goes in zip(self.paths, np.isin(self.groups.rows, rows), strict=True)})

    def select(self) -> None:
        """Makes the ticked images the selection; a last tick may arrive with the click."""
        take_ticks(_GALLERY)
        selection.select(self.ticked())

    def tag(self) -> None:
        """Tags the ticked images, and removes the tag of an earlier search from others."""
        take_ticks(_GALLERY)
        ticked, visible = self.ticked(), self.view.rows
        column = NewColumn(_TAG, "tag", ["yes" if each else "" for each in np.isin(visible, ticked)])
        names = label_edits.paths(self.view, visible)
        if label_edits.try_edit(self.view, lambda store, who: store.set_columns(names, [column], who, "copies")) is not None:
            st.toast(f"{len(ticked):,} images have the tag “{_TAG}”.", icon=":material/label:")

    def list_of(self, rows: Rows) -> bytes:
        """One path per line, as `likeness ... --only` reads it."""
        return "".join(f"{path}\n" for path in label_edits.paths(self.view, rows)).encode("utf-8", "surrogateescape")

    def csv(self) -> bytes:
        """The groups as a table."""
        frame = self.groups.frame(self.view.base.table)
        frame[["width", "height", "bytes"]] = self.found.sizes_of(self.groups.rows)
        frame.insert(2, "stays", ~np.isin(self.groups.rows, self.ticked()))
        return csv_bytes(frame)


def show_groups(shown: Shown) -> None:
    """Draws the actions on ticked images, and the groups, the largest first."""
    groups, ticked, visible = shown.groups, shown.ticked(), shown.view.rows
    of = f"{len(visible):,} images{' that match the filters' if shown.view.hidden is not None else ''}"
    count = f"{len(groups):,} group{'' if len(groups) == 1 else 's'}"
    st.markdown(f"**{count}. {len(ticked):,} of {of} are ticked for removal**, {len(visible) - len(ticked):,} stay.")
    lost = len(groups) - len(np.unique(groups.group[~np.isin(groups.rows, ticked)]))
    if lost:
        st.caption(f":material/warning: In {lost:,} group{'' if lost == 1 else 's'} no image stays.")
    _actions(shown, ticked)
    st.caption("Tick the images to remove. Likeness does not delete files: download the lists or tag the images.")
    order = np.argsort(-np.bincount(groups.group), kind="stable")
    page = _page_of(len(order), _GROUPS, f"copies_page_{shown.view.dataset}_{shown.key}")
    gallery(
        [_section(shown, int(number)) for number in order[page]],
        thumbnails=shown.view.thumbnails,
        key=_GALLERY,
        tile=_TILE,
        page=24,
        selected=ticked,
        on_select=shown.tick,
    )


def _actions(shown: Shown, ticked: Rows) -> None:
    reason = label_edits.refusal(shown.view)
    with st.container(horizontal=True):
        help = "Selects them on every page, such as on the map in Explore."
        icon, off = ":material/select_all:", not len(ticked)
        st.button("Select the ticked images", key="copies_select", icon=icon, type="primary", on_click=shown.select, disabled=off, help=help)
        help = reason or "Adds a tag for filters and colors. It replaces the tags of an earlier search."
        off = off or bool(reason)
        st.button(f"Tag them “{_TAG}”", key="copies_tag", icon=":material/label:", on_click=shown.tag, disabled=off, help=help)
        if not np.isin(shown.groups.dropped, ticked).all():
            dropped = (shown.groups.dropped,)
            st.button("Tick all but the first", key="copies_tick", icon=":material/done_all:", on_click=shown.tick, args=dropped)
        with st.popover("Download", icon=":material/download:"):
            for label, data, file in (
                ("Images that stay", partial(shown.list_of, np.setdiff1d(shown.view.rows, ticked)), "keep.txt"),
                ("Images to remove", partial(shown.list_of, ticked), "leave-out.txt"),
                ("Groups as CSV", shown.csv, "duplicates.csv"),
            ):
                st.download_button(label, data, file, "text/csv" if file.endswith("csv") else "text/plain", on_click="ignore", key=f"copies_{file}")


def _section(shown: Shown, number: int) -> Section:
    groups, mine = shown.groups, shown.groups.group == number
    rows, sizes = groups.rows[mine], shown.found.sizes_of(groups.rows[mine])
    return Section(
        f"Suggested to stay: the first ({why_best(sizes)})",
        rows.tolist(),
        similarities=None if shown.found.equal is not None else groups.similarities[mine].tolist(),
        captions=_names(shown.view, rows.tolist()),
        texts=[f"{size[0]:,} × {size[1]:,}, {_bytes(int(size[2]))}" if size[0] else "cannot be read" for size in sizes],
    )


def _names(view: View, rows: Sequence[int]) -> list[str]:
    """The last parts of the images' paths."""
    return [spoken_name(str(path)) for path in view.base.table.frame["path"].iloc[list(rows)]]


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} KB"


def _page_of(count: int, size: int, key: str) -> slice:
    """The displayed part of a long list, chosen by page number."""
    pages = -(-count // size)
    page = int(st.number_input(f"Page of {pages:,}", 1, pages, key=f"{key}_{pages}", width=140)) - 1 if pages > 1 else 0
    return slice(page * size, (page + 1) * size)


def show_pairs(view: View, pairs: NearPairs, level: float) -> None:
    """Draws the pairs just above and just below the threshold."""
    for title, places in zip(("Just above the threshold", "Just below"), pairs.at_line(level, _PAIRS), strict=True):
        if len(places):
            st.markdown(f"**{title}**")
            rows = pairs.rows[places].tolist()
            _draw_pairs(view, rows, pairs.similarities[places].tolist(), [_names(view, pair) for pair in rows], f"copies_{title}")
    if not len(pairs.rows):
        st.caption("No pair of images comes close to the threshold.")


def _draw_pairs(view: View, pairs: Sequence[Sequence[int]], similarities: Sequence[float], captions: Sequence[Sequence[str]], key: str) -> None:
    each = zip(pairs, similarities, captions, strict=True)
    sections = [Section("", rows, captions=names, note=f"Similarity {digits(similarity)}") for rows, similarity, names in each]
    for number, column in enumerate(st.columns(_COLUMNS)):
        if part := sections[number::_COLUMNS]:
            with column:
                gallery(part, thumbnails=view.thumbnails, key=f"{key}_{number}", tile=_PAIR_TILE)


def digits(similarity: float) -> str:
    """A similarity with enough digits to distinguish it from 1."""
    return f"{similarity:.4f}" if similarity < 0.99 else f"{similarity:.5f}"


def split_attributes(table: ImageTable) -> list[str]:
    """Attributes that could be a split or a class, those named like a split first."""
    frame = table.frame
    found = [name for name in table.attributes if not pd.api.types.is_float_dtype(frame[name]) and 1 < filters.distinct(frame, name) <= _MOST_VALUES]
    return sorted(found, key=lambda name: name.lower() not in _SPLITS)


def show_leaks(view: View, pairs: NearPairs, names: list[str]) -> None:
    """Draws duplicates with different values of an attribute, chosen from these names."""
    chosen = st.selectbox(
        "Split or class",
        [_NONE, *names],
        index=int(names[0].lower() in _SPLITS),
        format_func=lambda name: name if name == _NONE else readable(name),
        key=f"copies_across_{view.dataset}",
        width=260,
        help="Values that should share no image, such as train and test. With a class, this finds copies that are labeled differently.",
    )
    if chosen == _NONE:
        st.caption("Choose a split or a class to see duplicates that have different values of it.")
        return
    table = view.base.table
    found, rarer = leaks_by(pairs, table, chosen), rarer_side(pairs, table, chosen)
    name = plain(readable(chosen).lower())
    if found.empty:
        st.success(f"No duplicates across {name}.", icon=":material/check:")
        return
    st.markdown(
        f"**{len(found):,} of {len(view.rows):,} images have a duplicate with another {name}.** Removing the "
        f"{len(rarer):,} with the rarer value removes all leaks."
    )
    with st.container(horizontal=True):
        st.button("Select those", key="leaks_select", icon=":material/select_all:", on_click=selection.select, args=(rarer,))
        csv = partial(csv_bytes, found.assign(may_go=found["row"].isin(rarer)))
        st.download_button("Download CSV", csv, "leaks.csv", "text/csv", icon=":material/download:", on_click="ignore", key="leaks_csv")
    listed = found[found["row"].isin(rarer)]
    part = listed.iloc[_page_of(len(listed), _LEAKS, f"leaks_page_{view.dataset}")]
    rows, values = part[["row", "nearest"]].to_numpy(np.int64), part[["value", "nearest_value"]].astype(str).to_numpy()
    _draw_pairs(view, rows.tolist(), part["similarity"].tolist(), values.tolist(), "leaks")
