import gc

import numpy as np
import pytest

from likeness.plots.linked_map.identity_cache import cache_by_identity


def counted() -> tuple[list[tuple[object, ...]], object]:
    calls: list[tuple[object, ...]] = []

    @cache_by_identity
    def make(thing: object, *rest: object) -> int:
        calls.append((thing, *rest))
        return len(calls)

    return calls, make


def test_a_result_is_made_once_for_each_thing_and_rest_if_it_can_be_referred_to() -> None:
    calls, make = counted()
    one, equal = np.arange(3), np.arange(3)
    assert [make(one), make(one), make(one, "a"), make(equal), make(one)] == [1, 1, 2, 3, 1]
    assert len(calls) == 3
    calls, make = counted()
    assert [make((1, 2)), make((1, 2))] == [1, 2]
    assert len(calls) == 2


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
