"""Notions: say in words what counts as similar, and see the space follow."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from likeness.data import has_label
from likeness.errors import InputError
from likeness.found_notions import FoundNotion
from likeness.notions import InDiReCT, Notion
from likeness.space import Space
from pages.notions import editor, library
from parts import aspect_labels, cached, clicks, drafts, errors, map_controls, maps, neighbors, report_download, selection, sidebar, verdict
from parts.drafts import Draft
from parts.gallery import Section, gallery
from parts.plain import plain
from parts.sidebar import ASPECTS, RAW, readable
from parts.view import View, current_view
from server.access import redact
from state import Item

_METRICS = {
    "map_at_r": ("MAP@R", "With R the number of other images with the same label: how many of the R nearest have it, the nearest counting most."),
    "precision_at_1": ("Precision@1", "How often the nearest neighbor has the same label."),
    "r_precision": ("R-precision", "The share of an image's R nearest neighbors with the same label, in any order."),
}
_DIRECTIONS = 3
_ENDS, _END_TILE = 4, 72  # images at each end of a direction, pixels


class _Page:
    """Whether the list of the images' notions is open."""

    prefix = "notions_"
    is_list_open = Item(False)


_page = _Page()


def main() -> None:
    """Draws the page."""
    view = current_view()
    if view.base.embed_texts is None:
        st.info("Notions need an encoder that reads text. Choose images that were embedded with a CLIP model.", icon=":material/info:")
        st.page_link("pages/images/page.py", label="Choose images", icon=":material/add_photo_alternate:")
        return
    if clicks.settle(view):
        drafts.renew_form()
        st.rerun()
    form, pictures = st.columns([1, 2.15], gap="large")
    with form:
        draft = editor.edit(view)
        st.button("Which notions do these images have?", icon=":material/manage_search:", type="tertiary", on_click=_open_list, args=(True,))
    with pictures:
        if _page.is_list_open:
            _list_notions(view)
        _pictures(view, draft)


def _fit(view: View, draft: Draft) -> Space:
    """The space of a draft, called as the page calls it."""
    return cached.fit(view.entry.id, replace(draft.notion, name=library.title(draft)), draft.solver, draft.seed)


def _pictures(view: View, draft: Draft) -> None:
    try:
        fit = _fit(view, draft)
    except InputError as error:
        last = _last_fit(view)
        below = "The map shows the last version that worked." if last else "Change it, and its map appears here."
        problem = redact(error)
        st.warning(f"{plain(problem)} {below}" if errors.is_new(problem) else below, icon=":material/warning:")
        if last is None:
            return
        fit = last
    saved = _saved_fit(view, draft)
    _quiet_line(fit)
    show_trust = verdict.of_notion(view, draft.notion)
    choice = map_controls.choose("notions")
    maps.draw(view, [view.base, fit], choice, slot="notions", key="notion_map", height=545, on_query=selection.ask)
    numbers = st.container()  # filled after what is below: neighbors do not wait for them
    _neighbors(view, fit, saved, draft)
    with numbers:
        _numbers(view, fit, saved, draft)
    show_trust()
    if fit.table.has_images and len(fit) >= 3:
        report_download.offer_notion(view, draft, choice.method)


def _last_fit(view: View) -> Space | None:
    """The last version of the notion that could be fitted; never another notion's."""
    for draft in drafts.versions():
        with suppress(InputError):
            return _fit(view, draft)
    return None


def _saved_fit(view: View, draft: Draft) -> Space | None:
    """The space of the saved notion that the draft began from; None where it equals the draft or there is none."""
    saved = library.saved_of(draft)
    if saved is None or drafts.of(saved) == replace(draft, clicks=saved.clicks):  # clicks alone change no space
        return None
    with suppress(InputError):
        return cached.fit(view.entry.id, saved)
    return None


def _quiet_line(fit: Space) -> None:
    stats, estimator, count = fit.estimator.fit_stats_, fit.estimator, fit.vectors.shape[1]
    text = f"{stats.n_prompts} prompts, {editor.encoded()} encoded, fitted in {1000 * stats.fit_seconds:.0f} ms, {count} dimensions"
    if not isinstance(estimator, InDiReCT):  # the others have no such loss
        st.caption(text)
        return
    help = "The mean angle between a prompt and its image in the space. Small: the space keeps all that the prompts say."
    st.caption(f"{text}, {estimator.describe_loss()}", help=help)


def _numbers(view: View, fit: Space, saved: Space | None, draft: Draft) -> None:
    attribute = draft.attribute
    if attribute not in view.base.table.attributes:
        return
    raw = cached.metrics(view.entry.id, view.base, attribute)
    now = cached.metrics(view.entry.id, fit, attribute)
    before = cached.metrics(view.entry.id, saved, attribute) if saved else raw
    st.markdown(f"**Evaluated with {plain(readable(attribute).lower())}**")
    aspect_labels.caution([attribute])
    left_out = int((~has_label(view.base.table.frame[attribute])).sum())
    if left_out:
        st.caption(f"{left_out:,} of {len(view.base):,} images have no label and are left out.")
    for column, (name, (title, meaning)) in zip(st.columns(len(_METRICS)), _METRICS.items(), strict=True):
        against = "saved" if saved else "raw encoder"
        change = now[name] - before[name]
        same = abs(change) < 0.0005
        column.metric(
            title,
            f"{now[name]:.3f}",
            "0.000" if same else f"{change:+.3f}",
            delta_color="off" if same else "normal",
            delta_arrow="off" if same else "auto",
            delta_description=f"vs. {against}",
            help=meaning,
        )
        column.caption(f"raw encoder {raw[name]:.3f}" + (f" · saved {before[name]:.3f}" if saved else ""))


def _neighbors(view: View, fit: Space, saved: Space | None, draft: Draft) -> None:
    query = neighbors.Query(row=view.query or 0)
    spaces = [(RAW, view.base), *([(f"{readable(draft.origin)} (saved)", saved)] if saved else []), (readable(fit.name), fit)]
    nearest = neighbors.find(view, query, [space for _, space in spaces])
    st.html(
        f'<div class="query"><img src="{view.thumbnails.format(row=query.row)}" alt="The query">'
        "<span><b>Neighbors of this image.</b> Click a point or an image to see its neighbors.</span></div>"
    )
    clicks.line(draft)
    attribute = draft.attribute if draft.attribute in view.base.table.attributes else view.color
    sections = [
        Section(
            title,
            each.rows[:12].tolist(),
            similarities=each.similarities[:12].tolist(),
            same=neighbors.same(view, query, each.rows[:12], attribute),
            same_by=readable(attribute or "").lower().removeprefix(ASPECTS),
            captions=neighbors.captions(view, each.rows[:12], attribute),
            answers=clicks.answers(draft, view, query.row, each.rows[:12].tolist()) if space is fit else None,
            ranked=True,
            note=each.note,
        )
        for (title, space), each in zip(spaces, nearest, strict=True)
    ]
    gallery(
        sections,
        thumbnails=view.thumbnails,
        key="before_after",
        query=query.row,
        layout="columns",
        tile=84,
        on_click=selection.ask,
        on_answer=lambda place, row, alike: clicks.take(draft, view, query.row or 0, sections[place].rows, row, alike),
    )


def _open_list(whether: bool) -> None:
    _page.is_list_open = whether


def _open_notion(view: View, notion: Notion) -> None:
    library.put(drafts.of(notion), view)
    _open_list(False)


def _list_notions(view: View) -> None:
    """Draws the notions of the library by how far they can be trusted with these images, and what varies beyond them."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown("**Which notions do these images have?**", width="content")
            st.button("Close", icon=":material/close:", type="tertiary", on_click=_open_list, args=(False,))
        with st.spinner("Reading the images ..."):
            found = cached.found_notions(view.base, sidebar.fitting(view.base))
        st.caption("Estimated without labels. The share is how much of the variation between the images the notion covers.")
        for place, each in enumerate(found):
            _draw_notion(view, place, each)
        _beyond(view, [each.notion for each in found if each.trust.reads])


def _draw_notion(view: View, place: int, found: FoundNotion) -> None:
    name, trust, share, opened = st.columns((1.1, 1.5, 0.5, 0.4), vertical_alignment="center", gap="small")
    name.markdown(f"**{plain(readable(found.notion.name))}**")
    mark = ":gray[:material/visibility: Reliable" if found.trust.reads else ":orange[:material/warning: Not reliable"
    trust.markdown(f"{mark} ({found.trust.score:.2f})]")
    share.markdown(f"{100 * found.share:.0f} % share")
    opened.button("Open", key=f"found_{place}", on_click=_open_notion, args=(view, found.notion))


def _beyond(view: View, named: list[Notion]) -> None:
    try:
        directions = cached.unnamed_directions(view.base, named, _DIRECTIONS)
    except InputError:  # nothing is left
        return
    st.markdown("**What else the images differ in**")
    st.caption("No notion covers these differences. If you see what sets the two ends apart, write a notion for it.")
    for number, each in enumerate(directions, start=1):
        ends = [
            Section(f"{100 * each.share:.0f} % of the variation: one end", each.low[:_ENDS].tolist()),
            Section("The other end", each.high[:_ENDS].tolist()),
        ]
        gallery(ends, thumbnails=view.thumbnails, key=f"unnamed_{number}", layout="columns", tile=_END_TILE)


main()
