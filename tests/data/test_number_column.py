"""Numbers that a table keeps as texts are numbers where they are looked at as such, and codes are not."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.data import numbers_of


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([1, 2], [1, 2]),
        (pd.array([1, None], dtype="Int64"), [1, np.nan]),
        (["1.5", "2", None], [1.5, 2, np.nan]),
        (["-.5", "1e-3", "+2"], [-0.5, 0.001, 2]),
        (["1.50", "0.10", "1.50"], [1.5, 0.1, 1.5]),
        ([True, False], [1, 0]),
        (["1.1", "1.10"], None),
        (["1e1", "10"], None),
        (["007", "1.5"], None),
        (["7", "08"], None),
        (["99999999999999999998", "1"], None),
        (["1.5", "red"], None),
        (["red", "1.5"], None),
        ([".", "1.5"], None),
        (["1e999", "1.5"], None),
        ([1, "1.5"], None),
        ([None, None], None),
        (pd.to_datetime(["2024-05-01"]), None),
        ([1j], None),
    ],
)
def test_numbers(values: Any, numbers: list[float] | None) -> None:
    found = numbers_of(pd.Series(values, index=range(3, 3 + len(values))))
    assert found is None if numbers is None else np.array_equal(found, numbers, equal_nan=True)
