"""Cache by object identity, so that arrays of a million rows are not hashed or encoded again at every rerun."""

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def cache_by_identity(make: Callable[..., T]) -> Callable[..., T]:
    """Caches the results of `make(thing, *rest)` for each `rest` while `thing` exists.

    `thing` is compared by identity and must not be changed in place; `rest` must be hashable. Objects without weak references are not cached.
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
