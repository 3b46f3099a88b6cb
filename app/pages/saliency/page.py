"""Page Saliency: which parts of an image decide its place in a space, and how spaces differ in that."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from likeness.errors import InputError
from likeness.io import spoken_name
from likeness.saliency import BLACK, NOISE, PERCENTILE, SAMPLES
from likeness.space import Space
from likeness.studies import judged_notions
from pages.saliency import PAGE, maps
from pages.saliency.maps import Look, SaliencyRequest
from parts import cached, drafts, neighbors, progress, selection, sidebar
from parts.app_page import show_missing
from parts.gallery import Section, gallery, picture_grid
from parts.on_request import jobs_on_request
from parts.plain import plain
from parts.sidebar import DRAFT, listed, readable
from parts.view import View, current_view
from server.jobs import Job
from state import Item, state

_MOST = 24  # images explained at once
_OFFERED = 600  # pictures to choose from
_SHOW = ("Differences", "Maps", "Both")
_DIM_HELP = (
    "Dimensions of each notion's space. Leave it empty to use each notion's own number. With fewer dimensions, differences stand out "
    "more. The paper uses 2."
)
_BASE_HELP = (
    "Salient parts move an image away from this reference. Off: a black image, as in the paper. Click an image on Explore to make it the query."
)
_SAMPLES_HELP = "The map sums gradients over noisy copies of the image (SmoothGrad). More copies give smoother maps but take longer."
_NOISE_HELP = "Standard deviation of the noise, as a share of the range of pixel values."
_PERCENTILE_HELP = "Values above this percentile share one color, so that a few extreme pixels do not hide the rest."


_shown = Item[SaliencyRequest | None](key="saliency_shown")  # the request whose maps were shown last
_sample = Item(0, key="saliency_sample")  # seed of the images that are shown where none is selected


def main() -> None:
    view = current_view()
    PAGE.show_head("Changing a salient part moves the image away from its neighbors.")
    if view.base.differentiable is None:
        show_missing("Saliency needs the model, and these vectors came without it. Choose images that were added here.")
        return
    request, look = _settings(view)
    _show_maps(view, request, look)
    _choose_images(view)


def _settings(view: View) -> tuple[SaliencyRequest, Look]:
    linked: dict[str, Any] = {"bind": "query-params"}
    names = sidebar.space_names(view.notions)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spaces: list[str] = []
        if names[1:]:
            default, empty = _first_shown(view, names[1:]), "Choose up to four spaces"
            options = {"key": "looked_at", "max_selections": 4, "placeholder": empty} | linked
            spaces = st.multiselect("Spaces", names[1:], default, format_func=readable, **options)
        against = st.selectbox("Compared with", names, format_func=readable, key="against", width=220, **linked)
        most, options = view.base.vectors.shape[1], {"placeholder": "Own", "key": "saliency_dim", "width": 130} | linked
        dim = st.number_input("Dimensions", 1, most, None, help=_DIM_HELP, **options)
        show = st.segmented_control("Show", _SHOW, default=_SHOW[0], required=True, key="saliency_show", **linked) or _SHOW[0]
        with st.popover("Settings", icon=":material/tune:"):
            by_query = st.toggle("Measure against the query image", key="saliency_base", disabled=view.query is None, help=_BASE_HELP)
            samples = st.slider("Noisy copies", 1, 100, SAMPLES, key="saliency_samples", help=_SAMPLES_HELP)
            noise = st.slider("Noise", 0.0, 0.5, NOISE, 0.01, key="saliency_noise", help=_NOISE_HELP)
            percentile = st.slider("Cut at percentile", 80.0, 100.0, PERCENTILE, 0.5, key="saliency_percentile", help=_PERCENTILE_HELP)
    base = view.query if by_query and view.query is not None else BLACK
    shown = tuple(_space(view, name, dim) for name in [*(name for name in spaces if name != against), against])
    request = SaliencyRequest(view.entry.id, shown, _rows(view), base, samples, noise)
    return request, Look(show != "Differences", show != "Maps", percentile)


def _first_shown(view: View, names: list[str]) -> list[str]:
    """The notions on the maps, or else the first two whose labels the images have or that fit them."""
    in_sidebar = [name for name in (state.a, state.b) if name in names]
    try:
        labeled = [notion.name for notion in judged_notions(view.base.table)]
    except InputError:
        labeled = [name for name in view.notions if name != DRAFT] or names
    return in_sidebar or labeled[:2]


def _space(view: View, name: str, dim: int | None) -> Space:
    """A space of the sidebar; a notion's in `dim` dimensions, or in its own number if None."""
    space = sidebar.space(view.entry.id, name)
    if dim is None or space.base is None:
        return space
    draft = drafts.current() if name == DRAFT else None
    notion = replace(view.notions[name], name=space.name, dim=dim)
    return cached.fit(view.entry.id, notion, *((draft.solver, draft.seed) if draft else ()))


def _rows(view: View) -> tuple[int, ...]:
    """The selected images, or random ones including the query."""
    chosen = view.selected
    if not len(chosen):
        chosen = np.random.default_rng(_sample.get()).permutation(view.rows)[:6]
        chosen = chosen if view.query is None else np.unique(np.append(chosen[:5], view.query))
    return tuple(int(row) for row in chosen[:_MOST])


def _show_maps(view: View, request: SaliencyRequest, look: Look) -> None:
    if not request.rows:
        st.info("No image matches the filters.", icon=":material/info:")
        return
    images = "the image" if len(request.rows) == 1 else f"the {len(request.rows)} images below"
    help = f"**Which parts of an image decide where it lies?** Computes a map of {images} for each space. No labels are needed."
    begun = jobs_on_request("Compute maps", help, request.work())
    if begun is None:
        gallery([Section("Images", request.rows)], thumbnails=view.thumbnails, key="saliency_chosen", tile=84)
    else:
        progress.follow(*begun, resume="Resume")
    if begun and begun[0].result:
        _shown.set(request)
    shown = _shown.get()
    last = shown.work().find() if shown and shown.dataset == request.dataset else None
    if shown and last and last.result:
        is_current = shown.key == request.key
        if not is_current:
            st.caption(":material/info: The settings have changed. The maps below use the earlier ones.")
        _pictures(view, shown, last, look, is_current)


def _pictures(view: View, request: SaliencyRequest, job: Job, look: Look, is_current: bool) -> None:
    found = job.result
    differing = [space for space in found[:-1] if maps.alike(space, found[-1])]
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
    names = [spoken_name(str(view.frame["path"].iloc[row])) for row in request.rows]
    masks = maps.known_masks(request.spaces[-1], request.rows)
    titles, rows = maps.grid(found, names, masks, look)
    picture_grid(titles, rows, key="saliency_grid", tile=170 if len(titles) <= 4 else 140)
    if is_current and masks is not None and any(request.dims) and len(found[-1]) == len(request.rows):
        # the share by chance: that of random projections to as many dimensions
        control = request.controls().begin()
        if progress.follow(control, resume="Resume", place="control"):
            st.caption(maps.control_sentence(found, request.dims, control.result, masks, look))


def _choose_images(view: View) -> None:
    chosen = view.selected
    with st.container(horizontal=True, vertical_alignment="center"):
        if count := len(chosen):
            many = f"The first {_MOST} of {count:,} selected images." if count > _MOST else f"The {count:,} selected images."
            st.caption("The selected image." if count == 1 else many)
            st.button("Clear the selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],))
        else:
            st.caption("These images were drawn at random. Choose others below, or select some on Explore.")
            st.button("Draw others", icon=":material/shuffle:", type="tertiary", on_click=_sample.set, args=(_sample.get() + 1,))
    with st.expander("Choose images", icon=":material/photo_library:"):
        offered = {"Selected": chosen[:_MOST], "Images": np.setdiff1d(view.rows, chosen)[:_OFFERED]}
        empty = "No further image matches the filters."
        sections = [
            Section(title, rows.tolist(), captions=neighbors.captions(view, rows), empty=empty)
            for title, rows in offered.items()
            if len(rows) or title == "Images"
        ]
        gallery(sections, thumbnails=view.thumbnails, key="saliency_images", tile=84, on_click=_toggle)


def _toggle(row: int) -> None:
    selection.select(set(state.rows.tolist()) ^ {row})


main()
