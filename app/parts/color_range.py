"""The part of a color by numbers over which the colors are spread: kept by the session, and in the address."""

import math
from collections.abc import Mapping

from parts import link
from parts.view import View
from state import Item

_NAME = "colored"  # in the address: two numbers

Range = tuple[float, float]


class _Kept:
    """of: dataset and color that the range is of."""

    prefix = "color_range_"
    of = Item[tuple[str, str | None] | None]()
    chosen = Item[Range | None]()


_kept = _Kept()


def of(view: View) -> Range | None:
    """The range of what colors the map, from an address that a person has just come by or as it was chosen; None for all of it."""
    asked = link.read(_NAME)
    if asked is not None:
        _keep(view, _read(asked))
    found = _kept.chosen if _kept.of == (view.dataset, view.color) else None
    link.write({_NAME: [f"{end:.6g}" for end in found or ()]})
    return found


def take(view: View, sent: object) -> None:
    """Keeps the range that a browser sent, whatever it is."""
    given = [sent.get("low"), sent.get("high")] if isinstance(sent, Mapping) else []
    _keep(view, _range([float(each) for each in given if isinstance(each, int | float) and not isinstance(each, bool)]))


def _read(asked: list[str]) -> Range | None:
    try:
        found = _range([float(text) for text in asked])
    except ValueError:
        found = None
    if asked and found is None:
        given = link.shortened(" to ".join(asked))
        link.report(f"“{given}” of this link is no range of colors, so all numbers are colored. Set another one below the map.")
    return found


def _range(numbers: list[float]) -> Range | None:
    return (numbers[0], numbers[1]) if len(numbers) == 2 and all(map(math.isfinite, numbers)) and numbers[0] < numbers[1] else None


def _keep(view: View, chosen: Range | None) -> None:
    _kept.of, _kept.chosen = (view.dataset, view.color), chosen
