import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likeness.plots.linked_map.identity_cache import cache_by_identity


def counted() -> Callable[..., int]:
    """The number of the call that made a result."""
    calls: list[Any] = []

    @cache_by_identity
    def make(thing: object, *rest: object) -> int:
        calls.append(None)  # not the thing, which would live on
        return len(calls)

    return make


def test_a_result_is_made_once_for_each_thing_and_rest_if_it_can_be_referred_to() -> None:
    one, equal, make = np.arange(3), np.arange(3), counted()
    assert [make(one), make(one), make(one, "a"), make(equal), make(one)] == [1, 1, 2, 3, 1]
    make = counted()
    assert [make((1, 2)), make((1, 2))] == [1, 2]


def test_results_go_with_the_thing() -> None:
    made = []

    class Result:
        def __del__(self) -> None:
            made.append("gone")

    make = cache_by_identity(lambda thing: Result())
    thing = np.zeros(4)
    make(thing)
    assert made == []
    del thing
    gc.collect()
    assert made == ["gone"]


def test_a_failure_is_not_kept() -> None:
    fails = [True]

    @cache_by_identity
    def make(thing: object) -> str:
        if fails.pop() if fails else False:
            raise ValueError("not yet")
        return "made"

    thing = np.zeros(1)
    with pytest.raises(ValueError, match="not yet"):
        make(thing)
    assert make(thing) == "made"
