"""Copies: equal files, near copies, and the same thing by a notion; which of them stay, and what leaks across a split."""

from pathlib import Path

import streamlit as st

from likeness.duplicates import CopyGroups
from pages.copies import PAGE, leaks, line, outcome, rows, search
from pages.copies.search import Found
from shared import progress, sidebar
from shared.sidebar import RAW, readable
from shared.view import View, current_view

_FILES, _NEAR, _NOTION = "Equal files", "Near copies", "Same by a notion"
_HELP = {
    _FILES: "Files that are equal byte by byte, wherever they lie and whatever they are called.",
    _NEAR: "Images that the encoder sees as alike as a picture and its copy: saved again, made smaller, cropped.",
    _NOTION: "Images that are the same in what a notion says, such as the same garment or the same scene; or by a trained run.",
}
_FEWEST = 2


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head()
    st.html(Path(__file__).with_name("copies.css"))
    if not view.base.table.has_images:
        st.info("These rows have no images, only vectors, so no copies can be shown. Choose images in the sidebar.", icon=":material/info:")
        return
    if len(view.base) < _FEWEST:
        st.info("A single image has no copy here. Bring more under Your images.", icon=":material/info:")
        return
    kind, name = _kind(view)
    if kind == _FILES:
        job = search.equal_files(view.entry.id, view.base.table)
        if progress.follow(job, resume="Go on", stopped="The search was stopped."):
            _result(view, job.result, 1.0, "files")
        return
    space = sidebar.space(view.entry.id, name)
    level = line.choose(space)
    if level is None:
        return
    for below in (True, False):
        job = search.near(view.entry.id, space, level, below)
        if not progress.follow(job, resume="Go on", stopped="The search was stopped."):
            return
        if job.result is not None:
            _result(view, job.result, level, space.key)
            return


def _kind(view: View) -> tuple[str, str]:
    """What counts as a copy, and the space that says so."""
    names = sidebar.space_names(view.base)[1:]
    kinds = [_FILES, _NEAR, *([_NOTION] if names else [])]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.segmented_control("What counts as a copy", kinds, default=_NEAR, required=True, key="copies_kind", bind="query-params") or _NEAR
        name = RAW
        if kind == _NOTION:
            shown = [each for each in (st.session_state.get("b"), st.session_state.get("a")) if each in names]
            first = names.index(shown[0]) if shown else 0
            name = st.selectbox("Notion", names, index=first, format_func=readable, key="copies_notion", bind="query-params", width=260)
    st.caption(_HELP[kind])
    return kind, name


def _result(view: View, found: Found, level: float, key: str) -> None:
    found = found.among(view.hidden)
    groups = found.groups(level, len(view.base))
    pairs = None if found.pairs is None else found.pairs.above(level)
    if found.pairs is not None:
        line.show_pairs(view, found.pairs, level)
    if not len(groups):
        what = "No two files are equal." if pairs is None else "No two images are as similar as that. Move the line to the left to see the nearest."
        what = f"Among the images that match the filters: {what[:1].lower()}{what[1:]}" if view.hidden is not None else what
        st.success(what, icon=":material/check:")
    elif pairs is None or not leaks.attributes(view.base.table):
        _groups(view, found, groups, key)
    else:
        in_groups, across = st.tabs(["Groups", "Leaks across a split"])
        with in_groups:
            _groups(view, found, groups, key)
        with across:
            leaks.show(view, pairs)
    if pairs is not None:
        st.caption(pairs.message)


def _groups(view: View, found: Found, groups: CopyGroups, key: str) -> None:
    outcome.show(view, found, groups, rows.left_whole(view, groups, key))
    rows.show(view, found, groups, key)


main()
