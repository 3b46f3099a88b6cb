"""What two tabs have made of the same thing, put together by field against what it was before either."""

from collections.abc import Mapping
from typing import Any

_ABSENT = object()


def merge_fields(base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Each field as whoever changed it left it.

    Args:
        base: the fields before.
        mine, theirs: what became of them in two places.

    Returns:
        The fields together, and the names of those that both changed, each to something else, which stay as in `mine`.
    """
    merged, clashes = {}, []
    for name in dict.fromkeys([*mine, *theirs]):
        was, own, other = (each.get(name, _ABSENT) for each in (base, mine, theirs))
        value = other if own == was else own
        if value is not _ABSENT:
            merged[name] = value
        if other not in (was, value):
            clashes.append(name)
    return merged, clashes
