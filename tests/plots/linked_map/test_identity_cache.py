import gc
import itertools
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from likeness.plots.linked_map.parts import cache_by_identity


def counted() -> Callable[..., int]:
    """The number of the call that made a result."""
    numbers = itertools.count(1)
    return cache_by_identity(lambda thing, *rest: next(numbers))


def test_a_result_is_made_once_for_each_thing_and_rest_if_it_can_be_referred_to() -> None:
    one, equal, make = np.arange(3), np.arange(3), counted()
    assert [make(one), make(one), make(one, "a"), make(equal), make(one)] == [1, 1, 2, 3, 1]
    make = counted()
    assert [make((1, 2)), make((1, 2))] == [1, 2]


def test_results_go_with_the_thing() -> None:
    make = cache_by_identity(lambda thing: np.ones(2))
    thing = np.zeros(4)
    result = weakref.ref(make(thing))
    assert result() is not None
    del thing
    gc.collect()
    assert result() is None


def test_a_failure_is_not_kept() -> None:
    results, thing = iter(["1", "x", "2"]), np.zeros(1)
    make = cache_by_identity(lambda thing, *rest: int(next(results)))
    assert make(thing) == 1
    with pytest.raises(ValueError, match="invalid literal"):
        make(thing, "rest")
    assert (make(thing, "rest"), make(thing)) == (2, 1)
