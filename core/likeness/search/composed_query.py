"""Queries of several images and texts, with signs and weights: "this one, but red, not at night"."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from likeness.errors import InputError

_TERM = re.compile(
    r"""\s*(?P<sign>[+-])?\s*
    (?:(?P<weight>\d+(?:\.\d*)?|\.\d+)\s*\*?\s*)?
    (?:row:(?P<row>\d{1,15})(?![^\s+-])
    |image:(?:"(?P<file>[^"]+)"|'(?P<file2>[^']+)'|(?P<file3>[^\s"']+))
    |"(?P<text>[^"]+)"|'(?P<text2>[^']+)')\s*""",
    re.VERBOSE,
)
_FORM = """write it as in 'row:3 + "red" - 0.5 "at night" + image:photo.jpg'"""


@dataclass(frozen=True, init=False)
class Query:
    """A composed query of images and texts for `likeness.Space.nearest`.

    Args:
        terms: (weight, item) pairs. An item is any single query of `Space.nearest`: a text, a row number, a `Path`, a PIL image, a file's content or
            a vector (d,). Negative weights: results should be unlike the item. Only relative weights matter.

    Raises:
        InputError: no term, or a weight that is 0 or not finite.

    Example:
        >>> Query([(1, 3), (1, "red"), (-0.5, "at night")]).name
        'row:3 + "red" - 0.5 "at night"'
    """

    terms: tuple[tuple[float, Any], ...]

    def __init__(self, terms: Iterable[tuple[float, Any]]) -> None:
        object.__setattr__(self, "terms", tuple(_checked(term) for term in terms))
        if not self.terms:
            raise InputError('The query has no term; pass at least one, as in Query([(1, 3), (1, "red")]).')

    @property
    def rows(self) -> tuple[int, ...]:
        """Row numbers among the terms; they are excluded from the results."""
        return tuple(int(what) for _, what in self.terms if isinstance(what, Integral))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts among the terms."""
        return tuple(what for _, what in self.terms if isinstance(what, str))

    @property
    def name(self) -> str:
        """The query in the syntax of `parse_query`, if all terms are rows, texts and paths."""
        signs = ["- " if weight < 0 else "+ " if place else "" for place, (weight, _) in enumerate(self.terms)]
        weights = ["" if abs(weight) == 1 else f"{abs(weight):g} " for weight, _ in self.terms]
        return " ".join(f"{sign}{weight}{_name(what)}" for sign, weight, (_, what) in zip(signs, weights, self.terms, strict=True))


def parse_query(text: str) -> Query:
    """Parses a query such as `row:3 + "red" - 0.5 "at night" + image:photo.jpg`: quoted texts, signs between terms, weights before them.

    Raises:
        InputError: invalid syntax or weight.

    Example:
        >>> parse_query('row:3 + "red" - 0.5 "at night"').terms
        ((1.0, 3), (1.0, 'red'), (-0.5, 'at night'))
    """
    terms: list[tuple[float, Any]] = []
    begin = 0
    while begin < len(text.rstrip()) or not terms:
        match = _TERM.match(text, begin)
        if match is None or (terms and not match["sign"]):
            wrong = text[begin:].strip()
            raise InputError(f"The query cannot be parsed from {wrong!r} on; {_FORM}." if wrong else f"The query is empty; {_FORM}.")
        terms.append((float(match["weight"] or 1) * (-1 if match["sign"] == "-" else 1), _what(match)))
        begin = match.end()
    return Query(terms)


def _what(match: re.Match[str]) -> Any:
    if match["row"]:
        return int(match["row"])
    file = match["file"] or match["file2"] or match["file3"]
    return Path(file) if file else match["text"] or match["text2"]


def _name(what: Any) -> str:
    if isinstance(what, Integral):
        return f"row:{what}"
    if isinstance(what, str):
        return f"'{what}'" if '"' in what else f'"{what}"'
    return f'image:"{what}"' if isinstance(what, Path) else "a picture" if isinstance(what, bytes) else "a vector or picture"


def _checked(term: Any) -> tuple[float, Any]:
    if not isinstance(term, tuple | list) or len(term) != 2:
        raise InputError(f'{term!r} is not a query term; pass pairs of weight and item, such as (1, "red").')
    weight, what = term
    if isinstance(weight, bool) or not isinstance(weight, Real) or not math.isfinite(weight) or weight == 0:
        raise InputError(f"The weight of {_name(what)} is {weight!r}; pass a number above 0, or below 0 for items that results should be unlike.")
    if isinstance(what, Query):
        raise InputError("Queries cannot be nested; pass the terms one by one.")
    return float(weight), what
