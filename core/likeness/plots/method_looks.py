"""Looks of the methods of a benchmark, by their order in it."""

from collections.abc import Iterable

from likeness.plots.look import GRAY, Look, look_at

_UNTRAINED = "raw"
_OPEN_AFTER = 7  # symbols there are


def method_looks(methods: Iterable[str]) -> dict[str, Look]:
    """The look of each method in the order given, so that it keeps it in every figure.

    Those whose names begin with "raw", encoders that are not trained, are grey; the others take the looks of their places. From the eighth on
    symbols are open, since colors come back.
    """
    found: dict[str, Look] = {}
    for method in dict.fromkeys(methods):
        if method.lower().startswith(_UNTRAINED):
            found[method] = Look(GRAY, "dash", "x", "/")
            continue
        place = sum(look.color != GRAY for look in found.values())
        look = look_at(place)
        found[method] = look._replace(symbol=f"{look.symbol}-open") if place // _OPEN_AFTER % 2 else look
    return found
