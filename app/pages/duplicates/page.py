"""Duplicates: equal files, near duplicates, and what is the same by a notion; which images stay, and what leaks across a split."""

import streamlit as st

from pages.duplicates import PAGE, results, search, threshold
from pages.duplicates.search import Copies
from parts import progress, sidebar
from parts.sidebar import RAW, readable
from parts.view import View, current_view
from state import state

_HELP = {
    "Equal files": "Files with the same bytes, whatever their names and folders.",
    "Near duplicates": "Images as similar to the encoder as a picture and a resaved, resized or cropped copy of it.",
    "Same by a notion": "Images that are the same in what a notion describes, such as the same garment or scene; or in a trained run's space.",
}
_FILES, _NEAR, _NOTION = _HELP


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head()
    if not view.base.table.has_images:
        st.info(
            "This dataset has vectors but no image files, so there is nothing to compare. Choose other images in the sidebar.", icon=":material/info:"
        )
        return
    if len(view.base) < 2:
        st.info("There is only one image here. Add more on the Images page.", icon=":material/info:")
        st.page_link("pages/images/page.py", label="Add images", icon=":material/add_photo_alternate:")
        return
    kind, name = _choose_kind(view)
    if kind == _FILES:
        job = search.equal_files(view.entry.id, view.base.table)
        if progress.follow(job, resume="Continue", stopped="The search was stopped."):
            _show(view, job.result, threshold.Threshold(1.0, is_measured=True), "files")
        return
    space = sidebar.space(view.entry.id, name)
    level = threshold.choose(space)
    if level is None:
        return
    for below in (True, False):
        job = search.near(view.entry.id, space, level.similarity, below)
        if not progress.follow(job, resume="Continue", stopped="The search was stopped."):
            return
        if job.result is not None:
            _show(view, job.result, level, space.key)
            return


def _choose_kind(view: View) -> tuple[str, str]:
    """What counts as a duplicate, and the space that says so."""
    names = sidebar.space_names(view.base)[1:]
    kinds = [_FILES, _NEAR, *([_NOTION] if names else [])]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = (
            st.segmented_control("What counts as a duplicate", kinds, default=_NEAR, required=True, key="copies_kind", bind="query-params") or _NEAR
        )
        name = RAW
        if kind == _NOTION:
            shown = [each for each in (state.b, state.a) if each in names]
            first = names.index(shown[0]) if shown else 0
            name = st.selectbox("Notion", names, index=first, format_func=readable, key="copies_notion", bind="query-params", width=260)
    st.caption(_HELP[kind])
    return kind, name


def _show(view: View, found: Copies, level: threshold.Threshold, key: str) -> None:
    """Draws groups first, then the pairs around the threshold and what leaks."""
    found = found.among(view.hidden)
    groups = found.groups(level.similarity, len(view.base))
    tabs = ["Groups", *(["Around the threshold"] if found.pairs is not None else [])]
    attributes = results.split_attributes(view.base.table) if found.pairs is not None and len(groups) else []
    if attributes:
        tabs.append("Leaks across a split")
    first, *others = st.tabs(tabs)
    with first:
        if len(groups):
            results.show_groups(view, found, groups, key, is_reliable=level.is_measured)
        else:
            results.show_nothing(view, found)
    if found.pairs is None:
        return
    with others[0]:
        threshold.show_pairs(view, found.pairs, level.similarity)
    if attributes:
        with others[1]:
            results.show_leaks(view, found.pairs.above(level.similarity), attributes)
    st.caption(found.pairs.message)


main()
