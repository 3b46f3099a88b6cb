"""Saliency: which parts of an image decide where it lies in a space, and how that differs between spaces."""

from dataclasses import replace

import numpy as np
import streamlit as st

from background import Job
from components.gallery import Section, gallery
from components.picture_grid import picture_grid
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.saliency import BLACK, NOISE, PERCENTILE, SAMPLES, Masks, Saliency
from likeness.space import Space
from likeness.studies import judged_notions
from pages.saliency import PAGE, job as saliency_job, rows as saliency_rows
from pages.saliency.job import SaliencyRequest
from pages.saliency.rows import Look
from shared import cached, drafts, neighbors, progress, selection, sidebar, trained
from shared.plain import plain
from shared.sidebar import DRAFT, RAW, listed, readable
from shared.view import View, current_view

_MOST = 24  # images explained at once
_OFFERED = 600  # pictures to choose from
_SHOW = ("Differences", "Maps", "Both")


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head("Changing an important part moves the image away from its neighbors.")
    if view.base.differentiable is None:
        st.info("These vectors came without a model, so there is nothing to explain. Choose images that were embedded here.", icon=":material/info:")
        return
    request, look = _settings(view)
    _show_maps(view, request, look)
    _choose_images(view)


def _settings(view: View) -> tuple[SaliencyRequest, Look]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spaces = _spaces(view)
        against = st.selectbox("Compared with", sidebar.space_names(view.base), format_func=readable, key="against", bind="query-params", width=220)
        dim = st.number_input(
            "Dimensions",
            min_value=1,
            max_value=view.base.vectors.shape[1],
            value=None,
            placeholder="Own",
            key="saliency_dim",
            bind="query-params",
            width=130,
            help="Dimensions of each notion's space. Empty: each notion's own, saved with it or as many as its prompts suggest. "
            "With fewer, differences stand out more; the paper uses 2.",
        )
        show = st.segmented_control("Show", _SHOW, default=_SHOW[0], required=True, key="saliency_show", bind="query-params") or _SHOW[0]
        with st.popover("Settings", icon=":material/tune:"):
            base, samples, noise, look = _fine_settings(view, show)
    compared = [name for name in spaces if name != against]
    request = SaliencyRequest(
        view.entry.id, tuple(_space(view, name, dim) for name in [*compared, against]), _rows(view), view.query if base else BLACK, samples, noise
    )
    return request, look


def _spaces(view: View) -> list[str]:
    names = sidebar.space_names(view.base)[1:]
    if not names:
        return []
    return st.multiselect(
        "Spaces",
        names,
        default=_first_shown(view, names),
        format_func=readable,
        key="looked_at",
        bind="query-params",
        max_selections=4,
        placeholder="Choose up to four spaces",
    )


def _first_shown(view: View, names: list[str]) -> list[str]:
    """The notions of the sidebar's spaces, or else the first two that the images have labels for, or that fit them."""
    in_sidebar = [name for name in (st.session_state.get("a"), st.session_state.get("b")) if name in names]
    try:
        labeled = [notion.name for notion in judged_notions(view.base.table)]
    except InputError:
        labeled = [name for name in sidebar.notion_names(view.base) if name != DRAFT] or names
    return in_sidebar or labeled[:2]


def _space(view: View, name: str, dim: int | None) -> Space:
    """A space of the sidebar; a notion's in `dim` dimensions, or its own where that is None."""
    draft = drafts.current()
    if name == RAW or name.startswith(trained.PREFIX):
        return sidebar.space(view.entry.id, name)
    if name == DRAFT and draft:
        return cached.fit(view.entry.id, _in_dimensions(draft.notion, dim), draft.solver, draft.seed)
    return cached.fit(view.entry.id, _in_dimensions(sidebar.notion_named(name), dim))


def _in_dimensions(notion: Notion, dim: int | None) -> Notion:
    return notion if dim is None else replace(notion, dim=dim)


def _fine_settings(view: View, show: str) -> tuple[bool, int, float, Look]:
    base = st.toggle(
        "Measure against the query image",
        key="saliency_base",
        disabled=view.query is None,
        help="Off: against a black image, as in the paper. Salient parts move the image away from it. Click an image in Explore for a query.",
    )
    samples = st.slider(
        "Noisy copies",
        1,
        100,
        SAMPLES,
        key="saliency_samples",
        help="Gradients are summed over noisy copies of the image. More copies give smoother maps.",
    )
    noise = st.slider(
        "Noise", 0.0, 0.5, NOISE, 0.01, key="saliency_noise", help="Standard deviation of the noise, as a share of the image's range of values."
    )
    percentile = st.slider(
        "Cut at percentile",
        80.0,
        100.0,
        PERCENTILE,
        0.5,
        key="saliency_percentile",
        help="Values above this percentile get the same color, so that a few extremes do not hide the rest.",
    )
    blur = st.slider(
        "Soften (pixels)", 0.0, 5.0, 2.0, 0.5, key="saliency_blur", help="Only changes how maps look. At 0 you see the grid of the model's patches."
    )
    over = st.toggle("Over the image", True, key="saliency_over")
    return base and view.query is not None, samples, noise, Look(show != "Differences", show != "Maps", percentile, blur, over)


def _rows(view: View) -> tuple[int, ...]:
    """The selected images, or the query and some more."""
    chosen = view.selected if len(view.selected) else _sample(view)
    return tuple(int(row) for row in chosen[:_MOST])


def _sample(view: View) -> "np.ndarray":
    visible = np.arange(len(view.frame)) if view.hidden is None else np.flatnonzero(~view.hidden)
    some = np.random.default_rng(st.session_state.get("saliency_sample", 0)).permutation(visible)[:6]
    return some if view.query is None else np.unique(np.append(some[:5], view.query))


def _show_maps(view: View, request: SaliencyRequest, look: Look) -> None:
    if not request.rows:
        st.info("No image matches the filters.", icon=":material/info:")
        return
    job = saliency_job.begin(request)
    progress.follow(job, resume="Go on")
    if job.result:
        st.session_state["saliency_shown"] = request
    shown: SaliencyRequest | None = st.session_state.get("saliency_shown")
    last = saliency_job.find(shown) if shown and shown.dataset == request.dataset else None
    if shown and last and last.result:
        _pictures(view, shown, last, look)


def _pictures(view: View, request: SaliencyRequest, job: Job, look: Look) -> None:
    found = job.result
    differing = [space for space in found[:-1] if saliency_rows.alike(space, found[-1])]
    if look.differences and differing:
        against = readable(request.spaces[-1].name)
        against = plain(against if against.startswith("Run ") else f"the {against.lower()}")
        st.caption(f"In the differences, yellow marks what a space pays more attention to than {against}, blue what it pays less attention to.")
    else:
        st.caption("Yellow marks what decides the image's place in the space, blue what hardly matters.")
    if look.differences and len(differing) < len(found) - 1:
        st.caption("A run that crops its images sees other pixels, so its own map is shown instead of a difference.")
    if notions := [f"{plain(readable(space.name))} in {space.vectors.shape[1]}" for space in request.spaces if space.base is not None]:
        st.caption(f"Dimensions: {listed(notions)}.")
    names = [str(view.frame["path"].iloc[row]).rsplit("/", 1)[-1] for row in request.rows]
    masks = saliency_rows.known_masks(request.spaces[-1], request.rows)
    picture_grid(saliency_rows.titles(found, look), saliency_rows.rows(found, names, masks, look), key="saliency_grid", tile=_tile(found, look))
    if masks is not None and saliency_job.control_dims(request) and len(found[-1]) == len(request.rows):
        _control(request, found, masks, look)


def _control(request: SaliencyRequest, found: list[Saliency], masks: Masks, look: Look) -> None:
    """What random projections of as many dimensions would have shown, so that no share on the car is read without its control."""
    job = saliency_job.begin_controls(request)
    if progress.follow(job, resume="Go on", place="control"):
        dims = [space.vectors.shape[1] if space.base is not None else 0 for space in request.spaces[:-1]]
        st.caption(saliency_rows.control_sentence(found, dims, job.result, masks, look))


def _tile(found: "list[object]", look: Look) -> int:
    columns = 1 + look.maps + (len(found) - 1) * (look.maps + look.differences)
    return 170 if columns <= 4 else 140


def _choose_images(view: View) -> None:
    count = len(view.selected)
    with st.container(horizontal=True, vertical_alignment="center"):
        if count:
            st.caption(_how_many(count))
            st.button("Clear the selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],))
        else:
            st.caption("A random sample of the images. Select others below, or on the map in Explore.")
            st.button("Other images", icon=":material/shuffle:", type="tertiary", on_click=_shuffle)
    with st.expander("Choose images", icon=":material/photo_library:"):
        visible = np.arange(len(view.frame)) if view.hidden is None else np.flatnonzero(~view.hidden)
        chosen = view.selected
        offered = visible[~np.isin(visible, chosen)][:_OFFERED]
        sections = [Section("Selected", chosen[:_MOST].tolist(), captions=neighbors.captions(view, chosen[:_MOST]))] if count else []
        sections.append(
            Section("Images", offered.tolist(), captions=neighbors.captions(view, offered), empty="No further image matches the filters.")
        )
        gallery(sections, thumbnails=view.thumbnails, key="saliency_images", tile=84, on_click=_toggle)


def _how_many(count: int) -> str:
    if count > _MOST:
        return f"The first {_MOST} of {count:,} selected images."
    return "The selected image." if count == 1 else f"The {count:,} selected images."


def _toggle(row: int) -> None:
    chosen = set(selection.rows().tolist())
    selection.select(chosen ^ {row})


def _shuffle() -> None:
    st.session_state["saliency_sample"] = st.session_state.get("saliency_sample", 0) + 1


main()
