"""Filters by attributes, in the sidebar and in the address, which holds values without counts, and ends of ranges."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import ImageTable, has_label, numbers_of
from likeness.plots.linked_map import cache_by_identity
from parts import link
from parts.plain import plain
from state import Item

_PREFIX = "filter_"  # of keys and names in the address
_FIRST = 4  # the others open on demand
_MOST_VALUES = 60  # more distinct values than this: no filter by value
_COUNT = re.compile(r" \([\d,]+\)$")  # after a value, as links of earlier versions have it

Mask = NDArray[np.bool_]
Range = tuple[float, float]


_all_ends = Item[dict[str, Range]](make=dict, key="filters_ends")  # between which values a range was chosen, by the filter's key


def choose(table: ImageTable, new: bool, readable: Callable[[str], str]) -> Mask | None:
    """Draws the filters; returns (n,) bool, True for images that they hide, or None if they hide none.

    Args:
        table: the images.
        new: whether these images are newly chosen, which resets all filters.
        readable: returns an attribute's display name.
    """
    frame = table.frame
    names = [name for name in table.attributes if _is_range(frame, name) or distinct(frame, name) <= _MOST_VALUES]
    _refuse_others(names, readable)
    if not names:
        return None
    hidden = np.zeros(len(frame), bool)
    with st.expander("Filters", icon=":material/filter_alt:"):
        first, rest = names[:_FIRST], names[_FIRST:]
        for name in first:
            hidden |= _filter(frame, name, new, readable(name), drawn=True)
        if rest:
            # hidden fields would slow down every run
            with st.popover(f"{len(rest)} more", icon=":material/add:", width="stretch", key="more_filters", on_change="rerun") as more:
                for name in rest:
                    hidden |= _filter(frame, name, new, readable(name), bool(more.open))
        if hidden.any():
            st.caption(f"{(~hidden).sum():,} of {len(hidden):,} images match")
    return hidden if hidden.any() else None


def clear() -> None:
    """Removes the filters of other images from the address."""
    for name in [name for name in st.query_params if name.startswith(_PREFIX)]:
        link.read(name)
        link.write({name: []})


@cache_by_identity
def distinct(frame: pd.DataFrame, name: str) -> int:
    """Number of an attribute's values, except those that stand for a missing label."""
    return int(frame[name][has_label(frame[name])].nunique())


def _refuse_others(names: Sequence[str], readable: Callable[[str], str]) -> None:
    """Reports filters in the address by attributes that these images do not have."""
    for key in [key for key in st.query_params if key.startswith(_PREFIX) and key.removeprefix(_PREFIX) not in names]:
        if link.read(key):
            link.report_missing("the filter", readable(key.removeprefix(_PREFIX)), "It is ignored. Choose one of the filters here.")
        link.write({key: []})


def _is_range(frame: pd.DataFrame, name: str) -> bool:
    return distinct(frame, name) > 12 and _numbers(frame, name) is not None


def _filter(frame: pd.DataFrame, name: str, new: bool, title: str, drawn: bool) -> Mask | bool:
    return (_range_filter if _is_range(frame, name) else _value_filter)(frame, name, new, title, drawn)


def _value_filter(frame: pd.DataFrame, name: str, new: bool, title: str, drawn: bool) -> Mask | bool:
    counts, key = _counts(frame, name), f"{_PREFIX}{name}"
    asked = link.read(key)
    if asked is not None or new:
        st.session_state[key] = _known(asked or [], counts, title)
    if drawn:
        st.multiselect(
            plain(title),
            list(counts.index),
            format_func=lambda value: f"{value} ({counts[value]:,})",
            key=key,
            persist_state="session",
            placeholder="All",
        )
    chosen = [value for value in st.session_state.get(key, []) if value in counts]
    link.write({key: chosen})
    return ~frame[name].astype(str).isin(chosen).to_numpy() if chosen else False


def _known(asked: Sequence[str], counts: "pd.Series[int]", title: str) -> list[str]:
    """The values that some image has; reports the others."""
    values = [value if value in counts else _COUNT.sub("", value) for value in asked]
    unknown = [value for value in values if value not in counts]
    if unknown:
        kept = "The rest of the filter is kept." if len(unknown) < len(values) else "This filter is ignored."
        link.report_missing(f"the {plain(title).lower()}", ", ".join(unknown), f"{kept} Choose other values under Filters.")
    return list(dict.fromkeys(value for value in values if value in counts))


def _range_filter(frame: pd.DataFrame, name: str, new: bool, title: str, drawn: bool) -> Mask | bool:
    (low, high), key = _ends(frame, name), f"{_PREFIX}{name}"
    asked = link.read(key)
    if not low < high:
        return False
    if asked is not None or new:
        st.session_state[key] = _inside(asked, low, high, title) if asked else (low, high)
    st.session_state[key] = _with_ends(st.session_state.get(key), _all_ends.get().get(key), (low, high))
    _all_ends.get()[key] = low, high
    if drawn:
        st.slider(plain(title), low, high, key=key, persist_state="session")
    first, last = st.session_state[key]
    whole = (first, last) == (low, high)
    link.write({key: [] if whole else [str(first), str(last)]})
    numbers = _numbers(frame, name)
    return False if whole or numbers is None else (numbers < first) | (numbers > last)


def _with_ends(kept: Range | None, ends_before: Range | None, ends: Range) -> Range:
    """The stored range, adjusted to images that came or went: an end that was the extreme value remains the extreme."""
    if kept is None:
        return ends
    low = ends[0] if ends_before and kept[0] == ends_before[0] else max(kept[0], ends[0])
    high = ends[1] if ends_before and kept[1] == ends_before[1] else min(kept[1], ends[1])
    return (low, high) if low <= high else ends


def _inside(asked: Sequence[str], low: float, high: float, title: str) -> Range:
    """The range of a link, limited to existing values; an invalid or empty one is reported."""
    try:
        first, last = (float(text) for text in asked)
    except ValueError:
        first = last = float("nan")
    if first <= last and last >= low and first <= high:
        return max(first, low), min(last, high)
    link.report_missing(f"the {plain(title).lower()}", " to ".join(asked), "This filter is ignored. Set another range.")
    return low, high


@cache_by_identity
def _counts(frame: pd.DataFrame, name: str) -> "pd.Series[int]":
    return frame[name].dropna().astype(str).value_counts()


@cache_by_identity
def _numbers(frame: pd.DataFrame, name: str) -> NDArray[np.float64] | None:
    return numbers_of(frame[name])


@cache_by_identity
def _ends(frame: pd.DataFrame, name: str) -> Range:
    numbers = _numbers(frame, name)
    return (0.0, 0.0) if numbers is None else (float(np.nanmin(numbers)), float(np.nanmax(numbers)))
