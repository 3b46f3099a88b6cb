"""Saliency: which parts of an image decide where it lies in a space, and how that differs between spaces."""

from dataclasses import replace

import numpy as np
import streamlit as st

from likeness.errors import InputError
from likeness.notions import Notion
from likeness.saliency import BLACK, NOISE, PERCENTILE, SAMPLES, Masks, Saliency
from likeness.space import Space
from likeness.studies import judged_notions
from pages.saliency import PAGE, job as saliency_job, rows as saliency_rows
from pages.saliency.job import SaliencyRequest
from pages.saliency.rows import Look
from parts import cached, drafts, neighbors, progress, selection, sidebar, trained
from parts.gallery import Section, gallery, picture_grid
from parts.on_request import jobs_on_request
from parts.plain import plain
from parts.sidebar import DRAFT, RAW, listed, readable
from parts.view import View, current_view
from server.jobs import Job
from state import Item, state

_MOST = 24  # images explained at once
_OFFERED = 600  # pictures to choose from
_SHOW = ("Differences", "Maps", "Both")


class _Choices:
    """shown: the request whose maps were shown last. sample: seed of the images that are shown where none is selected."""

    prefix = "saliency_"
    shown = Item[SaliencyRequest | None]()
    sample = Item(0)


choices = _Choices()


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head("Changing a salient part moves the image away from its neighbors.")
    if view.base.differentiable is None:
        st.info(
            "Saliency needs the model, and these vectors came without their model. Choose images embedded here.",
            icon=":material/info:",
        )
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
            help="How many dimensions each notion's space has. Leave it empty to use each notion's own number. "
            "With fewer dimensions, differences stand out more; the paper uses 2.",
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
    """The notions on the maps, or else the first two that the images have labels for, or that fit them."""
    in_sidebar = [name for name in (state.a, state.b) if name in names]
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
        help="Salient parts move an image away from this reference. Off: a black image, as in the paper. Click an image on Explore for a query.",
    )
    samples = st.slider(
        "Noisy copies",
        1,
        100,
        SAMPLES,
        key="saliency_samples",
        help="The map is the sum of gradients over noisy copies of the image (SmoothGrad). More copies give smoother maps and take longer.",
    )
    noise = st.slider(
        "Noise", 0.0, 0.5, NOISE, 0.01, key="saliency_noise", help="Standard deviation of the noise, as a share of the range of pixel values."
    )
    percentile = st.slider(
        "Cut at percentile",
        80.0,
        100.0,
        PERCENTILE,
        0.5,
        key="saliency_percentile",
        help="Values above this percentile share one color, so that a few extreme pixels do not hide the rest.",
    )
    blur = st.slider(
        "Soften (pixels)", 0.0, 5.0, 2.0, 0.5, key="saliency_blur", help="Changes only how maps look. At 0 the grid of the model's patches shows."
    )
    over = st.toggle("Over the image", True, key="saliency_over")
    return base and view.query is not None, samples, noise, Look(show != "Differences", show != "Maps", percentile, blur, over)


def _rows(view: View) -> tuple[int, ...]:
    """The selected images, or the query and some more."""
    chosen = view.selected if len(view.selected) else _sample(view)
    return tuple(int(row) for row in chosen[:_MOST])


def _sample(view: View) -> "np.ndarray":
    visible = np.arange(len(view.frame)) if view.hidden is None else np.flatnonzero(~view.hidden)
    some = np.random.default_rng(choices.sample).permutation(visible)[:6]
    return some if view.query is None else np.unique(np.append(some[:5], view.query))


def _show_maps(view: View, request: SaliencyRequest, look: Look) -> None:
    if not request.rows:
        st.info("No image matches the filters.", icon=":material/info:")
        return
    images = "the image" if len(request.rows) == 1 else f"the {len(request.rows)} images below"
    help = f"**Which parts of an image decide where it lies?** Computes a map of {images} for each space. No labels are needed."
    begun = jobs_on_request("Compute maps", help, saliency_job.work_of(request))
    if begun:
        progress.follow(*begun, resume="Resume")
    if begun and begun[0].result:
        choices.shown = request
    shown = choices.shown
    last = saliency_job.find(shown) if shown and shown.dataset == request.dataset else None
    if shown and last and last.result:
        is_current = shown.key == request.key
        if not is_current:
            st.caption(":material/info: The settings have changed. The maps below belong to the earlier ones.")
        _pictures(view, shown, last, look, is_current)


def _pictures(view: View, request: SaliencyRequest, job: Job, look: Look, is_current: bool) -> None:
    found = job.result
    differing = [space for space in found[:-1] if saliency_rows.alike(space, found[-1])]
    if look.differences and differing:
        against = readable(request.spaces[-1].name)
        against = plain(against if against.startswith("Run ") else f"the {against.lower()}")
        st.caption(f"Yellow marks what a space pays more attention to than {against}; blue marks what it pays less attention to.")
    else:
        st.caption("Yellow marks what decides where the image lies in the space; blue hardly matters.")
    if look.differences and len(differing) < len(found) - 1:
        st.caption("A run that crops images sees different pixels, so its own map is shown instead of a difference.")
    if notions := [f"{plain(readable(space.name))} in {space.vectors.shape[1]}" for space in request.spaces if space.base is not None]:
        st.caption(f"Dimensions: {listed(notions)}.")
    names = [str(view.frame["path"].iloc[row]).rsplit("/", 1)[-1] for row in request.rows]
    masks = saliency_rows.known_masks(request.spaces[-1], request.rows)
    picture_grid(saliency_rows.titles(found, look), saliency_rows.rows(found, names, masks, look), key="saliency_grid", tile=_tile(found, look))
    if is_current and masks is not None and saliency_job.control_dims(request) and len(found[-1]) == len(request.rows):
        _control(request, found, masks, look)


def _control(request: SaliencyRequest, found: list[Saliency], masks: Masks, look: Look) -> None:
    """How much of the maps lies on the cars by chance: the same for random projections of as many dimensions."""
    job = saliency_job.begin_controls(request)
    if progress.follow(job, resume="Resume", place="control"):
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
            st.caption("These images were drawn at random. Choose others below, or select some on Explore.")
            st.button("Draw others", icon=":material/shuffle:", type="tertiary", on_click=_shuffle)
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
    choices.sample += 1


main()
