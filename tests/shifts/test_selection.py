"""The chosen splits are the best of all choices."""

from itertools import combinations

import numpy as np
from hypothesis import given, strategies as st

from likeness.shifts import select_evenly


@given(st.lists(st.floats(0, 100), min_size=3, max_size=9), st.data())
def test_no_other_choice_is_more_even(distances: list[float], data: st.DataObject) -> None:
    count = data.draw(st.integers(2, len(distances)))
    keep = data.draw(st.none() | st.integers(0, len(distances) - 1))
    targets = np.linspace(min(distances), max(distances), count)

    def cost(choice: "tuple[int, ...] | list[int]") -> float:
        return float(((np.sort([distances[each] for each in choice]) - targets) ** 2).sum())

    chosen = select_evenly(distances, count, keep)
    allowed = [choice for choice in combinations(range(len(distances)), count) if keep is None or keep in choice]
    assert len(set(chosen)) == count
    assert keep is None or keep in chosen
    assert cost(chosen) <= min(map(cost, allowed)) + 1e-9
    assert [distances[each] for each in chosen] == sorted(distances[each] for each in chosen)
