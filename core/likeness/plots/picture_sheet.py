"""A sheet of pictures with text, for figures of retrieval results."""

from collections.abc import Iterable, Sequence
from itertools import chain

from PIL import Image, ImageDraw, ImageFont

from likeness.errors import InputError

INK, QUIET, _PAPER = "#1b1f2a", "#5d6575", "#ffffff"
GAP, MARGIN, LINE, _LETTER = 8, 14, 18, 13


def check_rows(query: int | None, found: Iterable[Sequence[int]], count: int) -> None:
    """InputError: a row outside a table of `count` images."""
    wrong = [int(row) for row in chain([] if query is None else [query], *found) if not 0 <= row < count]
    if wrong:
        raise InputError(f"There is no row {max(wrong) if max(wrong) >= count else min(wrong)} in a table of {count} images.")


class PictureSheet:
    """A sheet for pictures, in tiles of `tile` pixels, and text; `sheet` is the resulting picture."""

    def __init__(self, width: int, height: int, tile: int) -> None:
        self.sheet, self.tile, self.font = Image.new("RGB", (width, height), _PAPER), tile, ImageFont.load_default(_LETTER)
        self.pen = ImageDraw.Draw(self.sheet)

    def picture(self, x: int, y: int, image: Image.Image, frame: str = "") -> None:
        """Pastes an image into the middle of its tile, with a frame of this color, if any."""
        self.sheet.paste(image, (x + (self.tile - image.width) // 2, y + (self.tile - image.height) // 2))
        if frame:
            self.pen.rectangle([x - 4, y - 4, x + self.tile + 3, y + self.tile + 3], outline=frame, width=3)

    def write(self, x: int, y: int, text: str, color: str, lines: int = 1, wide: int | None = None) -> None:
        """Writes text in at most `lines` lines of the tile's width, cut off by an ellipsis."""
        for number, line in enumerate(self._wrapped(text, lines, wide or self.tile)):
            self.pen.text((x, y + number * LINE), line, fill=color, font=self.font)

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
