"""Explore: one or two linked maps, search by image and by text, neighbors, selection."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

import added_labels
from access import redact, refusal
from addresses import address
from components.gallery import Section, gallery
from components.query_bar import query_bar
from likeness.defaults import reads_as_rendered_cars
from likeness.errors import InputError
from pages.explore import attribute_table, labeling, matching, notion_line
from shared import aspect_labels, cached, clicks, map_controls, maps, neighbors, problems, query_chips, selection, sidebar, verdict
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View, current_view

_TILE, _SMALL_TILE = 84, 64  # pixels
_NAMED = 6  # unknown words
_SHOWN = 600  # pictures that the browser gets at most; the rest by selecting
_LINKED = 10  # neighbors joined to the query on the maps
_HEIGHT = 660  # pixels, of the maps and of what stands beside them
# of the width, by the number of maps; the columns are there in every run, so that a click does not draw the maps anew
_WIDTHS = {1: (1.55, 1), 2: (1.9, 1)}


def main() -> None:
    """Draws the page."""
    view = current_view()
    if clicks.settle(view):
        st.rerun()
    if view.entry.warning:
        st.warning(plain(redact(view.entry.warning)), icon=":material/visibility_off:")
    judge_colors = notion_line.show(view)
    query, choice = _search_bar(view)
    found, problem = _find(view, query)
    map_column, pictures_column = st.columns(_WIDTHS[len(view.spaces)], gap="medium")
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
            judge_shown = _guessed(view)
        elif view.color and added_labels.made_by_encoder([view.color]):
            aspect_labels.caution([view.color])
            aspect_labels.offer_to_remove(view, view.color)
    with pictures_column:
        labeling.bar(view)
        _pictures(view, query, found, problem)
    judge_colors()
    if view.aspects is not None:
        judge_shown()


def _pictures(view: View, query: neighbors.Query, found: "list[neighbors.Found]", problem: str) -> None:
    """The neighbors of the query, the selection, or all images."""
    chosen = view.chosen
    with st.container(height=_HEIGHT, border=False):
        if attribute_table.shown_instead(view, query, found, chosen, problem):
            return
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
                f"The encoder knows no word of {'“' + plain(text) + '”' if query.terms else 'this text'}. Search with other words, or by image.",
            )
    try:
        found = neighbors.find(view, query, count=neighbors.shown(query))
    except InputError as error:
        problem = redact(error)
        return [], plain(problem) if problems.is_new(problem) else "Nothing can be searched for, as long as what the sidebar says holds."
    if query and not found:
        return [], "No space shown here reads a text or a new image; click one of its own images instead."
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
            key="text",
            bind="query-params",
            placeholder=f"Describe what you are looking for, for example: {_example(view)}" if has_text else "This space reads no text",
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
    query_bar(
        query_chips.chips(view, query),
        key="query_bar",
        holds_text=bool(query.text),
        on_change=partial(query_chips.take_in, view, query),
        reads_text=has_text,
    )
    with st.container():  # there in every run, so that a line more does not draw the maps anew
        for problem in filter(
            None,
            (_unknown(_ignored(view, query)), neighbors.cut_ends(view, query.texts), plain(st.session_state.pop("picture_problem", ""))),
        ):
            st.warning(problem, icon=":material/warning:")
    return query, choice


def _example(view: View) -> str:
    return "a red car" if reads_as_rendered_cars(view.base.table.attributes, view.base.encoder_name) else "a dog on a beach"


def _ignored(view: View, query: neighbors.Query) -> list[str]:
    """Words of the search that the encoder cannot read; of several terms, not those of one of which nothing is left: there the search says so."""
    unknown = {text: neighbors.unknown_words(view, text) for text in query.texts}
    return [word for text, words in unknown.items() if not (query.terms and neighbors.is_unreadable(view, text)) for word in words]


def _unknown(words: list[str]) -> str:
    """Says which words of the search the encoder cannot read; empty where it reads all."""
    if not words:
        return ""
    named = sidebar.listed([f"“{plain(word)}”" for word in words[:_NAMED]])
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return f"The encoder does not know {named}{more}; the search ignores {'this word' if len(words) == 1 else 'these words'}."


def _guessed(view: View) -> Callable[[], None]:
    """Says what aspects as colors are, and offers them to the other pages; what it returns says at the end of the page whether to rely on them."""
    name = str(view.color).removeprefix(sidebar.ASPECTS)
    notion = sidebar.notion_by(name)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"**{plain(readable(name))}.** {plain(notion.question)} Colors show the aspect that the encoder matches best with each image: "
            "a guess, not a label. An image that shows none of them gets one, too.",
            width="stretch",
        )
        aspect_labels.keep_button(view, name)
    return verdict.of_notion(view, notion)


def _agreement(view: View) -> None:
    assert view.b is not None
    share, chance = cached.agreement(view.a, view.b)
    st.caption(
        f"**Agreement {share:.0%}.** Of an image's 10 nearest neighbors, the two spaces share {share:.0%} on average; "
        f"two unrelated spaces would share {chance:.1%}."
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
        on_click=neighbors.image_was_clicked,
        on_add=query_chips.add_row,
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
    notes = [f"The first {_SHOWN} are shown."] if len(chosen) > _SHOWN else []
    if not selection.in_link():
        notes.append("A link to this page does not include the selection, which has too many images for an address.")
    section = Section("", chosen[:_SHOWN].tolist(), captions=neighbors.captions(view, chosen[:_SHOWN]), note=" ".join(notes))
    gallery(
        [section],
        thumbnails=view.thumbnails,
        key="selected",
        query=view.query,
        tile=_TILE,
        on_click=neighbors.image_was_clicked,
        on_add=query_chips.add_row,
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
    st.caption("Click an image for its neighbors. Draw around points on a map, or tick pictures, to select them.")
    note = f"The first {_SHOWN} are shown. Filter or select images to see others." if len(rows) > _SHOWN else ""
    section = Section("", rows[:_SHOWN].tolist(), captions=neighbors.captions(view, rows[:_SHOWN]), note=note, empty="No image matches the filters.")
    gallery(
        [section],
        thumbnails=view.thumbnails,
        key="all",
        tile=_TILE,
        on_click=neighbors.image_was_clicked,
        on_add=query_chips.add_row,
        selected=view.selected,
        on_select=selection.tick,
    )


main()
