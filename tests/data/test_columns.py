"""Columns beside those of a table, and numbers that it keeps as texts."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.data import free_name, numbers_of, with_columns_before


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        *(([1, 2], [1, 2]), (pd.array([1, None], dtype="Int64"), [1, np.nan]), (["1.5", "2", None], [1.5, 2, np.nan])),
        *((["-.5", "1e-3", "+2"], [-0.5, 0.001, 2]), (["1.50", "0.10", "1.50"], [1.5, 0.1, 1.5]), ([True, False], [1, 0]), (["1.1", "1.10"], None)),
        *((["1e1", "10"], None), (["007", "1.5"], None), (["7", "08"], None), (["99999999999999999998", "1"], None), (["1.5", "red"], None)),
        *((["red", "1.5"], None), ([".", "1.5"], None), (["1e999", "1.5"], None), ([1, "1.5"], None), ([None, None], None)),
        *((pd.to_datetime(["2024-05-01"]), None), ([1j], None)),
    ],
)
def test_numbers(values: Any, numbers: list[float] | None) -> None:
    found = numbers_of(pd.Series(values, index=range(3, 3 + len(values))))
    assert found is None if numbers is None else np.array_equal(found, numbers, equal_nan=True)


def test_an_attribute_that_is_called_like_a_result_keeps_its_values() -> None:
    frame = pd.DataFrame({"path": ["a.jpg", "b.jpg"], "row": ["top", "middle"], "row (attribute)": [1, 2]}, index=[4, 7])
    found = with_columns_before(frame, {"row": [4, 7], "similarity": [0.5, 0.25]})
    assert found.columns.tolist() == ["row", "similarity", "path", "row (attribute) (attribute)", "row (attribute)"]
    assert found.to_numpy().tolist() == [[4, 0.5, "a.jpg", "top", 1], [7, 0.25, "b.jpg", "middle", 2]]
    assert frame.columns.tolist() == ["path", "row", "row (attribute)"]
    assert free_name("row", {"path"}, "found") == "row"
    assert free_name("row", {"row", "row (found)"}, "found") == "row (found) (found)"
