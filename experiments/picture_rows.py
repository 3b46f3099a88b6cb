"""Rows of pictures with words below, framed where they are right: what spaces find for a query, or what lies at the ends of a direction."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.plots.label_pictures import LEFT
from likeness.plots.labeled_image import labeled_image
from likeness.plots.look import OKABE_ITO
from likeness.plots.picture_sheet import INK, LINE, MARGIN, QUIET, PictureSheet, check_rows

if TYPE_CHECKING:
    from PIL.Image import Image

_RIGHT = OKABE_ITO[2]
_QUERY_LINES = 3
_GAP = 14  # between two frames a strip of paper is left


def picture_rows(
    table: ImageTable,
    found: Mapping[str, Sequence[int]],
    *,
    query: int | None = None,
    texts: Sequence[object] | None = None,
    right: NDArray[np.bool_] | None = None,
    tile: int = 96,
) -> "Image":
    """A row of pictures for each space, with the query on the left where there is one.

    InputError: nothing found, a row that there is not, or texts or a mask of other length than the table.

    Args:
        table: n images.
        found: what is above a row, such as a space's name -> rows of the table, nearest first.
        query: row of the table.
        texts: of each of the n images, what stands below it, such as its label; None: nothing.
        right: mask (n,) of the images that ought to be found. They get a frame, and how many of a row they are stands above it.
        tile: side of a picture in pixels.
    """
    _check(table, found, query, texts, right)
    words = None if texts is None else [str(text) for text in texts]
    columns, high = max(map(len, found.values())), LINE + 6 + tile + (LINE + 4 if words else 0) + _GAP
    start = MARGIN if query is None else 3 * MARGIN + tile
    width = start + columns * (tile + _GAP) - _GAP + MARGIN
    page = PictureSheet(width, MARGIN + max(high * len(found), high + _QUERY_LINES * LINE if query is not None else 0), tile)
    if query is not None:
        page.write(MARGIN, MARGIN, "Query", INK)
        page.picture(MARGIN, MARGIN + LINE + 6, labeled_image(table, None, query, tile), frame=LEFT)
        page.write(MARGIN, MARGIN + LINE + 12 + tile, words[query] if words else "", QUIET, _QUERY_LINES)
    for place, (name, rows) in enumerate(found.items()):
        top = MARGIN + place * high
        score = "" if right is None else f": {int(right[np.asarray(rows)].sum())} of {len(rows)}"
        page.write(start, top, f"{name}{score}", INK, wide=width - start)
        for number, row in enumerate(rows):
            x, y = start + number * (tile + _GAP), top + LINE + 6
            page.picture(x, y, labeled_image(table, None, int(row), tile), frame=_RIGHT if right is not None and right[row] else "")
            if words:
                page.write(x, y + tile + 5, words[row], INK)
    return page.sheet


def _check(
    table: ImageTable, found: Mapping[str, Sequence[int]], query: int | None, texts: Sequence[object] | None, right: NDArray[np.bool_] | None
) -> None:
    for given in (texts, right):
        if given is not None and len(given) != len(table):
            raise InputError(f"There are {len(table)} images and {len(given)} texts or marks; pass one for each image.")
    if not found or not all(len(rows) for rows in found.values()):
        raise InputError("There are no results; pass at least one row per space.")
    check_rows(query, found.values(), len(table))
