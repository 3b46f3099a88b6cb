"""The table of images, without a browser: what it shows and what its boxes select."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from pages.explore import table as pages_table
from state import encode_rows

ROWS = 2000


@pytest.fixture
def table(app: Page) -> Page:
    """Explore with the table in place of the pictures."""
    app.query_params["beside"] = "Table"
    return app


def _grid(app: Page) -> Any:
    return app.get("dataframe")[0]


def _cells(app: Page, name: str) -> Any:
    return _grid(app).value[name]


def _selected(app: Page) -> list[int]:
    rows: list[int] = app.session_state["rows"].tolist()
    return rows


def _rows(app: Page) -> list[int]:
    return [int(url.rsplit("/", 1)[-1]) for url in _cells(app, "picture")]


def _tick(app: Page, places: Any) -> Page:
    """What the browser sends after boxes were ticked."""
    from streamlit.proto.WidgetStates_pb2 import WidgetState

    state = WidgetState(id=_grid(app).proto.id)
    state.string_value = json.dumps({"selection": {"rows": places, "columns": [], "cells": []}})
    states = app._tree.get_widget_states()
    states.widgets.append(state)
    app._run(states)
    return app


def test_all_images_or_those_of_a_link_go_to_the_browser_whole_and_as_what_they_are(table: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _rows(table.run()) == list(range(ROWS))
    yaw = _cells(table, "attribute:yaw")
    assert pd.api.types.is_float_dtype(yaw)
    np.testing.assert_allclose(yaw, table.session_state["view"].frame["yaw"])
    columns = json.loads(_grid(table).proto.columns)
    assert [columns[f"attribute:{name}"].get("hidden", False) for name in ("body_type", "background_value")] == [False, True]
    assert columns["attribute:background_value"]["label"] == "Background value"
    assert set(_cells(table.fresh().visit(filter_body_type="van"), "attribute:body_type")) == {"van"}
    assert _rows(table.fresh().visit(rows=encode_rows(np.array([5, 70, 1999])))) == [5, 70, 1999]
    monkeypatch.setattr(pages_table, "PAGE", 300)  # of very many images, page by page
    assert _rows(table.run()) == list(range(300))
    assert "Rows 1 to 300 of 2,000. " in table.texts
    table.session_state["table_page"] = 7
    assert _rows(table.run()) == list(range(1800, ROWS))


def test_in_full_width_it_takes_the_place_of_the_map(table: Page) -> None:
    assert table.run().sent("map")
    wide = table.set("wide", True)
    assert wide.sent("map") is None
    assert _rows(wide) == list(range(ROWS))
    assert _selected(_tick(wide, [3])) == [3]
    assert wide.fresh("beside").visit(wide="true").sent("map") is None  # already in the first run
    assert wide.set("beside", "Pictures").sent("map")["selected"]


def test_neighbors_have_a_similarity_in_each_space_and_the_nearest_come_first(table: Page) -> None:
    rows, view = _rows(table.visit(query="3", b="Car color")), table.session_state["view"]
    assert set(rows) == set(view.a.nearest(3, 24).rows.tolist()) | set(view.b.nearest(3, 24).rows.tolist())
    assert rows[:24] == view.a.nearest(3, 24).rows.tolist()
    for space, title in ((view.a, "Raw encoder"), (view.b, "Car color")):
        np.testing.assert_allclose(_cells(table, f"similarity:Similarity in {title}"), space.vectors[rows] @ space.vectors[3], atol=1e-5)


def test_ticked_rows_are_selected_on_the_map_and_the_table_stays(table: Page) -> None:
    rows = _rows(table.visit(query="3"))
    assert _selected(_tick(table, [0, 2])) == sorted([rows[0], rows[2]])
    assert _rows(table) == rows
    places: list[Any] = [["x"], [-1], [10**9], [1.5], [True], [None], "all", None, {"0": 1}]  # which are none
    assert [_selected(_tick(table, each)) for each in places] == [[]] * len(places)


def test_a_selection_on_the_map_is_shown_ticked_and_ticks_leave_all_in_sight(table: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    table.run().session_state["rows"] = np.array([7, 9])
    assert _rows(table.run()) == [7, 9]
    assert table.session_state["attribute_table"]["selection"]["rows"] == [0, 1]
    assert _selected(_tick(table, [1])) == _rows(table) == [9]
    table.session_state["rows"], table.session_state["ticking"] = np.array([7, 9]), True
    assert len(_rows(table.run())) == ROWS
    assert table.session_state["attribute_table"]["selection"]["rows"] == [7, 9]
    monkeypatch.setattr(pages_table, "PAGE", 300)
    table.session_state["rows"] = np.array([1500])
    table.run()
    assert _selected(_tick(table, [4])) == [4, 1500]  # one is on another page
    assert _selected(_tick(table, [])) == [1500]
