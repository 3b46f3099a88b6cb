"""Copies across an attribute, such as train and test: a list of their own."""

import html
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.duplicates import NearPairs, leaks_among, rarer_side
from pages.copies.line import name_of
from shared import filters, selection
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View

_SPLITS = ("split", "set", "subset", "fold", "part", "partition", "phase", "usage")
_MOST_VALUES = 1_000
_PAGE = 12  # images at a time
_NONE = "None"


def attributes(table: ImageTable) -> list[str]:
    """Attributes that divide the images that have a label of them into some parts: those that are called like a split first."""
    frame = table.frame
    found = [name for name in table.attributes if not pd.api.types.is_float_dtype(frame[name]) and 1 < filters.distinct(frame, name) <= _MOST_VALUES]
    return sorted(found, key=lambda name: not is_split(name))


def is_split(name: str) -> bool:
    """Whether an attribute is called like a division into training and test images."""
    return name.lower() in _SPLITS


def show(view: View, pairs: NearPairs) -> None:
    """Draws the list, by an attribute that is chosen."""
    table = view.base.table
    names = attributes(table)
    default = names[0] if is_split(names[0]) else _NONE
    options = [_NONE, *names]
    chosen = st.selectbox(
        "Copies across",
        options,
        index=options.index(default),
        format_func=lambda name: name if name == _NONE else readable(name),
        key=f"copies_across_{view.dataset}",
        width=260,
        help="An attribute whose parts should have no image in common, such as train and test; or a class, whose copies have two labels then.",
    )
    if chosen == _NONE:
        st.caption("Choose an attribute, such as a split into train and test, to see which images have a copy under another of its values.")
        return
    found, rarer = leaks_among(pairs, table, chosen), rarer_side(pairs, table, chosen)
    name = plain(readable(chosen).lower())
    if found.empty:
        st.success(f"No image has a copy under another {name}.", icon=":material/check:")
        return
    pick = found["row"].isin(rarer)
    count = len(view.visible(np.arange(len(table))))
    st.markdown(
        f"**{len(found):,} of {count:,} images have a copy under another {name}.** Without {len(rarer):,} images of the rarer values, "
        "no such copies are left."
    )
    _actions(view, found, rarer)
    listed = found[pick]
    pages = -(-len(listed) // _PAGE)
    page = int(st.number_input(f"Page of {pages:,}", 1, pages, key=f"leaks_page_{view.dataset}_{pages}", width=140)) - 1 if pages > 1 else 0
    part = listed.iloc[page * _PAGE : (page + 1) * _PAGE]
    st.html(f'<div class="pairs">{"".join(_pair(view, leak) for leak in part.to_dict("records"))}</div>')


def _actions(view: View, found: pd.DataFrame, rarer: NDArray[np.int64]) -> None:
    with st.container(horizontal=True):
        st.button("Select them", key="leaks_select", icon=":material/select_all:", on_click=selection.select, args=(rarer,))
        st.download_button(
            "Download the list", partial(_csv, found, rarer), "leaks.csv", "text/csv", icon=":material/download:", on_click="ignore", key="leaks_csv"
        )


def _csv(found: pd.DataFrame, rarer: NDArray[np.int64]) -> bytes:
    return found.assign(may_go=found["row"].isin(rarer)).to_csv(index=False).encode("utf-8", "surrogateescape")


def _pair(view: View, leak: "dict[str, object]") -> str:
    rows = [int(str(leak["row"])), int(str(leak["nearest"]))]
    values = [html.escape(str(leak["value"])), html.escape(str(leak["nearest_value"]))]
    pictures = "".join(
        f'<span><img src="{view.thumbnails.format(row=row)}" alt="{html.escape(name_of(view, row))}"><small>{value}</small></span>'
        for row, value in zip(rows, values, strict=True)
    )
    return f'<figure class="pair"><div>{pictures}</div><figcaption>{float(str(leak["similarity"])):.4f}</figcaption></figure>'
