"""Galleries of equal tiles with information about neighbors, and grids that show the same images in several ways."""

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.errors import InputError
from parts.component import message, renderer
from state import Item

_SIZES = {"S": 0.7, "M": 1.0, "L": 2.0}  # of what a page asks for
_LARGE = 144  # pixels, beyond which a tile takes the larger thumbnail
_tiles = Item("M", key="tiles")  # of galleries on all pages; a link has it


@dataclass(frozen=True)
class Section:
    """Tiles under one title; every list has one entry per row.

    similarities: shown with three digits. same: True, False or None (unknown), the mark for agreement with the query in `same_by`, such as "car
    color". in_both: whether the other space found it too. captions: one short line. texts: up to three lines under the picture, in full on hover.
    ranked: numbers the tiles from 1. note: a quiet line under the title. answers: True for "more like this", False for "not like this", None for no
    answer yet; with them each tile has a button for both.
    """

    title: str
    rows: Sequence[int]
    similarities: Sequence[float] | None = None
    same: Sequence[bool | None] | None = None
    same_by: str = "class"
    in_both: Sequence[bool] | None = None
    captions: Sequence[str] | None = None
    texts: Sequence[str] | None = None
    answers: Sequence[bool | None] | None = None
    ranked: bool = False
    note: str = ""
    empty: str = "Nothing here."


def encode_section(section: Section) -> dict[str, object]:
    """The section for the browser; raises InputError if a list does not have one entry per row."""
    for name in ("similarities", "same", "in_both", "captions", "texts", "answers"):
        values = getattr(section, name)
        if values is not None and len(values) != len(section.rows):
            raise InputError(f"The section {section.title!r} has {len(section.rows)} rows and {len(values)} {name}; pass one for each.")
    return {name: _plain(value) for name, value in asdict(section).items()}


def _plain(value: object) -> object:
    """Converts NumPy scalars and arrays for JSON."""
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return value
    return [item.item() if isinstance(item, np.generic) else item for item in value]


def choose_size() -> None:
    """Draws the choice of tile size, shared by all pages."""
    st.segmented_control(
        "Size of the tiles", list(_SIZES), default="M", required=True, key=_tiles.key, help="Small, medium or large.",
        label_visibility="collapsed", bind="query-params", persist_state="session",
    )  # fmt: skip


def gallery(
    sections: Sequence[Section], *, thumbnails: str, key: str, query: int | None = None, layout: Literal["stacked", "columns"] = "stacked",
    tile: int = 112, page: int = 60, on_click: Callable[[int], None] | None = None,
    on_add: Callable[[int], None] | None = None, selected: NDArray[np.int64] | None = None,
    on_select: Callable[[NDArray[np.int64]], None] | None = None, ticks_by_click: bool = False,
    on_answer: Callable[[int, int, bool], None] | None = None,
) -> None:  # fmt: skip
    """Draws the sections. Callbacks run before the script reruns.

    thumbnails: URL template with "{row}". query: this row is framed wherever it appears. tile: minimum width of a tile in px. page: tiles shown
    before "Show more". on_click: called with the row; without it and ticks_by_click, a click opens the picture (`parts.viewer`), as a button in the
    tile's corner and Enter always do. on_add: called with the row to add to the query; with it tiles have a button for that and can be dragged to a
    query bar. selected: ticked rows, shown here or not; with them each tile has a checkbox. on_select: called with all ticked rows, ascending.
    ticks_by_click: a click anywhere on a tile ticks it. on_answer: called with the section's number, the row, and True for "more like this", False
    for "not like this".
    """
    tile = round(tile * _SIZES.get(_tiles.get(), 1.0))
    shown = {int(row) for section in sections for row in section.rows}
    chosen = np.asarray([] if selected is None else selected, np.int64)
    here = np.isin(chosen, list(shown))

    def act_on_row(event: str, act: Callable[[int], None] | None) -> None:
        row = message(key, event).get("row")
        if act is not None and type(row) is int and row in shown:
            act(row)

    def take_in_ticks() -> None:
        rows = message(key, "select").get("rows")
        if on_select is not None and selected is not None and isinstance(rows, list) and all(type(row) is int and row in shown for row in rows):
            on_select(np.union1d(chosen[~here], np.asarray(rows, np.int64)))

    def take_in_answer() -> None:
        place, row, alike = (message(key, "answer").get(name) for name in ("section", "row", "alike"))
        if on_answer is None or type(place) is not int or not 0 <= place < len(sections) or type(row) is not int or not isinstance(alike, bool):
            return
        if sections[place].answers is not None and row in {int(each) for each in sections[place].rows}:
            on_answer(place, row, alike)

    st.session_state[f"{key}:ticks"] = take_in_ticks
    if tile > _LARGE and "?" not in thumbnails:
        thumbnails = f"{thumbnails}?large"
    data = {
        "sections": [encode_section(section) for section in sections], "thumbnails": thumbnails, "layout": layout, "tile": tile,
        "page": page, "noun": "Image", "query": None if query is None else int(query),
        "addable": on_add is not None, "selected": None if selected is None else chosen[here].tolist(), "ticks_by_click": ticks_by_click,
        "acts_on_click": on_click is not None,
    }  # fmt: skip
    renderer("gallery", "icons", "gallery")(
        key=key,
        data=data,
        on_click_change=partial(act_on_row, "click", on_click),
        on_add_change=partial(act_on_row, "add", on_add),
        on_answer_change=take_in_answer,
        on_select_change=take_in_ticks,
    )


def take_ticks(*keys: str) -> None:
    """For button callbacks that act on ticked images: applies ticks that arrive with the click, since the galleries' own callbacks run later."""
    for key in keys:
        if (take_in := st.session_state.get(f"{key}:ticks")) is not None:
            take_in()


@dataclass(frozen=True)
class Picture:
    """An RGB picture (h, w, 3) uint8 and a short caption."""

    pixels: NDArray[np.uint8]
    caption: str = ""


@dataclass(frozen=True)
class PictureRow:
    """Pictures side by side, with a description for the enlarged view and screen readers."""

    name: str
    pictures: Sequence[Picture]


def encode_grid(titles: Sequence[str], rows: Sequence[PictureRow], tile: int) -> dict[str, object]:
    """The grid for the browser; raises InputError if a row does not have one picture per title."""
    for row in rows:
        if len(row.pictures) != len(titles):
            raise InputError(f"The row {row.name!r} has {len(row.pictures)} pictures under {len(titles)} titles; pass one for each.")
    cells = [{"name": row.name, "cells": [{"src": _data_url(each.pixels), "caption": each.caption} for each in row.pictures]} for row in rows]
    return {"titles": list(titles), "rows": cells, "tile": tile}


def picture_grid(titles: Sequence[str], rows: Sequence[PictureRow], *, key: str, tile: int = 150) -> None:
    """Draws the rows under the column titles. tile: the largest width of a picture in px."""
    renderer("picture_grid", "icons", "picture_grid")(key=key, data=encode_grid(titles, rows, tile))


def _data_url(pixels: NDArray[np.uint8]) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", quality=88)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
