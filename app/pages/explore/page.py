"""Page Explore: one or two linked maps, search by image and text, neighbors, selection."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from likeness.data import PHOTO_COLUMNS, with_columns_before
from likeness.defaults import reads_as_rendered_cars
from likeness.errors import InputError
from likeness.io import csv_bytes
from likeness.notions import Notion
from pages.explore import exporting, matching, table
from parts import add_images, aspect_labels, cached, clicks, drafts, errors, map_controls, maps, neighbors, selection, sidebar, verdict, viewer
from parts.gallery import Section, gallery
from parts.label_edits import label_bar
from parts.neighbors import Found, Query
from parts.plain import plain
from parts.selection import Rows
from parts.sidebar import readable
from parts.view import View, current_view
from server import added_labels
from server.access import redact, refusal
from server.addresses import address
from state import State, state

_TILE, _SMALL_TILE = 104, 76  # pixels
_NAMED = 6  # aspects in the template's label
_OFFERED = 8  # notions that color the map by one click; where there are more, they stand in the sidebar's menu alone
_SHOWN = 600  # pictures that the browser gets at most; the rest by selecting
_LINKED = 10  # neighbors joined to the query on the maps
_HEIGHT = 660  # pixels, of the maps and of what stands beside them
# of the width, by the number of maps; the columns are there in every run, so that a click does not redraw the maps
_WIDTHS = {1: (1.55, 1), 2: (1.9, 1)}
_GALLERIES = ("nearest", "selected", "all")
_IMAGE_FILES = ["jpg", "jpeg", "png", "heic", "heif", "hif", "webp", "avif", "bmp", "gif", "tif", "tiff"]


def main() -> None:
    view = current_view()
    if clicks.settle(view):
        st.rerun()
    verdict.of_encoder(view)
    with st.container(gap="xsmall"):  # in every run, so that another line does not redraw the maps
        with st.container(gap=None):
            add_images.show_jobs(view.dataset)
        choice, layout = _controls(view)
        with st.container(gap="xsmall"):
            _sentence(view)
    query = neighbors.current_query(view)
    viewer.set_query(query)
    found, problem = _find(view, query)
    if layout == "wide table":
        _results(view, query, found, problem, layout)()
        return
    map_column, pictures_column = st.columns(_WIDTHS[len(view.spaces)], gap="medium")
    with map_column:
        marked = _marked(view, query, found)
        maps.draw(view, view.spaces, choice, slot="explore", key="map", height=_HEIGHT, on_query=selection.ask, neighbors=marked, named=True)
        if view.b is not None:
            share, chance = cached.agreement(view.a, view.b)
            st.caption(
                f"**Agreement {share:.0%}.** On average, {share:.0%} of an image's 10 nearest neighbors are the same on both maps. "
                f"On unrelated maps it would be {chance:.1%}."
            )
        judges = [_colors(view), _guesses(view)]
    with pictures_column:
        judges.insert(0, _results(view, query, found, problem, layout))
    for judge in judges:
        judge()


def _controls(view: View) -> "tuple[map_controls.Choice, table.Layout]":
    """Draws the row above the maps: search, display options, export, and adding images."""
    has_text = any(space.embed_texts is not None for space in view.spaces)
    example = "a red car" if reads_as_rendered_cars(view.base.table.attributes, view.base.encoder_name) else "a dog on a beach"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text_input(
            "Search by text",
            key=State.text.key,
            bind="query-params",
            placeholder=f"Search, for example: {example}" if has_text else "These images cannot be searched with words",
            disabled=not has_text,
            label_visibility="collapsed",
            icon=":material/search:",
            on_change=neighbors.text_was_typed,
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="explore_tools"):
            with st.popover("By image", icon=":material/image_search:", help="Search by image"):
                reason, key = refusal("edit"), neighbors.upload_key()
                on_change = neighbors.image_was_given
                st.file_uploader("An image of your own", _IMAGE_FILES, key=key, on_change=on_change, disabled=bool(reason), help=reason or None)
            choice = map_controls.choose("explore", named=True)
            layout = table.choose_layout()
            exporting.button()
            add_images.button()
    return choice, layout


def _sentence(view: View) -> None:
    """Draws what the maps show: the notion, with its template to edit and its reliability; without one, a link to write one."""
    if view.base.embed_texts is None:
        return
    drafts.show_news()
    # that of the right map, else that of the left one
    slot, notion = next(((slot, view.notions[name]) for slot in ("b", "a") if (name := getattr(state, slot)) in view.notions), ("", None))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if notion is None:
            st.markdown("Similar images are close together.", width="content")
            st.page_link("pages/notions/page.py", label="Describe what makes two images similar", icon=":material/tune:")
            return
        beside = slot == "b" and state.a == sidebar.RAW
        start = f"The same {len(view.frame):,} images twice: by the raw encoder on the left, and on the right by" if beside else "By"
        st.markdown(f"{start} **{plain(notion.name)}**. {plain(notion.question)}", width="content")
        with st.popover("Change the words", icon=":material/edit:", type="tertiary"):
            if len(notion.templates) == 1:
                _template(slot, notion)
            link = {} if getattr(state, slot) == sidebar.DRAFT else {"query_params": {"notion": notion.name}}
            st.page_link("pages/notions/page.py", label="Edit the notion", icon=":material/tune:", **link)
    verdict.of_words(view, notion)


def _template(slot: str, notion: Notion) -> None:
    some = ", ".join(notion.aspects[:_NAMED]) + (", ..." if len(notion.aspects) > _NAMED else "")
    # edited and saved notion have separate fields, and a new one when the draft was replaced elsewhere
    key = f"template_{getattr(state, slot)}_{notion.name}_{state.form}"
    st.text_input(
        f"Template, where {{}} is each of {len(notion.aspects)} aspects ({plain(some)})",
        notion.templates[0],
        key=key,
        on_change=_take_template,
        args=(key, slot, notion),
        help="Change the words and the map follows. The saved notion stays as it is.",
    )


@errors.toast_errors()
def _take_template(key: str, slot: str, notion: Notion) -> None:
    """Edits the notion with the new template, in the same menu."""
    edited = drafts.current() if getattr(state, slot) == sidebar.DRAFT else None
    draft = replace(edited or drafts.of(notion), templates=st.session_state[key])
    draft.notion  # noqa: B018  (raises where the template is not valid)
    drafts.put(draft)
    setattr(state, slot, sidebar.DRAFT)


def _find(view: View, query: Query) -> tuple[list[Found], str]:
    """Draws the search's note, or why search is not possible."""
    for text in query.texts:
        if neighbors.is_unreadable(view, text):
            which = f"“{plain(text)}”" if query.terms else "this text"
            return [], f"The encoder knows no word of {which}. Search with other words or with an image."
    try:
        found = neighbors.find(view, query, count=neighbors.shown(query))
    except InputError as error:
        problem = redact(error)
        return [], plain(problem) if errors.is_new(problem) else "Search is off until the problem shown in the sidebar is fixed."
    if query and not found:
        return [], "Neither map can be searched with texts or new images. Search with one of these images instead: open it, then “Search with it”."
    return found, ""


def _marked(view: View, query: Query, found: Sequence[Found]) -> list[Rows] | None:
    """The neighbors to mark on each map; none on a map whose space does not support the query."""
    rows = {each.space.key: each.rows[: _LINKED if query.row is not None else neighbors.COUNT] for each in found}
    return [rows.get(space.key, np.zeros(0, np.int64)) for space in view.spaces] if found else None


def _colors(view: View) -> Callable[[], None]:
    """Draws one-click notions to color by, if aspects color the map or there are only labels given here. The returned function fills in at the end
    which are unreliable, so that the maps do not wait."""
    names, images = list(view.notions), view.base.table
    came_with_labels = set(images.attributes) - {*PHOTO_COLUMNS, *images.frame.attrs.get("tag_columns", {}).values()}
    if not names or (view.aspects is None and came_with_labels) or len(names) > _OFFERED:
        return lambda: None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Color by", width="content")
        for name in names:
            color = f"{sidebar.ASPECTS}{name}"
            st.button(
                plain(readable(name)),
                key=f"color_by_{name}",
                type="primary" if view.color == color else "secondary",
                on_click=partial(setattr, state, "next_color", color),
                help=plain(view.notions[name].question) or None,
            )
    return verdict.of_colors(view, names)


def _guesses(view: View) -> Callable[[], None]:
    """Says that colors are guesses, with buttons to keep or remove them; the returned function fills in the notion's reliability at the end of the
    page."""
    if view.aspects is None:
        if view.color and added_labels.made_by_encoder([view.color]):
            aspect_labels.caution([view.color])
            aspect_labels.offer_to_remove(view, view.color)
        return lambda: None
    name = str(view.color).removeprefix(sidebar.ASPECTS)
    notion = view.notions[name]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"**{plain(readable(name))}.** {plain(notion.question)} Colors show the aspect that fits each image best. "
            "This is the encoder's guess, not a label: an image that shows none of the aspects gets one, too.",
            width="stretch",
        )
        aspect_labels.keep_button(view, name)
    return verdict.of_notion(view, notion)


def _results(view: View, query: Query, found: Sequence[Found], problem: str, layout: table.Layout) -> Callable[[], None]:
    """Draws what is beside the maps: the label bar, the query, and pictures or a table. The returned function fills in at the end whether anything
    matches, so that the results do not wait."""
    judge: Callable[[], None] = lambda: None  # noqa: E731
    label_bar(view, *_GALLERIES)
    exporting.form(view, view.chosen)
    with st.container(height="content" if layout == "wide table" else _HEIGHT, border=False):
        if query:
            _query_head(view, query)
        if query and not problem:
            judge = verdict.of_presence(view, query)
        if problem:
            st.info(problem, icon=":material/info:")
        elif query and matching.is_open.get():
            matching.show(view, query)
        elif query:
            (_neighbors if layout == "pictures" else table.draw_neighbors)(view, query, found, layout)
            if any(len(each.rows) == neighbors.shown(query) for each in found):
                st.button(f"Show {neighbors.COUNT} more", icon=":material/expand_more:", on_click=neighbors.show_more)
        if not query or len(view.chosen):
            _images(view, query, layout)
    return judge


def _query_head(view: View, query: Query) -> None:
    """Draws the query as chips, and the parts that the encoder does not read."""
    try:
        title = plain(query.title(view.frame))
    except InputError:  # as the line below it says
        title = "Neighbors of a picture"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if not query.text and not query.terms:
            picture = address(f"/queries/{query.picture}") if query.row is None else view.thumbnails.format(row=query.row)
            st.html(f'<div class="query"><img src="{picture}" alt="The query"></div>', width="content")
        with st.container(gap=None):
            st.subheader(title)
            with st.container(horizontal=True, gap="small"):
                matching.button(query)
                st.button("Clear the query", icon=":material/close:", type="tertiary", on_click=selection.ask)
    neighbors.query_bar(view, query)
    verdict.of_query(view, query)


def _images(view: View, query: Query, layout: table.Layout) -> None:
    """Draws all images with checkboxes, or the selection; with a query, the selection only."""
    chosen, visible = view.chosen, view.rows
    ticks_all = not query and (state.ticking or not len(chosen))  # all stay in sight while some are ticked
    rows = visible if ticks_all else chosen
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        filtered = " match the filters" if view.hidden is not None else ""
        st.subheader(f"{len(chosen):,} selected" if len(chosen) else f"{len(visible):,} images{filtered}", width="content")
        _actions(view, chosen if len(chosen) else visible, ticks_all)
    notes = [] if selection.in_link() else ["This selection is too large to be stored in the page's link."]
    if layout != "pictures":
        for note in notes:
            st.caption(note)
        if not query:
            table.draw(view, rows, layout)
        return
    if ticks_all:
        st.caption("Click a picture to open it, or a point on a map to see its neighbors. Draw around points, or tick pictures, to select them.")
    shown = rows[:_SHOWN]
    if len(shown) < len(rows):
        notes.insert(0, f"These are the first {_SHOWN}. {'Filter or select images to see others.' if ticks_all else ''}")
    section = Section("", shown.tolist(), captions=neighbors.captions(view, shown), note=" ".join(notes), empty="No image matches the filters.")
    key, on_select = ("all", selection.tick) if ticks_all else ("selected", selection.select)
    _gallery(view, [section], key, query=view.query, on_select=on_select)


def _actions(view: View, rows: Rows, ticks_all: bool) -> None:
    """Draws the actions on the heading's images, always in one row, so that pictures do not move while they are ticked."""
    file = "selection.csv" if len(view.chosen) else "images.csv"
    looks: dict[str, Any] = {"icon": ":material/download:", "type": "tertiary", "on_click": "ignore"}
    st.download_button("Download CSV", lambda: csv_bytes(with_columns_before(view.frame.iloc[rows], {"row": rows})), file, "text/csv", **looks)
    if len(view.chosen):
        if ticks_all:
            help = "Show only the selected images"
            st.button("", key="show_selected", icon=":material/select_all:", type="tertiary", on_click=selection.select, args=(rows,), help=help)
        help = "Clear the selection"
        st.button("Clear", key="clear_selection", icon=":material/close:", type="tertiary", on_click=selection.select, args=([],), help=help)


def _neighbors(view: View, query: Query, found: Sequence[Found], layout: table.Layout) -> None:
    slots = ["b" if each.space is view.b else "a" for each in found]
    clicked = [clicks.draft_of(view, slot) if query.row is not None else None for slot in slots]
    for draft in {id(each): each for each in clicked}.values():
        clicks.line(draft)
    sections = []
    for each, draft in zip(found, clicked, strict=True):
        by = neighbors.compared_by(view, each.space)
        sections.append(
            Section(
                f"Nearest in {readable(each.space.name)}",
                each.rows.tolist(),
                similarities=each.similarities.tolist(),
                same=neighbors.same(view, query, each.rows, by),
                same_by=readable(by or "").lower().removeprefix(sidebar.ASPECTS),
                in_both=neighbors.in_all(list(found), each.rows) if len(found) > 1 else None,
                captions=neighbors.captions(view, each.rows, by),
                answers=clicks.answers(draft, view, query.row, each.rows.tolist()),
                ranked=True,
                note=each.note,
                empty="No image matches the filters.",
            )
        )

    def take(place: int, row: int, alike: bool) -> None:
        clicks.take(clicked[place], view, query.row, sections[place].rows, row, alike, slots[place])

    looks = {"layout": "columns", "tile": _SMALL_TILE} if len(sections) > 1 else {}
    _gallery(view, sections, "nearest", query=query.row, page=neighbors.shown(query), on_answer=take, **looks)


def _gallery(view: View, sections: Sequence[Section], key: str, *, tile: int = _TILE, **options: Any) -> None:
    """Draws pictures that can be ticked and added to the query."""
    gallery(
        sections,
        thumbnails=view.thumbnails,
        key=key,
        tile=tile,
        on_add=partial(neighbors.add, "row"),
        selected=view.selected,
        **{"on_select": selection.tick, **options},
    )


main()
