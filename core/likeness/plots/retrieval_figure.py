"""A query and the images that spaces retrieve for it, as one picture (Kim et al., CVPR 2019, Figures 4, 6 and 7)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PIL.Image import Image

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.plots.label_pictures import LEFT
from likeness.plots.labeled_image import captions_of, distance_text, label_text, labeled_image
from likeness.plots.picture_sheet import GAP, INK, LINE, MARGIN, QUIET, PictureSheet, check_rows

if TYPE_CHECKING:
    from likeness.labels import LabelDistances, LabelsConfig

_CAPTION_LINES = 3


def retrieval_figure(
    table: ImageTable, config: "LabelsConfig", labels: "LabelDistances", query: int, retrieved: Mapping[str, Sequence[int]], *, tile: int = 120
) -> Image:
    """The query with its label on the left, and a row of pictures for each space, with labels drawn and label distances below.

    InputError: nothing retrieved, a row out of range, or table and label distances of different lengths.

    Args:
        table: n images with their labels.
        config: which labels are drawn.
        labels: label distances of the same n images.
        query: row of the table.
        retrieved: rows of the table, nearest first, by title, such as a space's name.
        tile: side of a picture in pixels.
    """
    _check(table, labels, query, retrieved)
    texts = config.kind == "captions"
    below = LINE * (1 + texts * _CAPTION_LINES)
    columns, high = max(map(len, retrieved.values())), LINE + 4 + tile + below + GAP
    start = 2 * MARGIN + MARGIN + tile
    page = PictureSheet(start + columns * (tile + GAP) - GAP + MARGIN, MARGIN + high * len(retrieved), tile)
    page.write(MARGIN, MARGIN, "Query", INK)
    page.picture(MARGIN, MARGIN + LINE + 4, labeled_image(table, config, query, tile), frame=LEFT)
    page.write(MARGIN, MARGIN + LINE + 8 + tile, label_text(table, config, query), QUIET, _CAPTION_LINES + 1)
    for place, (name, rows) in enumerate(retrieved.items()):
        top, distance = MARGIN + place * high, labels.between(np.array([query]), np.asarray(rows, np.int64))[0]
        page.write(start, top, f"{name}: {distance_text(float(distance.mean()), labels.unit)} on average", INK, wide=columns * (tile + GAP) - GAP)
        for number, row in enumerate(rows):
            x, y = start + number * (tile + GAP), top + LINE + 4
            page.picture(x, y, labeled_image(table, config, int(row), tile))
            page.write(x, y + tile + 2, distance_text(float(distance[number]), labels.unit), INK)
            if texts:
                page.write(x, y + tile + 2 + LINE, captions_of(table, int(row))[0], QUIET, _CAPTION_LINES)
    return page.sheet


def _check(table: ImageTable, labels: "LabelDistances", query: int, retrieved: Mapping[str, Sequence[int]]) -> None:
    if len(labels) != len(table):
        raise InputError(f"There are {len(table)} images, but label distances of {len(labels)}; pass those of the same images.")
    if not retrieved or not all(len(rows) for rows in retrieved.values()):
        raise InputError("Nothing is retrieved; pass at least one row of the table for each space.")
    check_rows(query, retrieved.values(), len(table))
