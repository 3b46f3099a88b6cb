"""Rows of pictures that belong together: the same image seen in several ways. A click enlarges a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.plots.linked_map import read_script, read_text


@dataclass(frozen=True)
class Picture:
    """An RGB picture (h, w, 3) uint8 and a short line under it."""

    pixels: NDArray[np.uint8]
    caption: str = ""


@dataclass(frozen=True)
class PictureRow:
    """Pictures side by side and what they show, for the enlarged view and for screen readers."""

    name: str
    pictures: Sequence[Picture]


def encode_grid(titles: Sequence[str], rows: Sequence[PictureRow], tile: int) -> dict[str, object]:
    """The grid for the browser; raises InputError when a row does not have one picture for each title."""
    for row in rows:
        if len(row.pictures) != len(titles):
            raise InputError(f"The row {row.name!r} has {len(row.pictures)} pictures under {len(titles)} titles; pass one for each.")
    cells = [{"name": row.name, "cells": [{"src": _data_url(each.pixels), "caption": each.caption} for each in row.pictures]} for row in rows]
    return {"titles": list(titles), "rows": cells, "tile": tile}


def picture_grid(titles: Sequence[str], rows: Sequence[PictureRow], *, key: str, tile: int = 150) -> None:
    """Draws the rows under the titles of their columns. tile: the largest width of a picture in px."""
    _renderer()(key=key, data=encode_grid(titles, rows, tile))


def _data_url(pixels: NDArray[np.uint8]) -> str:
    import base64
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "WEBP", quality=88)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()


@cache
def _renderer() -> Any:
    return st.components.v2.component(
        "picture_grid", html=read_text("picture_grid.html"), css=read_text("picture_grid.css"), js=read_script("icons", "picture_grid")
    )
