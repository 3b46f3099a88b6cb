"""Page Duplicates: equal files, near duplicates, and images that are the same by a notion; which to keep, and leaks between splits."""

import numpy as np
import streamlit as st

from likeness.duplicates import SuggestedThreshold, stored_threshold
from likeness.space import Space
from pages.duplicates import PAGE, results, search
from pages.duplicates.results import digits
from pages.duplicates.search import Copies
from parts import progress, sidebar
from parts.app_page import show_missing
from parts.plain import plain
from parts.sidebar import RAW, readable
from parts.view import View, current_view
from server.access import redact
from state import Item, state

_HELP = {
    "Equal files": "Files with the same bytes, whatever their names and folders.",
    "Near duplicates": "Images that the encoder finds as similar as a picture and its resaved, resized or cropped copy.",
    "Same by a notion": "Images that are the same by a notion, such as the same garment or scene, or in a trained run's space.",
}
_FILES, _NEAR, _NOTION = _HELP
_USUAL, _USUAL_IN_NOTIONS = 0.95, 0.999  # where nothing can be measured
_FEW_FOUND = 0.7  # of altered copies; that others reach the threshold as well says little, since real copies do
_STEPS = 48
_levels = Item[dict[str, float]](make=dict, key="copies_levels")  # the threshold that a person has chosen, by the key of its space


def main() -> None:
    view = current_view()
    PAGE.show_head()
    if not view.base.table.has_images:
        st.info("This dataset has vectors but no image files to compare. Choose other images in the sidebar.", icon=":material/info:")
        return
    if len(view.base) < 2:
        show_missing("There is only one image here. Add more on the Images page.")
        return
    controls = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with controls:
        kind, name = _choose_kind(view)
    if kind == _FILES:
        job = search.equal_files(view.entry.id, view.base.table)
        if progress.follow(job, resume="Resume", stopped="The search was stopped."):
            _show(view, job.result, 1.0, "files", is_reliable=True)
        return
    space = sidebar.space(view.entry.id, name)
    suggested, problem = _suggestion(space)
    with controls:
        level = _choose_threshold(space, suggested, problem)
    if level is None:
        return
    # whether the threshold is known to separate copies of these images from others: without that no image is called a duplicate
    is_reliable = suggested is not None and suggested.found >= _FEW_FOUND
    if suggested is None:
        start = "" if space.key in _levels.get() else f"{digits(level)} is a starting point until a threshold is measured."
        if problem or start:
            st.caption(f"{plain(problem)} {start}")
    elif not is_reliable:
        st.caption(":material/warning: Copies are hard to tell from similar images here. Compare the pictures before you remove any.")
    for below in (True, False):
        job = search.near(view.entry.id, space, level, below)
        if not progress.follow(job, resume="Resume", stopped="The search was stopped."):
            return
        if job.result is not None:
            _show(view, job.result, level, space.key, is_reliable)
            return


def _choose_kind(view: View) -> tuple[str, str]:
    """Draws the choice of what counts as a duplicate, and of the space that measures it."""
    names = sidebar.space_names(view.notions)[1:]
    kinds = [_FILES, _NEAR, *([_NOTION] if names else [])]
    help = "  \n".join(f"**{each}**: {_HELP[each]}" for each in kinds)
    kind = st.segmented_control("What counts as a duplicate", kinds, default=_NEAR, required=True, key="copies_kind", bind="query-params", help=help)
    if kind != _NOTION:
        return kind, RAW
    shown = [each for each in (state.b, state.a) if each in names]
    first = names.index(shown[0]) if shown else 0
    return kind, st.selectbox("Notion", names, index=first, format_func=readable, key="copies_notion", bind="query-params", width=260)


def _choose_threshold(space: Space, suggested: SuggestedThreshold | None, problem: str) -> float | None:
    """Draws the threshold slider. None in a notion's space while the suggestion is being measured: there is no usual value, and a bad one could match
    everything."""
    levels = _levels.get()
    if suggested is None and not problem and space.base is not None and space.key not in levels:
        return None
    first = round(suggested.threshold, 5) if suggested else _USUAL if space.base is None else _USUAL_IN_NOTIONS
    options = sorted({first, levels.get(space.key, first), *(round(1 - float(distance), 5) for distance in np.geomspace(0.5, 1e-5, _STEPS))})
    key = f"copies_line_{space.key}"
    st.session_state[key] = levels.get(space.key, first)

    def move() -> None:
        levels[space.key] = st.session_state[key]

    level = st.select_slider(
        "Similarity threshold",
        options,
        format_func=lambda value: digits(value) + (" (suggested)" if suggested and value == first else ""),
        key=key,
        on_change=move,
        help=f"Pairs at or above it form groups. Move it right to find fewer.\n\n{_measured(suggested) if suggested else ''}",
    )
    if level != first:
        label = "Use the suggested threshold" if suggested else "Reset the threshold"
        st.button(label, key="copies_suggested", icon=":material/replay:", on_click=levels.pop, args=(space.key, None))
    return float(level)


def _suggestion(space: Space) -> tuple[SuggestedThreshold | None, str]:
    """The suggested threshold, or why there is none; neither while it is being measured."""
    if space.embed_images is None:
        return None, "No threshold can be suggested because these vectors came without their encoder."
    if found := stored_threshold(space):
        return found, ""
    job = search.measure_threshold(space)
    if job.finished and job.error:
        return None, f"No threshold can be suggested: {redact(job.error)}"
    if progress.follow(job, resume="Measure the threshold", stopped="The measurement was stopped."):
        return job.result, ""
    return None, "No threshold was measured." if job.finished else ""


def _measured(suggested: SuggestedThreshold) -> str:
    return (
        f"The suggested {digits(suggested.threshold)} was measured on {suggested.copies} altered copies of these images (resaved, resized, cropped, "
        f"brightened): it finds {suggested.found:.0%} of them; {suggested.confused:.0%} also match another image, which may be a real copy. "
        f"{suggested.pairs_message}"
    ).rstrip()


def _show(view: View, found: Copies, level: float, key: str, is_reliable: bool) -> None:
    """Draws groups, then the pairs around the threshold and leaks; without groups, the pairs first."""
    found = found.among(view.hidden)
    groups = found.groups(level, len(view.base))
    if not len(groups):
        among = "Among the images that match the filters: no" if view.hidden is not None else "No"
        what = "two files are equal." if found.pairs is None else "two images are that similar. Lower the threshold to see the closest pairs."
        st.success(f"{among} {what}", icon=":material/check:")
        if found.pairs is not None:
            results.show_pairs(view, found.pairs, level)
    else:
        shown = results.Shown(view, found, groups, key, is_reliable)
        attributes = results.split_attributes(view.base.table) if found.pairs is not None else []
        titles = ["Groups", "Around the threshold", "Leaks across a split"][: 1 + (found.pairs is not None) + bool(attributes)]
        for tab, title in zip(st.tabs(titles), titles, strict=True):
            with tab:
                if found.pairs is None or title == "Groups":
                    results.show_groups(shown)
                elif title == "Around the threshold":
                    results.show_pairs(view, found.pairs, level)
                else:
                    results.show_leaks(view, found.pairs.above(level), attributes)
    if found.pairs is not None:
        st.caption(found.pairs.message)


main()
