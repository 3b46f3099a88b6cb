"""What a search found: groups with ticks on the images to remove, lists and tags that come of them, and what leaks across a split."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.duplicates import CopyGroups, NearPairs, leaks_among, rarer_side, why_best
from likeness.tagging import NewColumn
from pages.duplicates.search import Copies, Rows
from pages.duplicates.threshold import draw_pairs, name_of
from parts import filters, selection
from parts.gallery import Section, gallery, take_ticks
from parts.label_edits import try_edit
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server import hand_labels
from state import Item

_TAG = "copy"
_GROUPS, _TILE = 10, 120  # at a time, and pixels
_GALLERY = "copies_groups"
_SPLITS = ("split", "set", "subset", "fold", "part", "partition", "phase", "usage")
_MOST_VALUES = 1_000
_LEAKS = 12  # at a time
_NONE = "None"


class _Ticks:
    """What a person has said of images, by path: whether they go; apart for each dataset and space."""

    prefix = "copies_"
    chosen = Item[dict[tuple[str, str], dict[str, bool]]](make=dict)


_ticks = _Ticks()


def show_nothing(view: View, found: Copies) -> None:
    """Says that there is no group."""
    what = "No two files are equal." if found.pairs is None else "No two images are that similar. Lower the threshold to see the closest pairs."
    among = "Among the images that match the filters: " if view.hidden is not None else ""
    st.success(f"{among}{what[:1].lower()}{what[1:]}" if among else what, icon=":material/check:")


def show_groups(view: View, found: Copies, groups: CopyGroups, key: str, is_reliable: bool) -> None:
    """Draws what can be done with the ticked images, and the groups, the largest first; all but the best of each are ticked where it is reliable."""
    gone = _to_remove(view, groups, key, is_reliable)
    looked_at = view.visible(np.arange(len(view.base)))
    of = f"{len(looked_at):,} images{' that match the filters' if view.hidden is not None else ''}"
    count = f"{len(groups):,} group{'' if len(groups) == 1 else 's'}"
    st.markdown(f"**{count}. {len(gone):,} of {of} are ticked for removal**, {len(looked_at) - len(gone):,} stay.")
    lost = len(groups) - len(np.unique(groups.group[~np.isin(groups.rows, gone)]))
    if lost:
        st.caption(f":material/warning: In {lost:,} group{'' if lost == 1 else 's'} no image stays.")
    _actions(view, found, groups, gone, looked_at, (key, is_reliable))
    st.caption("Tick the images to remove. Likeness deletes no files: download the lists, or tag the images.")
    order = np.argsort(-np.bincount(groups.group), kind="stable")
    page = _page_of(len(order), _GROUPS, f"copies_page_{view.dataset}_{key}")
    gallery(
        [_section(view, found, groups, int(number)) for number in order[page]],
        thumbnails=view.thumbnails,
        key=_GALLERY,
        tile=_TILE,
        page=24,
        selected=gone,
        on_select=partial(_take_ticks, view, groups, key),
    )


def _section(view: View, found: Copies, groups: CopyGroups, number: int) -> Section:
    mine = groups.group == number
    rows, sizes = groups.rows[mine], found.sizes_of(groups.rows[mine])
    return Section(
        f"Suggested to stay: the first ({why_best(sizes)})",
        rows.tolist(),
        similarities=None if found.equal is not None else groups.similarities[mine].tolist(),
        captions=[name_of(view, int(row)) for row in rows],
        texts=[f"{size[0]:,} × {size[1]:,}, {_bytes(int(size[2]))}" if size[0] else "cannot be read" for size in sizes],
    )


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} KB"


def _page_of(count: int, size: int, key: str) -> slice:
    """The part that is shown of a long list, chosen by a number where there are several."""
    pages = -(-count // size)
    page = int(st.number_input(f"Page of {pages:,}", 1, pages, key=f"{key}_{pages}", width=140)) - 1 if pages > 1 else 0
    return slice(page * size, (page + 1) * size)


def _to_remove(view: View, groups: CopyGroups, key: str, is_reliable: bool) -> Rows:
    """Rows, ascending, of images in groups that are ticked: as a person has said, or else all but the best of each group where that is reliable."""
    said = _ticks.chosen.get((view.dataset, key), {})
    suggested = np.isin(groups.rows, groups.dropped) & is_reliable
    paths = view.base.table.frame["path"].to_numpy()[groups.rows]
    goes = [said.get(str(path), bool(default)) for path, default in zip(paths, suggested, strict=True)]
    return np.sort(groups.rows[np.array(goes, bool)])


def _take_ticks(view: View, groups: CopyGroups, key: str, ticked: Rows) -> None:
    """Keeps what was ticked or unticked, of all groups."""
    paths = view.base.table.frame["path"].to_numpy()
    said = _ticks.chosen.setdefault((view.dataset, key), {})
    said.update({str(paths[row]): bool(goes) for row, goes in zip(groups.rows, np.isin(groups.rows, ticked), strict=True)})


def _actions(view: View, found: Copies, groups: CopyGroups, gone: Rows, looked_at: Rows, of: tuple[str, bool]) -> None:
    reason = hand_labels.refusal_to_tag(view.entry, view.base.table)
    if not reason and view.entry.id != view.dataset:
        reason = "Images are still being embedded. Tag them when that is done."
    with st.container(horizontal=True):
        st.button(
            "Select the ticked images",
            key="copies_select",
            icon=":material/select_all:",
            type="primary",
            on_click=_select,
            args=(view, groups, *of),
            disabled=not len(gone),
            help="Makes them the selection on every page, such as on the map in Explore.",
        )
        st.button(
            f"Tag them “{_TAG}”",
            key="copies_tag",
            icon=":material/label:",
            on_click=_tag,
            args=(view, groups, *of, looked_at),
            disabled=bool(reason) or not len(gone),
            help=reason or "Adds a tag that filters and colors can use. It replaces the tags of an earlier search.",
        )
        if not np.isin(groups.dropped, gone).all():
            st.button(
                "Tick all but the first",
                key="copies_tick",
                icon=":material/done_all:",
                on_click=_take_ticks,
                args=(view, groups, of[0], groups.dropped),
            )
        with st.popover("Download", icon=":material/download:"):
            lists = (("Images that stay", np.setdiff1d(looked_at, gone), "keep.txt"), ("Images to remove", gone, "leave-out.txt"))
            for label, rows, file in lists:
                st.download_button(label, partial(_list, view, rows), file, "text/plain", on_click="ignore", key=f"copies_{file}")
            st.download_button(
                "Groups as CSV", partial(_csv, view, found, groups, gone), "duplicates.csv", "text/csv", on_click="ignore", key="copies_csv"
            )


def _select(view: View, groups: CopyGroups, key: str, is_reliable: bool) -> None:
    take_ticks(_GALLERY)  # the last one may come with the click
    selection.select(_to_remove(view, groups, key, is_reliable))


def _tag(view: View, groups: CopyGroups, key: str, is_reliable: bool, looked_at: Rows) -> None:
    take_ticks(_GALLERY)
    gone = _to_remove(view, groups, key, is_reliable)
    names = [str(path) for path in view.base.table.frame["path"].iloc[looked_at]]
    column = NewColumn(_TAG, "tag", ["yes" if each else "" for each in np.isin(looked_at, gone)])  # those of an earlier search lose it
    if try_edit(view, lambda store, who: store.set_columns(names, [column], who, "copies")) is not None:
        st.toast(f"{len(gone):,} images have the tag “{_TAG}”.", icon=":material/label:")


def _list(view: View, rows: Rows) -> bytes:
    """A path a line, as `likeness ... --only` reads it."""
    paths = view.base.table.frame["path"].to_numpy()
    return "".join(f"{paths[row]}\n" for row in rows).encode("utf-8", "surrogateescape")


def _csv(view: View, found: Copies, groups: CopyGroups, gone: Rows) -> bytes:
    frame = groups.frame(view.base.table)
    frame[["width", "height", "bytes"]] = found.sizes_of(groups.rows)
    frame.insert(2, "stays", ~np.isin(groups.rows, gone))
    return frame.to_csv(index=False).encode("utf-8", "surrogateescape")


def split_attributes(table: ImageTable) -> list[str]:
    """Attributes that divide the images that have a label of them into some parts: those that are called like a split first."""
    frame = table.frame
    found = [name for name in table.attributes if not pd.api.types.is_float_dtype(frame[name]) and 1 < filters.distinct(frame, name) <= _MOST_VALUES]
    return sorted(found, key=lambda name: not _is_split(name))


def _is_split(name: str) -> bool:
    return name.lower() in _SPLITS


def show_leaks(view: View, pairs: NearPairs, names: list[str]) -> None:
    """Draws pairs under different values of an attribute that is chosen among the names."""
    options = [_NONE, *names]
    chosen = st.selectbox(
        "Split or class",
        options,
        index=1 if _is_split(names[0]) else 0,
        format_func=lambda name: name if name == _NONE else readable(name),
        key=f"copies_across_{view.dataset}",
        width=260,
        help="Values that should share no image, such as train and test. With a class, this finds copies that are labeled differently.",
    )
    if chosen == _NONE:
        st.caption("Choose an attribute to see duplicates that have different values of it.")
        return
    table = view.base.table
    found, rarer = leaks_among(pairs, table, chosen), rarer_side(pairs, table, chosen)
    name = plain(readable(chosen).lower())
    if found.empty:
        st.success(f"No duplicates across {name}.", icon=":material/check:")
        return
    st.markdown(
        f"**{len(found):,} of {len(view.visible(np.arange(len(table)))):,} images have a duplicate with another {name}.** Removing the "
        f"{len(rarer):,} with the rarer value leaves none."
    )
    with st.container(horizontal=True):
        st.button("Select those", key="leaks_select", icon=":material/select_all:", on_click=selection.select, args=(rarer,))
        csv = partial(_leaks_csv, found, rarer)
        st.download_button("Download as CSV", csv, "leaks.csv", "text/csv", icon=":material/download:", on_click="ignore", key="leaks_csv")
    listed = found[found["row"].isin(rarer)]
    part = listed.iloc[_page_of(len(listed), _LEAKS, f"leaks_page_{view.dataset}")]
    rows, values = part[["row", "nearest"]].to_numpy(np.int64), part[["value", "nearest_value"]].astype(str).to_numpy()
    draw_pairs(view, rows.tolist(), part["similarity"].tolist(), key="leaks", captions=values.tolist())


def _leaks_csv(found: pd.DataFrame, rarer: NDArray[np.int64]) -> bytes:
    return found.assign(may_go=found["row"].isin(rarer)).to_csv(index=False).encode("utf-8", "surrogateescape")
