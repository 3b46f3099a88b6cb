"""A query and what spaces retrieve for it, as one picture in the manner of a paper (Kim et al., CVPR 2019, Figures 4, 6 and 7)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.labels import LabelDistances, LabelsConfig
from likeness.plots.label_pictures import LEFT
from likeness.plots.labelled_image import captions_of, distance_text, label_text, labelled_image

if TYPE_CHECKING:
    from PIL.Image import Image

_INK, _QUIET, _PAPER = "#1b1f2a", "#5d6575", "#ffffff"
_GAP, _MARGIN, _LINE, _LETTER = 8, 14, 18, 13
_CAPTION_LINES = 3


def retrieval_figure(
    table: ImageTable, config: LabelsConfig, labels: LabelDistances, query: int, retrieved: Mapping[str, Sequence[int]], *, tile: int = 120
) -> "Image":
    """The query with its label on the left; beside it a row of pictures for each space, with their labels drawn and their label distances below.

    Args:
        table: n images with their labels.
        config: which labels are drawn.
        labels: their distances, of the same n images.
        query: row of the table.
        retrieved: what is above a row, such as a space's name -> rows of the table, nearest first.
        tile: side of a picture in pixels.

    Raises:
        InputError: nothing retrieved, a row that there is not, or tables and label distances of different length.
    """
    from PIL import Image

    _check(table, labels, query, retrieved)
    texts = config.kind == "captions"
    below = _LINE * (1 + texts * _CAPTION_LINES)
    columns, high = max(map(len, retrieved.values())), _LINE + 4 + tile + below + _GAP
    start = 2 * _MARGIN + _MARGIN + tile
    sheet = Image.new("RGB", (start + columns * (tile + _GAP) - _GAP + _MARGIN, _MARGIN + high * len(retrieved)), _PAPER)
    page = _Page(sheet, tile)
    page.write(_MARGIN, _MARGIN, "Query", _INK)
    page.picture(_MARGIN, _MARGIN + _LINE + 4, labelled_image(table, config, query, tile), framed=True)
    page.write(_MARGIN, _MARGIN + _LINE + 8 + tile, label_text(table, config, query), _QUIET, _CAPTION_LINES + 1)
    for place, (name, rows) in enumerate(retrieved.items()):
        top, distance = _MARGIN + place * high, labels.between(np.array([query]), np.asarray(rows, np.int64))[0]
        page.write(start, top, f"{name}: {distance_text(float(distance.mean()), labels.unit)} on average", _INK, wide=columns * (tile + _GAP) - _GAP)
        for number, row in enumerate(rows):
            x, y = start + number * (tile + _GAP), top + _LINE + 4
            page.picture(x, y, labelled_image(table, config, int(row), tile))
            page.write(x, y + tile + 2, distance_text(float(distance[number]), labels.unit), _INK)
            if texts:
                page.write(x, y + tile + 2 + _LINE, captions_of(table, int(row))[0], _QUIET, _CAPTION_LINES)
    return sheet


class _Page:
    """A sheet to put pictures and words on."""

    def __init__(self, sheet: "Image", tile: int) -> None:
        from PIL.ImageDraw import Draw
        from PIL.ImageFont import load_default

        self.sheet, self.tile, self.pen, self.font = sheet, tile, Draw(sheet), load_default(_LETTER)

    def picture(self, x: int, y: int, image: "Image", framed: bool = False) -> None:
        """In the middle of its tile."""
        self.sheet.paste(image, (x + (self.tile - image.width) // 2, y + (self.tile - image.height) // 2))
        if framed:
            self.pen.rectangle([x - 4, y - 4, x + self.tile + 3, y + self.tile + 3], outline=LEFT, width=3)

    def write(self, x: int, y: int, text: str, color: str, lines: int = 1, wide: int | None = None) -> None:
        """In at most so many lines of the tile's width; what does not fit ends in an ellipsis."""
        for number, line in enumerate(self._wrapped(text, lines, wide or self.tile)):
            self.pen.text((x, y + number * _LINE), line, fill=color, font=self.font)

    def _wrapped(self, text: str, lines: int, wide: int) -> list[str]:
        found, words = [""], text.split()
        for word in words:
            longer = f"{found[-1]} {word}".strip()
            if self._length(longer) <= wide or not found[-1]:
                found[-1] = longer
            elif len(found) < lines:
                found.append(word)
            else:
                found[-1] += "..."
                break
        return [self._cut(line, wide) for line in found]

    def _cut(self, line: str, wide: int) -> str:
        if self._length(line) <= wide:
            return line
        shorter = line.removesuffix("...")
        while shorter and self._length(f"{shorter}...") > wide:
            shorter = shorter[:-1]
        return f"{shorter.rstrip()}..."

    def _length(self, text: str) -> float:
        return float(self.font.getlength(text))


def _check(table: ImageTable, labels: LabelDistances, query: int, retrieved: Mapping[str, Sequence[int]]) -> None:
    if len(labels) != len(table):
        raise InputError(f"There are {len(table)} images and label distances of {len(labels)}; give those of the same images.")
    if not retrieved or not all(len(rows) for rows in retrieved.values()):
        raise InputError("Nothing is retrieved; give at least one row of the table for each space.")
    rows: Any = np.concatenate([[query], *retrieved.values()])
    if rows.min() < 0 or rows.max() >= len(table):
        raise InputError(f"Row {int(rows.max() if rows.max() >= len(table) else rows.min())} is asked for, and there are {len(table)} images.")
