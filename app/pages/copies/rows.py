"""Groups of copies as rows of pictures, the best one first, with the reason; a group may be left whole."""

import html

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.duplicates import CopyGroups, why_best
from pages.copies.line import name_of
from pages.copies.search import Found
from shared.view import View

_PAGE = 10  # groups at a time
_SHOWN = 12  # pictures of one group
_WHOLE = "copies_left_whole"  # of the session: paths of best images, by space


def left_whole(view: View, groups: CopyGroups, space_key: str) -> NDArray[np.int64]:
    """Numbers of the groups of which all images stay."""
    kept = _kept(view, space_key)
    paths = view.base.table.frame["path"].to_numpy()[groups.best] if len(groups) else []
    return np.array([number for number, path in enumerate(paths) if str(path) in kept], np.int64)


def show(view: View, found: Found, groups: CopyGroups, space_key: str) -> None:
    """Draws the groups, the largest first, some at a time."""
    sizes = np.bincount(groups.group)
    order = np.argsort(-sizes, kind="stable")
    pages = -(-len(order) // _PAGE)
    page = 0
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.subheader(f"{len(groups):,} group{'' if len(groups) == 1 else 's'}", anchor=False)
        if pages > 1:
            page = int(st.number_input(f"Page of {pages:,}", 1, pages, key=f"copies_page_{view.dataset}_{space_key}_{pages}", width=140)) - 1
    for number in order[page * _PAGE : (page + 1) * _PAGE]:
        rows = groups.rows[groups.group == number]
        _row(view, found, rows, groups.similarities[groups.group == number], space_key)


def _row(view: View, found: Found, rows: NDArray[np.int64], similarities: NDArray[np.float32], space_key: str) -> None:
    sizes = found.sizes_of(rows)
    path = str(view.base.table.frame["path"].iloc[int(rows[0])])
    whole = path in _kept(view, space_key)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{len(rows):,} images**. The first stays: {why_best(sizes)}.")
            key = f"keep_{view.dataset}_{space_key}_{int(rows[0])}"
            st.checkbox(
                "Keep all",
                whole,
                key=key,
                on_change=_keep,
                args=(view, space_key, path, key),
                help="For images that are no copies of each other after all.",
            )
        shown = rows[:_SHOWN]
        tiles = "".join(
            _tile(view, int(row), sizes[place], None if found.equal is not None else float(similarities[place]), place == 0 or whole, place == 0)
            for place, row in enumerate(shown)
        )
        more = f'<span class="more">and {len(rows) - len(shown):,} more</span>' if len(rows) > len(shown) else ""
        st.html(f'<div class="copies">{tiles}{more}</div>')


def _tile(view: View, row: int, size: NDArray[np.int64], similarity: float | None, stays: bool, is_best: bool) -> str:
    name = html.escape(name_of(view, row))
    likeness = "" if similarity is None or is_best else f"<br>{similarity:.4f} like the first"
    facts = f"{size[0]:,} × {size[1]:,}, {_bytes(int(size[2]))}" if size[0] else "cannot be read"
    mark = '<b class="stays">stays</b>' if stays else '<b class="goes">left out</b>'
    picture = f'<img src="{view.thumbnails.format(row=row)}" alt="{name}">'
    return f'<figure class="copy {"best" if is_best else ""}">{picture}<figcaption title="{name}">{mark} {facts}{likeness}</figcaption></figure>'


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} KB"


def _kept(view: View, space_key: str) -> set[str]:
    kept: dict[tuple[str, str], set[str]] = st.session_state.setdefault(_WHOLE, {})
    return kept.setdefault((view.dataset, space_key), set())


def _keep(view: View, space_key: str, path: str, box: str) -> None:
    (set.add if st.session_state[box] else set.discard)(_kept(view, space_key), path)
