"""Columns of results beside those of the images."""

import pandas as pd

from likeness.data import free_name, with_columns_before


def test_an_attribute_that_is_called_like_a_result_keeps_its_values() -> None:
    frame = pd.DataFrame({"path": ["a.jpg", "b.jpg"], "row": ["top", "middle"], "row (attribute)": [1, 2]}, index=[4, 7])
    found = with_columns_before(frame, {"row": [4, 7], "similarity": [0.5, 0.25]})
    assert found.columns.tolist() == ["row", "similarity", "path", "row (attribute) (attribute)", "row (attribute)"]
    assert found.to_numpy().tolist() == [[4, 0.5, "a.jpg", "top", 1], [7, 0.25, "b.jpg", "middle", 2]]
    assert frame.columns.tolist() == ["path", "row", "row (attribute)"]


def test_a_free_name_stays() -> None:
    assert free_name("row", {"path"}, "found") == "row"
    assert free_name("row", {"row", "row (found)"}, "found") == "row (found) (found)"
