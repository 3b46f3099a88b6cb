"""Results kept for as long as what they were made from: arrays of a million rows are neither hashed nor encoded again at every rerun."""

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def cache_by_identity(make: Callable[..., T]) -> Callable[..., T]:
    """`make(thing, *rest)` with its results kept while `thing` lives, one for each `rest`.

    `thing` counts by identity, so it must not be changed in place; `rest` must be hashable. What cannot be referred to weakly is made anew.
    """
    results: dict[int, dict[tuple[Any, ...], T]] = {}

    @wraps(make)
    def kept(thing: Any, *rest: Any) -> T:
        try:
            known = results.get(id(thing))
            if known is None:
                weakref.finalize(thing, results.pop, id(thing), None)
                known = results[id(thing)] = {}
        except TypeError:
            return make(thing, *rest)
        if rest not in known:
            known[rest] = make(thing, *rest)
        return known[rest]

    return kept
