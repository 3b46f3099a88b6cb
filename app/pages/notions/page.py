"""Notions: say in words what counts as similar, see the space follow."""

from contextlib import suppress

import streamlit as st

from access import redact
from components.gallery import Section, gallery
from likeness.data import has_label
from likeness.errors import InputError
from likeness.notions import InDiReCT
from likeness.space import Space
from pages.notions import editor as notion_editor, found
from shared import aspect_labels, cached, clicks, drafts, map_controls, maps, neighbors, problems, report_download, selection, verdict
from shared.drafts import Draft
from shared.plain import plain
from shared.sidebar import ASPECTS, readable
from shared.view import View, current_view

_NOW = "Now"  # the column that is clicked on
_METRICS = {
    "map_at_r": (
        "MAP@R",
        "Of an image's R nearest neighbors, where R is the number of others with its label: how many share the label, nearest counting most.",
    ),
    "precision_at_1": ("Precision@1", "How often the nearest neighbor has the same label."),
    "r_precision": ("R-precision", "The share of an image's R nearest neighbors that have its label, in any order."),
}


def main() -> None:
    """Draws the page."""
    view = current_view()
    if view.base.embed_texts is None:
        st.info("Notions need an encoder that reads text. Choose images that were embedded with a CLIP model.", icon=":material/info:")
        return
    if clicks.settle(view):
        drafts.renew_form()
        st.rerun()
    editor, pictures = st.columns([1, 2.15], gap="large")
    with editor:
        draft = notion_editor.edit(view)
    with pictures:
        found.show(view)
        _pictures(view, draft)


def _pictures(view: View, draft: Draft) -> None:
    try:
        fit = cached.fit(view.entry.id, draft.notion, draft.solver, draft.seed)
    except InputError as error:
        last = _last_fit(view)
        below = "The map shows the last version that could be fitted." if last else "Change it, and its map appears here."
        problem = redact(error)
        st.warning(f"{plain(problem)} {below}" if problems.is_new(problem) else below, icon=":material/warning:")
        if last is None:
            return
        fit = last
    saved = notion_editor.saved_fit(view, draft)
    _quiet_line(fit)
    judge = verdict.of_notion(view, draft.notion)
    choice = map_controls.choose("notions")
    maps.draw(view, [view.base, fit], choice, slot="notions", key="notion_map", height=545, on_query=selection.ask)
    numbers = st.container()  # filled after what is below: neighbors do not wait for them
    _before_and_after(view, fit, saved, draft)
    with numbers:
        _numbers(view, fit, saved, draft)
    judge()
    if fit.table.has_images and len(fit) >= 3:
        report_download.offer_notion(view, draft, choice.method)


def _last_fit(view: View) -> Space | None:
    """The last version of the notion that could be fitted; never another notion's."""
    for draft in drafts.versions():
        with suppress(InputError):
            return cached.fit(view.entry.id, draft.notion, draft.solver, draft.seed)
    return None


def _quiet_line(fit: Space) -> None:
    stats, estimator = fit.estimator.fit_stats_, fit.estimator
    text = f"{stats.n_prompts} prompts, {_newly_encoded(fit)} encoded, fitted in {1000 * stats.fit_seconds:.0f} ms, {fit.vectors.shape[1]} dimensions"
    if not isinstance(estimator, InDiReCT):  # the others have no such loss
        st.caption(text)
        return
    st.caption(
        f"{text}, {estimator.describe_loss()}",
        help="The mean angle between a prompt and what the space keeps of it: small means that the space keeps all that the prompts say.",
    )


def _newly_encoded(fit: Space) -> int:
    """Prompts that the last edit made the encoder read; a fit that is shown again encoded none."""
    counts = st.session_state.setdefault("encoded_by_fit", {})
    if st.session_state.get("last_fit") != id(fit):
        counts[id(fit)] = 0 if id(fit) in counts else fit.estimator.fit_stats_.n_encoded
        st.session_state["last_fit"] = id(fit)
    return int(counts[id(fit)])


def _numbers(view: View, fit: Space, saved: Space | None, draft: Draft) -> None:
    attribute = draft.attribute
    if attribute not in view.base.table.attributes:
        return
    raw = cached.metrics(view.entry.id, view.base, attribute)
    now = cached.metrics(view.entry.id, fit, attribute)
    before = cached.metrics(view.entry.id, saved, attribute) if saved else raw
    st.markdown(f"**Judged by {plain(readable(attribute).lower())}**")
    aspect_labels.caution([attribute])
    left_out = int((~has_label(view.base.table.frame[attribute])).sum())
    if left_out:
        st.caption(f"{left_out:,} of {len(view.base):,} images have no label and take no part.")
    for column, (name, (title, meaning)) in zip(st.columns(len(_METRICS)), _METRICS.items(), strict=True):
        against = "saved" if saved else "raw"
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


def _before_and_after(view: View, fit: Space, saved: Space | None, draft: Draft) -> None:
    query = neighbors.Query(row=view.query or 0)
    spaces = [("Raw encoder", view.base), *([("Saved", saved)] if saved else []), (_NOW, fit)]
    nearest = neighbors.find(view, query, [space for _, space in spaces])
    st.html(
        f'<div class="query"><img src="{view.thumbnails.format(row=query.row)}" alt="The query">'
        "<span><b>Neighbors of this image</b> in each space. Click a point or an image to make it the query.</span></div>"
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
            answers=clicks.answers(draft, view, query.row, each.rows[:12].tolist()) if title == _NOW else None,
            ranked=True,
            note=each.note,
        )
        for (title, _), each in zip(spaces, nearest, strict=True)
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


main()
