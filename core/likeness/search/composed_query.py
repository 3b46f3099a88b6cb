"""A query of several parts with signs and weights: "this one, but red, not at night"."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

# sign, weight, then a text in quotes, row:12, or an image file; a file's name with blanks stands in quotes as image:"my photo.jpg"
_TERM = re.compile(
    r"""\s*(?P<sign>[+-])?\s*(?:(?P<weight>\d+(?:\.\d*)?|\.\d+)\s*\*?\s*)?"""
    r"""(?:row:(?P<row>\d+)|image:"(?P<quoted>[^"]+)"|image:(?P<file>\S+)|"(?P<text>[^"]+)")\s*"""
)
_FORM = 'write it as in \'row:3 + "red" - 0.5 "at night"\', with image:FILE for an image'


@dataclass(frozen=True)
class Query:
    """Texts and images that are looked for together, or kept away from.

    The place of the query is the sum of the parts' places in the space, each of unit length times its weight, so that one search through the index
    answers it, and what it finds is ranked by the weighted sum of the similarities to the parts.

    Args:
        terms: (weight, part): a text, the number of a row, or an image as path or PIL image; a weight below 0 leads away from it.

    Raises:
        InputError: no part, none with a weight above 0, or a weight that is 0 or not finite.

    Example:
        >>> import likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> space.nearest(lk.Query([(1.0, 12), (1.0, "a red car"), (-0.5, "a white background")]), k=5).rows.shape
        (5,)
    """

    terms: Sequence[tuple[float, Any]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple((float(weight), part) for weight, part in self.terms))
        for weight, part in self.terms:
            if not math.isfinite(weight) or weight == 0:
                raise InputError(f"The weight of {part!r} is {weight:g}; give a number above 0, or below 0 to lead away from it.")
        if not any(weight > 0 for weight, _ in self.terms):
            raise InputError("The query looks for nothing; give at least one part with a weight above 0.")

    @property
    def rows(self) -> list[int]:
        """The rows that are parts of it, which are not found."""
        return [int(part) for _, part in self.terms if isinstance(part, int | np.integer)]

    def place(self, place_of: Callable[[Any], NDArray[np.float32]]) -> NDArray[np.float32]:
        """Its place in a space, one unit row (1, d).

        Args:
            place_of: the place (1, d) of a text, a row or an image, as `likeness.Space.place` gives it.

        Raises:
            InputError: what `place_of` refuses, or the parts cancel each other out.
        """
        total = sum(weight * np.asarray(place_of(part), np.float64) for weight, part in self.terms)
        length = float(np.linalg.norm(total))
        if length < np.finfo(np.float32).eps * sum(abs(weight) for weight, _ in self.terms):
            raise InputError("The parts of the query cancel each other out; change a weight.")
        return np.asarray(total / length, np.float32)


def parse_query(text: str) -> Query:
    """A query as it is typed: 'row:3 + "red" - 0.5 "at night"', with image:FILE for an image; parts without a sign after the first are joined, too.

    Raises:
        InputError: anything else.
    """
    return Query(tuple(_terms(text)))


def _terms(text: str) -> Iterator[tuple[float, Any]]:
    end = 0
    while end < len(text.rstrip()) or not end:
        found = _TERM.match(text, end)
        if found is None:
            raise InputError(f"'{text.strip()}' is no query from '{text[end:].strip()[:40]}' on; {_FORM}.")
        weight = float(found["weight"] or 1)
        file = found["quoted"] or found["file"]
        part: Any = int(found["row"]) if found["row"] else Path(file) if file else found["text"]
        yield (-weight if found["sign"] == "-" else weight), part
        end = found.end()
