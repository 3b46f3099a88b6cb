"""Links: a selection and filters survive the way through one, and what one asks for that is not here is said in a sentence."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from streamlit.testing.v1 import AppTest

from app_page import Page
from likeness.data import DatasetEntry, remove_dataset
from parts import selection
from parts.sidebar import ASPECTS, DRAFT
from state import MOST_ROWS, decode_rows, encode_rows
from worlds import dataset, draw


@given(st.sets(st.integers(0, 2_000_000), max_size=200))
def test_a_selection_survives_the_way_through_a_link(rows: set[int]) -> None:
    chosen = np.array(sorted(rows), dtype=np.int64)
    np.testing.assert_array_equal(decode_rows(encode_rows(chosen)), chosen)


@given(st.text(max_size=40))
def test_a_damaged_link_is_an_empty_selection_or_some_rows(text: str) -> None:
    assert decode_rows(text).dtype == np.int64


def test_neighboring_rows_make_a_short_link_and_one_that_swells_is_an_empty_selection() -> None:
    assert len(encode_rows(np.arange(500, 1500))) < 60
    assert len(decode_rows(encode_rows(np.arange(MOST_ROWS, dtype=np.int64)))) == MOST_ROWS
    assert len(decode_rows(encode_rows(np.arange(5_000_000, dtype=np.int64)))) == 0


def test_rows_and_a_query_beyond_the_last_image_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("streamlit.session_state", {"rows": np.array([3, 12]), "query": 12})
    monkeypatch.setattr(selection.link, "report", said.append)
    monkeypatch.setattr(selection.link, "report_missing", lambda *said_of: said.append(" ".join(said_of)))
    monkeypatch.setattr(selection.link, "write", lambda values: None)
    selection.fit(12)
    assert (selection.state.rows.tolist(), selection.state.query, len(said)) == ([3], None, 2)


def _page() -> None:
    from pathlib import Path

    import pandas as pd
    import streamlit as st

    from likeness.data import ImageTable
    from parts import filters, link

    link.begin("explore")
    values = st.session_state["values"]
    frame = pd.DataFrame({"path": [f"{number}.png" for number in range(len(values))], "weight": values})
    hidden = filters.choose(ImageTable("growing", Path(), frame), False, str)
    st.session_state["hidden"] = 0 if hidden is None else int(sum(hidden))
    link.end("explore", True)


def test_an_untouched_range_of_numbers_takes_in_what_comes_and_a_chosen_one_stays_as_far_as_there_are_values() -> None:
    def hidden(values: Any) -> int:
        page.session_state["values"] = values
        assert not page.run().exception
        return int(page.session_state["hidden"])

    def hidden_beyond(low: float, high: float) -> int:
        page.slider(key="filter_weight").set_range(low, high).run()
        return int(page.session_state["hidden"])

    page, few = AppTest.from_function(_page, default_timeout=600), [float(value) for value in range(20)]
    assert [hidden(values) for values in (few, [*few, 30.0, -5.0], few[:15], few)] == [0] * 4
    assert hidden_beyond(5.0, 17.0) == 7
    assert [hidden(values) for values in ([*few, 30.0], few[:15])] == [8, 5]
    # as a CSV file brings them: "1.5" beside "2", and whole numbers with empty cells
    for odd, low, high, beyond in (
        ([f"{number / 2:g}" for number in range(20)], 1.0, 3.0, 15),
        (pd.array([*range(20), None], dtype="Int64"), 5.0, 17.0, 7),
    ):
        page = AppTest.from_function(_page, default_timeout=600)
        assert (hidden(odd), hidden_beyond(low, high)) == (0, beyond)


def test_a_filter_stands_in_the_link_without_its_count(app: Page) -> None:
    asked = ["van", "pickup (17)"]  # the second as earlier versions wrote it
    app.session_state["more_filters"] = True
    assert not app.visit(filter_body_type=asked, filter_yaw=["-1000", "90"]).warning
    assert app.at("filter_body_type").value == app.query_params["filter_body_type"] == ["van", "pickup"]
    assert app.at("filter_yaw").value[1] == 90
    frame = app.session_state["view"].frame
    shown = frame[~app.session_state["view"].hidden]
    assert set(shown["body_type"]) == {"van", "pickup"}
    assert shown["yaw"].max() <= 90
    app.at("filter_yaw").set_range(float(frame["yaw"].min()), float(frame["yaw"].max()))
    assert app.set("filter_body_type", ["pickup"]).query_params["filter_body_type"] == "pickup"
    assert "filter_yaw" not in app.query_params
    for wrong in (["7000", "8000"], ["90", "10"], ["nan", "1"], ["10"], ["warm", "cold"]):  # without images
        visitor = app.fresh("layout").visit(filter_yaw=wrong)
        assert f"the yaw “{' to '.join(wrong)}”, which is not here" in visitor.alerts
        assert visitor.session_state["view"].hidden is None


def test_what_else_of_a_link_is_not_kept_any_more_is_said(app: Page) -> None:
    for name, value, said in (
        ("draft", "0123456789abcdef", "edited notion of this link has been removed"),
        ("draft", "../../x", "edited notion of this link has been removed"),
        ("rows", "damaged", "The selection in this link is damaged"),
        ("query", "seven", "image “seven”, which is not here"),
        ("show", "run gone", "the space “Run gone”, which is not here"),
    ):
        visitor = app.fresh().visit(**{name: value})
        assert said in visitor.alerts
        assert name not in visitor.query_params


def test_a_link_opens_a_dataset_by_id_or_name_and_what_was_pointed_at_does_not_survive_its_dataset(app: Page, photos: DatasetEntry) -> None:
    for asked in (photos.name, photos.id):
        visitor = app.fresh()
        assert not visitor.visit(dataset=asked).error
        assert visitor.session_state["view"].entry.id == visitor.query_params["dataset"] == photos.id
    app.visit(rows=encode_rows(np.array([3, 5])), text="a red car", filter_body_type="van", color="Viewpoint")
    assert app.session_state["view"].hidden is not None
    assert not app.set("dataset", photos.id).warning
    view = app.session_state["view"]
    assert (len(view.selected), view.query, view.hidden, view.color) == (0, None, None, "class")
    assert app.text_input(key="text").value == ""
    assert not {"rows", "query", "text", "filter_body_type"} & set(app.query_params)
    app.multiselect(key="filter_class").select("warm")
    app.set("dataset", "cars")
    assert app.session_state["view"].hidden is None
    assert app.multiselect(key="filter_body_type").value == []
    assert not [name for name in app.query_params if name.startswith("filter_")]
    remove_dataset(photos.id)
    assert f"There are no images “{photos.id}” here" in visitor.run().errors[0]


def test_an_edited_notion_bears_its_own_name_and_links_of_before_still_open_it(app: Page) -> None:
    app.visit(b="Car color").fill("text_input", "template_", "a photo of a {} car")
    assert (app.at("b").value, app.at("b").options[2]) == (DRAFT, "Car color (edited)")
    assert app.session_state["view"].b.name == "car color (edited)"
    for name in ("My edits", "Car color (edited)", "Paint (edited)"):
        other = app.fresh("layout", "draft").visit(b=name, color=f"Aspects of {name}")
        assert (other.session_state["view"].b.name, other.session_state["color"]) == ("car color (edited)", f"{ASPECTS}{DRAFT}")
        assert not other.warning
    app.open("notions").fill("text_input", "name", "paint")
    assert (app.at("b").value, app.at("b").options[2]) == (DRAFT, "Paint (edited)")
    gone = app.fresh("layout").visit(b="My edits")
    assert "“My edits” under “Right map”, which is not here" in gone.alerts


def test_datasets_of_one_name_are_told_apart_by_their_folders_else_by_their_encoders(app: Page, tmp_path: Path) -> None:
    for season in ("summer", "winter"):
        dataset(draw(tmp_path / season / "trip", 2), "cars-small")
    for encoder in ("cars-small", "cars"):
        dataset(draw(tmp_path / "one", 2), encoder)
    offered = app.run().at("dataset").options
    assert {"Trip (summer)", "Trip (winter)", "One (cars-small)", "One (cars)"} <= set(offered)
    assert not [name for name in offered if re.search("[0-9a-f]{4}", name)]
