"""Page Notions: say in words what counts as similar, and see the resulting space."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from likeness.data import has_label
from likeness.errors import InputError
from likeness.evaluation import find_metric, metric_title
from likeness.notions import InDiReCT, Notion
from likeness.space import Space
from pages.notions import editor, library
from parts import aspect_labels, cached, clicks, drafts, errors, map_controls, maps, neighbors, report_download, selection, sidebar, verdict
from parts.app_page import show_missing
from parts.drafts import Draft
from parts.gallery import Section, gallery
from parts.plain import plain
from parts.sidebar import ASPECTS, RAW, readable
from parts.view import View, current_view
from server.access import redact

_METRICS = ("map_at_r", "precision_at_1", "r_precision")
_DIRECTIONS = 3
_ENDS, _END_TILE = 4, 72  # images at each end of a direction, pixels


def main() -> None:
    view = current_view()
    if view.base.embed_texts is None:
        words = "Notions need an encoder that reads text. Add these images again with such an encoder, or choose others."
        show_missing(words, "images", "Choose another encoder", "swap_horiz")
        return
    if clicks.settle(view):
        drafts.renew_form()
        st.rerun()
    form, pictures = st.columns([1, 2.15], gap="large")
    with form:
        draft = editor.edit(view)
        if st.button("Which notions do these images have?", icon=":material/manage_search:", type="tertiary"):
            _list_notions(view)
    with pictures:
        _pictures(view, draft)


def _fit(view: View, draft: Draft) -> Space:
    """The space of a draft, under the page's name for it."""
    return cached.fit(view.entry.id, replace(draft.notion, name=library.title(draft)), draft.solver, draft.seed)


def _pictures(view: View, draft: Draft) -> None:
    try:
        fit = _fit(view, draft)
    except InputError as error:
        last = _last_fit(view)
        below = "The map shows the last valid version." if last else "Change it, and its map appears here."
        problem = redact(error)
        st.warning(f"{plain(problem)} {below}" if errors.is_new(problem) else below, icon=":material/warning:")
        if last is None:
            return
        fit = last
    saved = _saved_fit(view, draft)
    _quiet_line(fit)
    show_trust: Callable[[], None] | None = None
    with suppress(InputError):  # of a draft that is not valid, as the form says
        show_trust = verdict.of_notion(view, draft.notion)
    choice = map_controls.choose("notions")
    maps.draw(view, [view.base, fit], choice, slot="notions", key="notion_map", height=545, on_query=selection.ask)
    numbers = st.container()  # filled after what is below: neighbors do not wait for them
    _neighbors(view, fit, saved, draft)
    with numbers:
        _numbers(view, fit, saved, draft.attribute)
    if show_trust:
        show_trust()
    if fit.table.has_images and len(fit) >= 3:
        report_download.offer_notion(view, draft, choice.method)


def _last_fit(view: View) -> Space | None:
    """The notion's last valid version; never another notion's."""
    for draft in drafts.versions():
        with suppress(InputError):
            return _fit(view, draft)
    return None


def _saved_fit(view: View, draft: Draft) -> Space | None:
    """The space of the saved notion that the draft is based on; None if it equals the draft or there is none."""
    saved = library.saved_of(draft)
    if saved is None or drafts.of(saved) == replace(draft, clicks=saved.clicks):  # clicks alone change no space
        return None
    with suppress(InputError):
        return cached.fit(view.entry.id, saved)
    return None


def _quiet_line(fit: Space) -> None:
    estimator, stats = fit.estimator, fit.estimator.fit_stats_
    text = f"{stats.n_prompts} prompts, {editor.encoded()} encoded, fitted in {1000 * stats.fit_seconds:.0f} ms, {fit.vectors.shape[1]} dimensions"
    help = None
    if isinstance(estimator, InDiReCT):  # the others have no such loss
        text += f", {estimator.describe_loss()}"
        help = "The mean angle between a prompt and its projection. If it is small, the space keeps all that the prompts say."
    st.caption(text, help=help)


def _numbers(view: View, fit: Space, saved: Space | None, attribute: str | None) -> None:
    if attribute not in view.base.table.attributes:
        return
    raw, now = (cached.metrics(view.entry.id, space, attribute) for space in (view.base, fit))
    before = cached.metrics(view.entry.id, saved, attribute) if saved else raw
    st.markdown(f"**Evaluated with {plain(readable(attribute).lower())}**")
    aspect_labels.caution([attribute])
    left_out = int((~has_label(view.base.table.frame[attribute])).sum())
    if left_out:
        st.caption(f"{left_out:,} of {len(view.base):,} images have no label and are left out.")
    for column, name in zip(st.columns(len(_METRICS)), _METRICS, strict=True):
        change = now[name] - before[name]
        same = abs(change) < 0.0005
        column.metric(
            metric_title(name),
            f"{now[name]:.3f}",
            "0.000" if same else f"{change:+.3f}",
            delta_color="off" if same else "normal",
            delta_arrow="off" if same else "auto",
            delta_description="vs. saved" if saved else "vs. raw encoder",
            help=find_metric(name).help,
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


@st.dialog("Which notions do these images have?", width="large")
def _list_notions(view: View) -> None:
    """Draws the library's notions by their reliability on these images, and directions that none covers."""
    with st.spinner("Reading the images ..."):
        found = cached.found_notions(view.base, sidebar.fitting(view.base))
    st.caption("Estimated without labels. Share: how much of the variation between the images the notion covers.")
    for place, each in enumerate(found):
        name, trust, share, opened = st.columns((1.1, 1.5, 0.5, 0.4), vertical_alignment="center", gap="small")
        name.markdown(f"**{plain(readable(each.notion.name))}**")
        mark = ":gray[:material/visibility: Reliable" if each.trust.reads else ":orange[:material/warning: Not reliable"
        trust.markdown(f"{mark} ({each.trust.score:.2f})]")
        share.markdown(f"{100 * each.share:.0f} % share")
        if opened.button("Open", key=f"found_{place}", on_click=library.put, args=(drafts.of(each.notion), view)):
            st.rerun()
    _beyond(view, [each.notion for each in found if each.trust.reads])


def _beyond(view: View, named: list[Notion]) -> None:
    try:
        directions = cached.unnamed_directions(view.base, named, _DIRECTIONS)
    except InputError:  # nothing is left
        return
    st.markdown("**What else the images differ in**")
    st.caption("No notion covers these differences. If you see what distinguishes the two ends, write a notion for it.")
    for number, each in enumerate(directions, start=1):
        ends = [
            Section(f"{100 * each.share:.0f} % of the variation: one end", each.low[:_ENDS].tolist()),
            Section("The other end", each.high[:_ENDS].tolist()),
        ]
        gallery(ends, thumbnails=view.thumbnails, key=f"unnamed_{number}", layout="columns", tile=_END_TILE)


main()
