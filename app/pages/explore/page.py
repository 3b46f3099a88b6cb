"""Explore: one or two linked maps, search by image and by text, neighbors, selection."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from likeness.data import PHOTO_COLUMNS
from likeness.defaults import reads_as_rendered_cars
from likeness.errors import InputError
from likeness.notions import Notion, list_notions
from pages.explore import matching, table
from parts import (
    add_images,
    aspect_labels,
    cached,
    clicks,
    drafts,
    errors,
    map_controls,
    maps,
    neighbors,
    selection,
    sidebar,
    verdict,
)  # fmt: skip
from parts.gallery import Section, gallery
from parts.label_edits import label_bar
from parts.plain import plain
from parts.query_bar import add_row, query_bar
from parts.sidebar import readable
from parts.view import View, current_view
from server import added_labels
from server.access import redact, refusal
from server.addresses import address
from server.visitors import notions_dir
from state import Item, State, state

_TILE, _SMALL_TILE = 104, 76  # pixels
_NAMED = 6  # aspects in the template's label
_OFFERED = 8  # notions that color the map by one click; where there are more, they stand in the sidebar's menu alone
_SHOWN = 600  # pictures that the browser gets at most; the rest by selecting
_LINKED = 10  # neighbors joined to the query on the maps
_HEIGHT = 660  # pixels, of the maps and of what stands beside them
# of the width, by the number of maps; the columns are there in every run, so that a click does not draw the maps anew
_WIDTHS = {1: (1.55, 1), 2: (1.9, 1)}
_GALLERIES = ("nearest", "selected", "all")


class _Explore:
    """What the page keeps for its next run."""

    prefix = "explore_"
    template_problem = Item("")


_explore = _Explore()


def main() -> None:
    """Draws the page."""
    view = current_view()
    if clicks.settle(view):
        st.rerun()
    verdict.of_encoder(view)
    with st.container(gap=None):  # which leaves no room for jobs where there are none
        with st.container():
            add_images.show_jobs(view.dataset)
        with st.container(horizontal=True, key="explore_top"):
            with st.container(width="stretch"):
                judge_colors = _notion_line(view)
            add_images.button()
    query, choice = _search_bar(view)
    found, problem = _find(view, query)
    if table.is_wide():
        with st.container():
            label_bar(view)
            table.draw(view, query, found, view.chosen, problem)
        judge_colors()
        return
    map_column, pictures_column = st.columns(_WIDTHS[len(view.spaces)], gap="medium")
    judge_shown = judge_colors
    with map_column:
        maps.draw(
            view,
            view.spaces,
            choice,
            slot="explore",
            key="map",
            height=_HEIGHT,
            on_query=neighbors.image_was_clicked,
            neighbors=_marked(view, query, found),
            named=True,
        )
        if view.b is not None:
            _agreement(view)
        if view.aspects is not None:
            judge_shown = _guesses(view)
        elif view.color and added_labels.made_by_encoder([view.color]):
            aspect_labels.caution([view.color])
            aspect_labels.offer_to_remove(view, view.color)
    with pictures_column:
        label_bar(view, *_GALLERIES)
        with st.container(height=_HEIGHT, border=False):
            if not table.draw(view, query, found, view.chosen, problem):
                _pictures(view, query, found, problem)
    for judge in dict.fromkeys([judge_colors, judge_shown]):
        judge()


def _notion_line(view: View) -> Callable[[], None]:
    """Draws the sentence and the template; without a notion, the way to one. What it returns says at the end of the page which of the
    offered colors cannot be relied on: the maps do not wait for it."""
    if view.base.embed_texts is None:
        return _nothing
    drafts.show_news()
    slot, notion = _shown_notion()
    if notion is not None:
        _sentence(view, slot, notion)
        return _nothing
    with st.container(gap="xxsmall"):  # one element of the page in every run, so that a line more does not draw the maps anew
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            names = _colors(view)
            st.page_link("pages/notions/page.py", label="Describe what makes two images similar", icon=":material/tune:")
        return verdict.of_colors(view, names) if names else _nothing


def _nothing() -> None:
    pass


def _sentence(view: View, slot: str, notion: Notion) -> None:
    beside = slot == "b" and state.a == sidebar.RAW
    start = f"The same {len(view.frame):,} images twice: on the left by the raw encoder, on the right by" if beside else "By"
    st.markdown(f"{start} **{plain(notion.name)}**. {plain(notion.question)}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(notion.templates) == 1:
            _template(slot, notion)
        edited = getattr(state, slot) == sidebar.DRAFT
        link = {} if edited else {"query_params": {"notion": notion.name}}
        st.page_link("pages/notions/page.py", label="Edit the notion", icon=":material/tune:", **link)
    for problem in filter(None, [plain(_Explore.template_problem.take()), verdict.unread_of(view.base, notion)]):
        st.markdown(f":orange[:material/warning: {problem}]")


def _colors(view: View) -> list[str]:
    """Where a notion's aspects color the map, or no labels do but those that people gave here, the notions that can, by one click
    each; their names."""
    names, table = sidebar.notion_names(view.base), view.base.table
    came_with_labels = set(table.attributes) - {*PHOTO_COLUMNS, *table.frame.attrs.get("tag_columns", {}).values()}
    if (view.aspects is None and came_with_labels) or len(names) > _OFFERED:
        return []
    st.markdown("Color by", width="content")
    for name in names:
        chosen = view.color == f"{sidebar.ASPECTS}{name}"
        question = plain(sidebar.notion_by(name).question) or None
        kind: Literal["primary", "secondary"] = "primary" if chosen else "secondary"
        st.button(plain(sidebar.readable(name)), key=f"color_by_{name}", type=kind, on_click=_color_by, args=(name,), help=question)
    return names


def _color_by(name: str) -> None:
    state.next_color = f"{sidebar.ASPECTS}{name}"


def _shown_notion() -> tuple[str, Notion | None]:
    """The notion of the right map, else of the left one, with the name of its value in the state."""
    known = {notion.name: notion for notion in list_notions(notions_dir())}
    draft = drafts.current()
    for slot in ("b", "a"):
        name = getattr(state, slot)
        if name == sidebar.DRAFT and draft is not None:
            return slot, draft.notion
        if name in known:
            return slot, known[name]
    return "", None


def _template(slot: str, notion: Notion) -> None:
    some = ", ".join(notion.aspects[:_NAMED]) + (", ..." if len(notion.aspects) > _NAMED else "")
    # of the edited and of the saved notion, each its own field; and another one where the draft was replaced from elsewhere
    key = f"template_{getattr(state, slot)}_{notion.name}_{state.form}"
    st.text_input(
        f"Template, where {{}} is each of {len(notion.aspects)} aspects ({plain(some)})",
        notion.templates[0],
        key=key,
        on_change=_take,
        args=(key, slot, notion),
        help="Change the words and the map follows. The saved notion stays as it is.",
    )


def _take(key: str, slot: str, notion: Notion) -> None:
    """Makes the notion with the new template the edited one, in the same place."""
    edited = drafts.current() if getattr(state, slot) == sidebar.DRAFT else None
    draft = replace(edited or drafts.of(notion), templates=st.session_state[key])
    try:
        draft.notion  # noqa: B018  (raises where the template is not valid)
    except InputError as error:
        _explore.template_problem = redact(error)
        return
    drafts.put(draft)
    setattr(state, slot, sidebar.DRAFT)


def _pictures(view: View, query: neighbors.Query, found: "list[neighbors.Found]", problem: str) -> None:
    """The neighbors of the query, the selection, or all images."""
    chosen = view.chosen
    if query:
        _neighbors(view, query, found, problem)
    ticking = selection.by_ticks() and not query
    if len(chosen) and not ticking:
        _selected(view, chosen)
    if ticking or not (query or len(chosen)):
        _all_images(view, chosen)


def _find(view: View, query: neighbors.Query) -> "tuple[list[neighbors.Found], str]":
    """What was found, or why nothing can be."""
    for text in query.texts:
        if neighbors.is_unreadable(view, text):
            return (
                [],
                f"The encoder knows no word of {'“' + plain(text) + '”' if query.terms else 'this text'}. Search with other words, or with an image.",
            )
    try:
        found = neighbors.find(view, query, count=neighbors.shown(query))
    except InputError as error:
        problem = redact(error)
        return [], plain(problem) if errors.is_new(problem) else "Search is off until the problem shown in the sidebar is fixed."
    if query and not found:
        return [], "Neither map can be searched with texts or new images. Search with one of these images instead: open it, then “Search with it”."
    return found, ""


def _marked(view: View, query: neighbors.Query, found: "list[neighbors.Found]") -> "list[np.ndarray] | None":
    """The neighbors to mark on each map; none on the map of a space that cannot read the query."""
    rows = {each.space.key: each.rows[: _LINKED if query.row is not None else neighbors.COUNT] for each in found}
    return [rows.get(space.key, np.zeros(0, np.int64)) for space in view.spaces] if found else None


def _search_bar(view: View) -> "tuple[neighbors.Query, map_controls.Choice]":
    has_text = any(space.embed_texts is not None for space in view.spaces)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text_input(
            "Search by text",
            key=State.text.key,
            bind="query-params",
            placeholder=f"Describe what you are looking for, for example: {_example(view)}"
            if has_text
            else "These images cannot be searched with words",
            disabled=not has_text,
            label_visibility="collapsed",
            icon=":material/search:",
            on_change=neighbors.text_was_typed,
        )
        with st.popover("Search by image", icon=":material/image_search:"):
            reason = refusal("edit")
            kinds = ["jpg", "jpeg", "png", "heic", "heif", "hif", "webp", "avif", "bmp", "gif", "tif", "tiff"]
            st.file_uploader(
                "An image of your own",
                type=kinds,
                key=neighbors.upload_key(),
                on_change=neighbors.image_was_given,
                disabled=bool(reason),
                help=reason or None,
            )
        choice = map_controls.choose("explore", named=True)
    query = neighbors.current_query(view)
    query_bar(view, query)
    with st.container():  # there in every run, so that a line more does not draw the maps anew
        verdict.of_query(view, query)
        if problem := neighbors.take_picture_problem():
            st.warning(plain(problem), icon=":material/warning:")
    return query, choice


def _example(view: View) -> str:
    return "a red car" if reads_as_rendered_cars(view.base.table.attributes, view.base.encoder_name) else "a dog on a beach"


def _guesses(view: View) -> Callable[[], None]:
    """Explains aspects as colors, and offers to keep them; what it returns says at the end of the page whether to rely on them."""
    name = str(view.color).removeprefix(sidebar.ASPECTS)
    notion = sidebar.notion_by(name)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"**{plain(readable(name))}.** {plain(notion.question)} Colors show the aspect that fits each image best. "
            "This is the encoder's guess, not a label: an image that shows none of the aspects gets one, too.",
            width="stretch",
        )
        aspect_labels.keep_button(view, name)
    return verdict.of_notion(view, notion)


def _agreement(view: View) -> None:
    assert view.b is not None
    share, chance = cached.agreement(view.a, view.b)
    st.caption(
        f"**Agreement {share:.0%}.** On average, {share:.0%} of an image's 10 nearest neighbors are the same on both maps. "
        f"On unrelated maps it would be {chance:.1%}."
    )


def _neighbors(view: View, query: neighbors.Query, found: "list[neighbors.Found]", problem: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader(_title(view, query))
        with st.container(horizontal=True, width="content"):
            matching.button(query)
            st.button("Clear the query", icon=":material/close:", type="tertiary", on_click=neighbors.forget)
    if problem:
        st.info(problem, icon=":material/info:")
        return
    if not query.text and not query.terms:
        picture = address(f"/queries/{query.picture}") if query.row is None else view.thumbnails.format(row=query.row)
        st.html(f'<div class="query"><img src="{picture}" alt="The query"></div>')
    if matching.is_open():
        matching.show(view, query)
        return
    slots = ["b" if each.space is view.b else "a" for each in found]
    clicked = [clicks.draft_of(slot) if query.row is not None else None for slot in slots]
    for draft in {id(each): each for each in clicked}.values():
        clicks.line(draft)
    sections = [
        Section(
            f"Nearest in {readable(each.space.name)}",
            each.rows.tolist(),
            similarities=each.similarities.tolist(),
            same=neighbors.same(view, query, each.rows, neighbors.compared_by(view, each.space)),
            same_by=readable(neighbors.compared_by(view, each.space) or "").lower().removeprefix(sidebar.ASPECTS),
            in_both=neighbors.in_all(found, each.rows) if len(found) > 1 else None,
            captions=neighbors.captions(view, each.rows, neighbors.compared_by(view, each.space)),
            answers=clicks.answers(draft, view, query.row, each.rows.tolist()),
            ranked=True,
            note=each.note,
            empty="No image matches the filters.",
        )
        for each, draft in zip(found, clicked, strict=True)
    ]
    gallery(
        sections,
        thumbnails=view.thumbnails,
        key="nearest",
        query=query.row,
        layout="columns" if len(sections) > 1 else "stacked",
        tile=_TILE if len(sections) == 1 else _SMALL_TILE,
        page=neighbors.shown(query),
        on_add=add_row,
        selected=view.selected,
        on_select=selection.tick,
        on_answer=lambda place, row, alike: clicks.take(clicked[place], view, query.row, sections[place].rows, row, alike, slots[place]),
    )
    if any(len(each.rows) == neighbors.shown(query) for each in found):
        st.button(f"Show {neighbors.COUNT} more", icon=":material/expand_more:", on_click=neighbors.show_more)


def _title(view: View, query: neighbors.Query) -> str:
    try:
        return plain(query.title(view.frame))
    except InputError:  # as the line below it says
        return "Neighbors of a picture"


def _selected(view: View, chosen: np.ndarray) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader(f"{len(chosen):,} selected")
        with st.container(horizontal=True, width="content"):
            st.download_button(
                "Download CSV", partial(_csv, view.frame, chosen), "selection.csv", "text/csv", icon=":material/download:", on_click="ignore"
            )
            st.button("Clear the selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],))
    notes = [f"These are the first {_SHOWN}."] if len(chosen) > _SHOWN else []
    if not selection.in_link():
        notes.append("This selection is too large to be part of a link to this page.")
    section = Section("", chosen[:_SHOWN].tolist(), captions=neighbors.captions(view, chosen[:_SHOWN]), note=" ".join(notes))
    gallery(
        [section],
        thumbnails=view.thumbnails,
        key="selected",
        query=view.query,
        tile=_TILE,
        on_add=add_row,
        selected=view.selected,
        on_select=selection.tick,
    )


def _csv(frame: pd.DataFrame, chosen: np.ndarray) -> bytes:
    return frame.iloc[chosen].to_csv(index_label="row").encode()


def _all_images(view: View, chosen: np.ndarray) -> None:
    rows = view.visible(np.arange(len(view.frame)))
    what = f"{len(rows):,} images" + (" match the filters" if view.hidden is not None else "")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.subheader(what)
        if len(chosen):  # ticked here, so that all stay in sight
            st.button(f"Show the {len(chosen):,} selected", icon=":material/select_all:", type="tertiary", on_click=selection.select, args=(chosen,))
    st.caption("Click a picture to open it, or a point on a map to see its neighbors. Draw around points, or tick pictures, to select them.")
    note = f"These are the first {_SHOWN}. Filter or select images to see others." if len(rows) > _SHOWN else ""
    section = Section("", rows[:_SHOWN].tolist(), captions=neighbors.captions(view, rows[:_SHOWN]), note=note, empty="No image matches the filters.")
    gallery(
        [section],
        thumbnails=view.thumbnails,
        key="all",
        tile=_TILE,
        on_add=add_row,
        selected=view.selected,
        on_select=selection.tick,
    )


main()
