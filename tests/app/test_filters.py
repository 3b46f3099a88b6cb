"""Filters by the range of a number, while the images that they filter become more."""

from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest


def _page() -> None:
    from pathlib import Path

    import pandas as pd
    import streamlit as st

    from likeness.data import ImageTable
    from shared import filters, link

    link.begin("explore")
    values = st.session_state["values"]
    frame = pd.DataFrame({"path": [f"{number}.png" for number in range(len(values))], "weight": values})
    hidden = filters.choose(ImageTable("growing", Path(), frame), False, str)
    st.session_state["hidden"] = None if hidden is None else hidden.tolist()
    link.end("explore", True)


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(_page, default_timeout=600)


def _with(page: AppTest, values: Any) -> Any:
    page.session_state["values"] = values
    page.run()
    assert not page.exception
    return page.session_state["hidden"]


def _filtered(page: AppTest, low: float, high: float) -> int:
    """How many are hidden after this range was chosen."""
    page.slider(key="filter_weight").set_range(low, high).run()
    return sum(page.session_state["hidden"])


def test_an_untouched_range_takes_in_what_comes_and_a_chosen_one_stays_as_far_as_there_are_values(page: AppTest) -> None:
    few = [float(value) for value in range(20)]
    for values in (few, [*few, 30.0, -5.0], few[:15], few):
        assert _with(page, values) is None
    assert _filtered(page, 5.0, 17.0) == 7
    assert [sum(_with(page, values)) for values in ([*few, 30.0], few[:15])] == [8, 5]


def test_numbers_that_are_texts_or_partly_missing_have_a_range(page: AppTest) -> None:
    """As a CSV file brings them: "1.5" beside "2", and whole numbers with empty cells."""
    assert _with(page, [f"{number / 2:g}" for number in range(20)]) is None
    assert _filtered(page, 1.0, 3.0) == 15
    other = AppTest.from_function(_page, default_timeout=600)
    assert _with(other, pd.array([*range(20), None], dtype="Int64")) is None
    assert _filtered(other, 5.0, 17.0) == 7
