"""Filters by the range of a number, while the images that they filter become more."""

from typing import Any

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


def _with(page: AppTest, values: list[float]) -> Any:
    page.session_state["values"] = values
    page.run()
    assert not page.exception
    return page.session_state["hidden"]


def test_an_untouched_range_takes_in_what_comes(page: AppTest) -> None:
    few = [float(value) for value in range(20)]
    assert _with(page, few) is None
    assert _with(page, [*few, 30.0, -5.0]) is None
    assert _with(page, few[:15]) is None


def test_a_chosen_range_stays_as_far_as_there_are_values(page: AppTest) -> None:
    few = [float(value) for value in range(20)]
    _with(page, few)
    page.slider(key="filter_weight").set_range(5.0, 17.0).run()
    assert sum(page.session_state["hidden"]) == 7
    assert sum(_with(page, [*few, 30.0])) == 8
    assert sum(_with(page, few[:15])) == 5


def test_numbers_that_are_texts_or_partly_missing_have_a_range(page: AppTest) -> None:
    """As a CSV file brings them: "1.5" beside "2", and whole numbers with empty cells."""
    texts = [f"{number / 2:g}" for number in range(20)]
    assert _with(page, texts) is None
    page.slider(key="filter_weight").set_range(1.0, 3.0).run()
    assert sum(page.session_state["hidden"]) == 15


def test_whole_numbers_of_which_some_are_missing_have_a_range(page: AppTest) -> None:
    import pandas as pd

    assert _with(page, pd.array([*range(20), None], dtype="Int64")) is None
    page.slider(key="filter_weight").set_range(5.0, 17.0).run()
    assert sum(page.session_state["hidden"]) == 7
