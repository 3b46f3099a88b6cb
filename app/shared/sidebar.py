"""The frame that every page shares: dataset, space A, space B, coloring and filters."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from access import redact
from likeness.data import DatasetEntry, find_dataset, list_datasets
from likeness.errors import InputError
from likeness.notions import Notion, list_notions
from likeness.plots.linked_map import cache_by_identity
from likeness.space import Space
from shared import cached, drafts, selection, trained
from shared.view import View
from visitors import notions_dir, visitor

RAW = "Raw encoder"
DRAFT = "My edits"
NONE = "None"
_MOST_VALUES = 60  # more distinct values than this: no filter by value


def choose() -> View:
    """Draws the sidebar and returns what was chosen."""
    with st.sidebar:
        entry = _dataset()
        base = cached.base(entry.id)
        names = space_names(base)
        _take_link(names)
        if "next_color" in st.session_state:
            st.session_state["color"] = st.session_state.pop("next_color")
        a = _space_box("Space A", names, "a", "The embedding space on the map: which images lie close together.", base)
        b = _space_box("Space B", [NONE, *names], "b", "A second space, to compare it with A.", base)
        color = _color(base)
        hidden = _filters(base)
    return View(entry, base, space(entry.id, a), None if b == NONE else space(entry.id, b), color, hidden)


def space_names(base: Space) -> list[str]:
    """The raw encoder, the edited notion if there is one, every notion, those that the images have labels for first, and every trained run."""
    return [RAW, *notion_names(base), *trained.names()]


def notion_names(base: Space) -> list[str]:
    """The edited notion if there is one, then every notion: those that the images have labels for first."""
    if base.embed_texts is None:
        return []
    attributes = base.table.attributes
    notions = sorted(list_notions(notions_dir()), key=lambda notion: notion.attribute not in attributes)
    return [*([DRAFT] if drafts.current() else []), *(notion.name for notion in notions)]


def space(dataset_id: str, name: str) -> Space:
    """The space of this name on a dataset."""
    if name == RAW:
        return cached.base(dataset_id)
    if name.startswith(trained.PREFIX):
        return trained.space(dataset_id, name)
    draft = drafts.current()
    if name == DRAFT and draft:
        return cached.fit(dataset_id, draft.notion, draft.dim, draft.solver, draft.seed)
    return cached.fit(dataset_id, notion_named(name))


def _take_link(names: list[str]) -> None:
    """Space A from a link on another page."""
    target = st.query_params.get("show")
    if target is not None:
        del st.query_params["show"]
        if target in names:
            st.session_state["a"] = target


def notion_named(name: str) -> Notion:
    """The notion of this name; names are unique in the library."""
    return next(notion for notion in list_notions(notions_dir()) if notion.name == name)


def _space_box(label: str, names: list[str], key: str, help: str, base: Space) -> str:
    return st.selectbox(label, names, format_func=readable, key=key, bind="query-params", help=help, on_change=_color_by_notion, args=(key, base))


def _color_by_notion(key: str, base: Space) -> None:
    """A notion that was just chosen colors the map by the labels that judge it."""
    notion = next((notion for notion in list_notions(notions_dir()) if notion.name == st.session_state[key]), None)
    if notion and notion.attribute in base.table.attributes:
        st.session_state["color"] = notion.attribute


def _dataset_names() -> dict[str, str]:
    """Id -> name of every dataset; where two share a name, the encoder tells them apart."""
    entries = [*list_datasets(visitor()), *_opened_by_link()]
    shared = {name for name, count in Counter(entry.name for entry in entries).items() if count > 1}
    return {entry.id: f"{entry.name} ({redact(entry.encoder)}, {entry.id[:4]})" if entry.name in shared else entry.name for entry in entries}


def _opened_by_link() -> list[DatasetEntry]:
    """Datasets of other visitors of a shared server, whose links this one was given."""
    known = {entry.id for entry in list_datasets(visitor())}
    opened: list[str] = st.session_state.setdefault("opened_datasets", [])
    for target in (st.query_params.get("open"), st.query_params.get("private")):
        if target and target not in known and target not in opened and _found(target):
            opened.append(target)
    return [entry for id in opened if id not in known and (entry := _found(id))]


def _found(id: str) -> DatasetEntry | None:
    try:
        return find_dataset(id)
    except InputError:
        return None


def _dataset() -> DatasetEntry:
    names = _dataset_names()
    target = st.query_params.get("open")  # a link on another page
    if target is not None:
        del st.query_params["open"]
        if target in names:
            st.session_state["dataset"] = target
    chosen = st.selectbox(
        "Images", list(names), format_func=lambda id: names[id], key="dataset", bind="query-params", help="Add your own under Your images."
    )
    selection.belong_to(chosen)
    entry = find_dataset(chosen)
    if entry.owner:  # its name alone, which Streamlit writes into the URL, opens nothing for others
        st.query_params["private"] = entry.id
    else:
        st.query_params.pop("private", None)
    return entry


def _color(base: Space) -> str | None:
    attributes = [name for name in base.table.attributes if _is_drawable(base.table.frame, name)]
    if not attributes:
        return None
    chosen = st.selectbox("Color by", [*attributes, NONE], format_func=readable, key="color", bind="query-params")
    return None if chosen == NONE else chosen


@cache_by_identity
def _is_drawable(frame: pd.DataFrame, name: str) -> bool:
    return pd.api.types.is_numeric_dtype(frame[name]) or _distinct(frame, name) < max(2, len(frame) // 2)


@cache_by_identity
def _distinct(frame: pd.DataFrame, name: str) -> int:
    return int(frame[name].nunique())


@cache_by_identity
def _counts(frame: pd.DataFrame, name: str) -> "pd.Series[int]":
    return frame[name].astype(str).value_counts()


@cache_by_identity
def _ends(frame: pd.DataFrame, name: str) -> tuple[float, float]:
    return float(frame[name].min()), float(frame[name].max())


def _filters(base: Space) -> NDArray[np.bool_] | None:
    frame = base.table.frame
    hidden = np.zeros(len(frame), bool)
    with st.expander("Filters", icon=":material/filter_alt:"):
        for name in base.table.attributes:
            if pd.api.types.is_numeric_dtype(frame[name]) and _distinct(frame, name) > 12:
                hidden |= _range_filter(frame, name)
            elif _distinct(frame, name) <= _MOST_VALUES:
                hidden |= _value_filter(frame, name)
        if hidden.any():
            st.caption(f"{(~hidden).sum():,} of {len(hidden):,} images match")
    return hidden if hidden.any() else None


def _value_filter(frame: pd.DataFrame, name: str) -> NDArray[np.bool_] | bool:
    counts = _counts(frame, name)
    chosen = st.multiselect(
        readable(name),
        list(counts.index),
        format_func=lambda value: f"{value} ({counts[value]:,})",
        key=f"filter_{name}",
        bind="query-params",
        placeholder="All",
    )
    return ~frame[name].astype(str).isin(chosen).to_numpy() if chosen else False


def _range_filter(frame: pd.DataFrame, name: str) -> NDArray[np.bool_] | bool:
    low, high = _ends(frame, name)
    if not low < high:
        return False
    first, last = st.slider(readable(name), low, high, (low, high), key=f"filter_{name}", bind="query-params")
    return ((frame[name] < first) | (frame[name] > last)).to_numpy() if (first, last) != (low, high) else False


def readable(name: str) -> str:
    """`car_color` -> `Car color`; the name of a run stays as it is."""
    if name.startswith(trained.PREFIX):
        return f"Run {name.removeprefix(trained.PREFIX)}"
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
