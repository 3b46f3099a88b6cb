"""The table beside the map, without a browser: what it shows, how it is sorted, and what its boxes select."""

import io
import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from pages.explore import attribute_table, table_columns
from shared import selection
from shared.neighbors import Query


@pytest.fixture
def table(app: Page) -> Page:
    """Explore with the table in place of the pictures."""
    app.query_params["beside"] = "Table"
    return app


def _grid(app: Page) -> Any:
    return app.get("dataframe")[0]


def _shown(app: Page, name: str) -> Any:
    """The cells of a column."""
    return _grid(app).value[name]


def _selected(app: Page) -> list[int]:
    rows: list[int] = app.session_state["rows"].tolist()
    return rows


def _rows(app: Page) -> list[int]:
    return [int(url.rsplit("/", 1)[-1]) for url in _shown(app, "picture")]


def _tick(app: Page, places: list[int], columns: list[str] | None = None) -> Page:
    """What the browser sends after boxes were ticked, with the head of a column that is marked."""
    from streamlit.proto.WidgetStates_pb2 import WidgetState

    state = WidgetState(id=_grid(app).proto.id)
    state.string_value = json.dumps({"selection": {"rows": places, "columns": columns or [], "cells": []}})
    states = app._tree.get_widget_states()
    states.widgets.append(state)
    app._run(states)
    return app


def test_one_page_of_all_images_or_of_a_links_goes_to_the_browser(table: Page) -> None:
    assert _rows(table.run()) == list(range(attribute_table.PAGE))
    assert "Rows 1 to 200 of 2,000" in [each.value for each in table.caption]
    yaw = _shown(table, "attribute:yaw")
    assert pd.api.types.is_float_dtype(yaw)
    np.testing.assert_allclose(yaw, table.session_state["view"].frame["yaw"][: len(yaw)])
    assert "/" not in "".join(_shown(table, "file"))
    assert set(_shown(table.fresh().visit(filter_body_type="van"), "attribute:body_type")) == {"van"}
    assert _rows(table.fresh().visit(rows=selection.encode(np.array([5, 70, 1999])))) == [5, 70, 1999]


def test_neighbors_have_a_similarity_in_each_space_and_the_greatest_come_first(table: Page) -> None:
    rows, view = _rows(table.visit(query="3", b="Car color")), table.session_state["view"]
    assert set(rows) >= set(view.a.nearest(3, 24).rows.tolist()) | set(view.b.nearest(3, 24).rows.tolist())
    for place, space in enumerate((view.a, view.b)):
        np.testing.assert_allclose(_shown(table, f"similarity:{place}"), space.vectors[rows] @ space.vectors[3], atol=1e-5)
    assert json.loads(_grid(table).proto.columns)["similarity:1"]["label"] == "Similarity in Car color"
    found = _shown(table.set("table_sort", "similarity:1"), "similarity:1").to_numpy()
    assert (np.diff(found) <= 0).all()
    assert len(found) > 24


def test_it_is_sorted_among_all_images_also_by_the_head_of_a_column(table: Page) -> None:
    yaw = np.sort(table.run().set("table_sort", "attribute:yaw").session_state["view"].frame["yaw"])
    np.testing.assert_allclose(_shown(table, "attribute:yaw"), yaw[: attribute_table.PAGE])
    np.testing.assert_allclose(_shown(table.click("table_turn"), "attribute:yaw"), yaw[::-1][: attribute_table.PAGE])
    for first in ("convertible", "van"):
        assert set(_shown(_tick(table, [], ["attribute:body_type"]), "attribute:body_type")) == {first}


def test_missing_values_come_last_either_way_and_long_texts_are_cut() -> None:
    frame = pd.DataFrame({"path": ["a/b.jpg", *"bcd"], "n": [2.0, np.nan, 1.0, 3.0], "t": ["b", None, "B", "a"], "caption": ["word " * 100] * 4})
    view: Any = SimpleNamespace(frame=frame, thumbnails="/t/{row}")
    for name, backward, expected in (("n", False, [2, 0, 3, 1]), ("n", True, [3, 0, 2, 1]), ("t", False, [3, 0, 2, 1]), ("t", True, [0, 2, 3, 1])):
        assert table_columns.in_order(view, [], f"attribute:{name}", np.arange(4), backward).tolist() == expected
    shown = table_columns.page(view, [], ["file", "attribute:caption"], np.array([0]))
    assert shown["file"][0] == "b.jpg"
    assert len(shown["attribute:caption"][0]) == 161


def test_ticked_rows_are_selected_on_the_map_and_the_table_stays(table: Page) -> None:
    rows = _rows(table.run().set("table_sort", "attribute:yaw"))
    assert _selected(_tick(table, [0, 2])) == sorted([rows[0], rows[2]])
    assert table.session_state["table_scope"] == attribute_table.ALL
    assert _rows(table) == rows
    places: list[Any] = [["x"], [-1], [10**9], [1.5], [True], [None], "all", None, {"0": 1}]  # which are none
    assert [_selected(_tick(table, each)) for each in places] == [[]] * len(places)


def test_a_selection_on_the_map_or_on_another_page_is_ticked_and_stays(table: Page) -> None:
    table.run().session_state["rows"] = np.array([7, 9])
    assert table.run().session_state["table_scope"] == attribute_table.SELECTED
    assert table.session_state["attribute_table_0"]["selection"]["rows"] == [0, 1]
    table.session_state["table_scope"] = attribute_table.ALL
    assert table.run().session_state["attribute_table_0"]["selection"]["rows"] == [7, 9]
    table.session_state["rows"] = np.array([1500])
    table.session_state["table_scope"] = attribute_table.ALL
    table.session_state["table_seen"] = (Query(), np.array([1500]).tobytes())
    table.run()
    assert _selected(_tick(table, [4])) == [4, 1500]
    assert _selected(_tick(table, [])) == [1500]


def test_a_hidden_column_is_neither_shown_nor_sent_and_the_download_has_all_rows(table: Page) -> None:
    shown = set(_grid(table.run().set("table_column:attribute:yaw", False)).value)
    assert {"attribute:yaw", "attribute:body_type"} & shown == {"attribute:body_type"}
    view = table.session_state["view"]
    rows = table_columns.in_order(view, [], "attribute:yaw", np.arange(2000), True)
    read = pd.read_csv(io.BytesIO(table_columns.csv(view, [], {"file": "File", "attribute:yaw": "Yaw"}, rows)))
    assert list(read) == ["row", "path", "yaw"]
    assert read["row"].tolist() == rows.tolist()
    np.testing.assert_allclose(read["yaw"], view.frame["yaw"].iloc[rows])
