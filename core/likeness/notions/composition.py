"""Notions combined by addition, weights, subtraction and restriction: "car color[red, blue] + 0.5 car model - background color"."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from likeness.arrays import Floats, like, to_numpy
from likeness.errors import InputError
from likeness.notions.other_notions import varying_directions
from likeness.notions.projection import LinearProjection

Parts = tuple[tuple[float, Any], ...]  # (weight, notion); `Notion` is built on this file
# signs stand between blanks, or first: names have hyphens
_SIGN = re.compile(r"(?:^|\s)([+-])(?=\s)")
_WEIGHT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(?:\s*\*\s*|\s+|$)")
_RESTRICTED = re.compile(r"(.+?)\s*\[(.*)\]")


class Combinable:
    """What can be added with +, subtracted with - and weighed by a number: a notion, or several combined."""

    def __add__(self, other: "Combinable") -> "Composition":
        return Composition((*parts_of(self), *parts_of(other))) if isinstance(other, Combinable) else NotImplemented

    def __sub__(self, other: "Combinable") -> "Composition":
        return self + -1 * other if isinstance(other, Combinable) else NotImplemented

    def __mul__(self, weight: float) -> "Composition":
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            return NotImplemented
        return Composition(tuple((weight * own, notion) for own, notion in parts_of(self)))

    __rmul__ = __mul__

    def __neg__(self) -> "Composition":
        return -1 * self


@dataclass(frozen=True)
class Composition(Combinable):
    """Several notions at once: similarity is the weighted sum over the added notions, after removing the subtracted ones.

    InputError: no part, or a weight that is 0, not finite or below -1.

    Args:
        parts: (weight, notion). Similarities of notions with positive weights are added with these weights. A negative weight first removes the share
            -weight of the directions in which the notion's prompts vary from images and prompts; -1 removes them completely. Without positive weights
            the rest of the encoder's space remains.

    Example:
        >>> from likeness.notions import get_notion
        >>> color, body = get_notion("car color"), get_notion("car model")
        >>> (color + 0.5 * body - get_notion("background color")).name
        'car color + 0.5 car model - background color'
    """

    parts: Parts

    def __post_init__(self) -> None:
        if not self.parts:
            raise InputError("There is no notion; name at least one, as in 'car color + 0.5 car model'.")
        for weight, notion in self.parts:
            if not math.isfinite(weight) or weight == 0 or weight < -1:
                raise InputError(f"The weight of '{notion.name}' is {weight:g}; choose one above 0 to add it, or from -1 to below 0 to remove it.")

    @property
    def joined(self) -> Parts:
        """The parts with a positive weight."""
        return tuple((weight, notion) for weight, notion in self.parts if weight > 0)

    @property
    def name(self) -> str:
        """The text that `parse_composition` reads back."""
        signs = ["- " if weight < 0 else "+ " if place else "" for place, (weight, _) in enumerate(self.parts)]
        weights = ["" if abs(weight) == 1 else f"{abs(weight):g} " for weight, _ in self.parts]
        return " ".join(f"{sign}{weight}{notion.name}" for sign, weight, (_, notion) in zip(signs, weights, self.parts, strict=True))

    def as_notion(self, name: str) -> Any:
        """The composition as one notion that can be saved: the first added notion, with the others as its `joined`.

        InputError: all notions are subtracted.
        """
        if not self.joined:
            raise InputError("All notions are subtracted; add at least one, as in 'car color - background color'.")
        scale, first = self.joined[0]
        others = list(self.parts)
        others.remove(self.joined[0])
        attribute = self.attributes[0] if len(self.attributes) == 1 else None
        weighed = tuple((weight / scale if weight > 0 else weight, notion) for weight, notion in others)
        return replace(first, name=name, question="", attribute=attribute, joined=weighed, clicks=())

    @property
    def attributes(self) -> tuple[str, ...]:
        """Label columns whose combination evaluates it, those of the added notions; empty if one of them has none."""
        columns = [notion.attribute for _, notion in self.joined]
        return tuple(dict.fromkeys(column for column in columns if column)) if all(columns) else ()


def parse_composition(text: str, find: Callable[[str], Any]) -> Any:
    """Parses notion names with signs between blanks and weights before names: "car-color + 0.5 car-model - background-color".

    `find` looks up names; a single name gives that notion, and `car-color[red, white]` restricts it to some aspects. InputError: a sign without a
    name, an error of `find`, aspects that the notion lacks, or weights that `Composition` rejects.
    """
    begins = [match.start(1) for match in _SIGN.finditer(text)]
    if not begins:
        return _named(text.strip(), find)
    terms = [text[: begins[0]], *(text[begin:end] for begin, end in zip(begins, [*begins[1:], len(text)], strict=True))]
    return Composition(tuple(_part(term.strip(), text, find) for place, term in enumerate(terms) if place or term.strip()))


def _part(term: str, text: str, find: Callable[[str], Any]) -> tuple[float, Any]:
    sign, name = (term[0], term[1:].strip()) if term[:1] in ("+", "-") else ("+", term)
    weight = _WEIGHT.match(name)
    if weight:
        name = name[weight.end() :].strip()
    if not name:
        raise InputError(f"'{text.strip()}' has a sign without a notion; write for example 'car-color + 0.5 car-model - background-color'.")
    return (-1 if sign == "-" else 1) * (float(weight[1]) if weight else 1.0), _named(name, find)


def _named(name: str, find: Callable[[str], Any]) -> Any:
    restricted = _RESTRICTED.fullmatch(name)
    if not restricted:
        return find(name)
    try:
        return find(name)  # a notion's own name may look like this
    except InputError:
        return find(restricted[1]).restrict(restricted[2].split(","))


def parts_of(combined: Combinable) -> Parts:
    """(weight, notion) of a notion and those saved with it (`Notion.joined`), or of a composition."""
    if isinstance(combined, Composition):
        return combined.parts
    joined: Parts = getattr(combined, "joined", ())
    return ((1.0, replace(combined, joined=(), clicks=())), *joined) if joined else ((1.0, combined),)  # type: ignore[type-var]


class JoinedProjection(LinearProjection):
    """U = P [sqrt(w_1) U_1 | sqrt(w_2) U_2 | ...], with P = I - (1 - sqrt(1 - s)) N N^T for a subtracted notion of share s.

    Before scaling to unit length, the product of two images is the sum of those in the notions, weighted by w. One linear map of the encoder's
    vectors, as for a single notion, so the same index serves it. `joined` are (weight, fitted linear estimator), empty for the encoder's own space;
    `removed` (share, prompts (n, r)), removed one after the other. InputError: an estimator that is not linear, or fitted for another encoder.
    """

    def __init__(self, joined: Sequence[tuple[float, Any]], removed: Sequence[tuple[float, Any]] = ()) -> None:
        self.joined, self.removed = joined, removed
        self.estimators = tuple(estimator for _, estimator in joined)
        parts = [(weight, _map_of(estimator)) for weight, estimator in joined]
        widths = {len(U) for _, U in parts} | {np.shape(rows)[1] for _, rows in removed}
        if len(widths) != 1:
            raise InputError("The notions were fitted for encoders of different dimensions; use the same encoder for all.")
        U = np.hstack([np.sqrt(weight) * U for weight, U in parts]) if parts else np.eye(widths.pop())
        for share, rows in removed:
            taken = varying_directions([rows], len(U))
            # U is scaled by the root, so that products along the removed directions are scaled by 1 - share
            U = U - (1 - np.sqrt(1 - share)) * taken @ (taken.T @ U)
        self.U = like(joined[0][1].U if joined else removed[0][1])(U)


def _map_of(estimator: Any) -> Floats:
    if not isinstance(estimator, LinearProjection):
        raise InputError(f"{type(estimator).__name__} is not a linear map and cannot be combined with others; use InDiReCT, scaled PCA or CRL.")
    return np.asarray(to_numpy(estimator.U), np.float64)
