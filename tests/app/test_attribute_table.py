"""The table beside the map, without a browser: what it shows, how it is sorted, and what its boxes select."""

import io
import json
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


def _titles(app: Page) -> dict[str, str]:
    config = json.loads(_grid(app).proto.columns)
    return {key: each.get("label") for key, each in config.items()}


def _rows(shown: pd.DataFrame) -> list[int]:
    return [int(url.rsplit("/", 1)[-1]) for url in shown["picture"]]


def _tick(app: Page, places: list[int], columns: list[str] | None = None) -> Page:
    """What the browser sends after boxes were ticked, with the head of a column that is marked."""
    from streamlit.proto.WidgetStates_pb2 import WidgetState

    state = WidgetState(id=_grid(app).proto.id)
    state.string_value = json.dumps({"selection": {"rows": places, "columns": columns or [], "cells": []}})
    states = app._tree.get_widget_states()
    states.widgets.append(state)
    app._run(states)
    return app


class TestRows:
    def test_one_page_of_all_images_or_of_a_links_goes_to_the_browser(self, table: Page) -> None:
        table.run()
        assert _rows(_grid(table).value) == list(range(attribute_table.PAGE))
        assert "Rows 1 to 200 of 2,000" in [each.value for each in table.caption]
        shown = _grid(table).value
        assert pd.api.types.is_float_dtype(shown["attribute:yaw"])
        np.testing.assert_allclose(shown["attribute:yaw"], table.session_state["view"].frame["yaw"][: len(shown)])
        assert "/" not in "".join(shown["file"])
        van = table.fresh()
        assert set(_grid(van.visit(filter_body_type="van")).value["attribute:body_type"]) == {"van"}

        linked = table.fresh()
        assert _rows(_grid(linked.visit(rows=selection.encode(np.array([5, 70, 1999])))).value) == [5, 70, 1999]

    def test_neighbors_have_a_similarity_in_each_space_and_the_greatest_come_first(self, table: Page) -> None:
        shown = _grid(table.visit(query="3", b="Car color")).value
        view, rows = table.session_state["view"], _rows(shown)
        assert set(rows) >= set(view.a.nearest(3, 24).rows.tolist()) | set(view.b.nearest(3, 24).rows.tolist())
        for place, space in enumerate((view.a, view.b)):
            np.testing.assert_allclose(shown[f"similarity:{place}"], space.vectors[rows] @ space.vectors[3], atol=1e-5)
        assert _titles(table)["similarity:1"] == "Similarity in Car color"
        table.set("table_sort", "similarity:1")
        found = _grid(table).value["similarity:1"].to_numpy()
        assert (np.diff(found) <= 0).all()
        assert len(found) > 24


class TestSorting:
    def test_it_is_sorted_among_all_images_also_by_the_head_of_a_column(self, table: Page) -> None:
        table.run().set("table_sort", "attribute:yaw")
        np.testing.assert_allclose(_grid(table).value["attribute:yaw"], np.sort(table.session_state["view"].frame["yaw"])[: attribute_table.PAGE])
        table.click("table_turn")
        np.testing.assert_allclose(
            _grid(table).value["attribute:yaw"], np.sort(table.session_state["view"].frame["yaw"])[::-1][: attribute_table.PAGE]
        )
        _tick(table, [], ["attribute:body_type"])
        assert set(_grid(table).value["attribute:body_type"]) == {"convertible"}
        assert _titles(table)["attribute:body_type"] == "Body type ↑"
        _tick(table, [], ["attribute:body_type"])
        assert set(_grid(table).value["attribute:body_type"]) == {"van"}

    def test_missing_values_come_last_either_way(self) -> None:
        frame = pd.DataFrame({"path": list("abcd"), "n": [2.0, np.nan, 1.0, 3.0], "t": ["b", None, "B", "a"]})
        view: Any = type("V", (), {"frame": frame})()
        rows = np.arange(4)
        assert table_columns.in_order(view, [], "attribute:n", rows, False).tolist() == [2, 0, 3, 1]
        assert table_columns.in_order(view, [], "attribute:n", rows, True).tolist() == [3, 0, 2, 1]
        assert table_columns.in_order(view, [], "attribute:t", rows, False).tolist() == [3, 0, 2, 1]
        assert table_columns.in_order(view, [], "attribute:t", rows, True).tolist() == [0, 2, 3, 1]


class TestSelecting:
    def test_ticked_rows_are_selected_on_the_map_and_the_table_stays(self, table: Page) -> None:
        table.run().set("table_sort", "attribute:yaw")
        rows = _rows(_grid(table).value)
        _tick(table, [0, 2])
        assert table.session_state["rows"].tolist() == sorted([rows[0], rows[2]])
        assert table.session_state["table_scope"] == attribute_table.ALL
        assert _rows(_grid(table).value) == rows

    def test_what_is_selected_on_another_page_stays(self, table: Page) -> None:
        table.run()
        table.session_state["rows"] = np.array([1500])
        table.session_state["table_scope"] = attribute_table.ALL
        table.session_state["table_seen"] = (Query(), np.array([1500]).tobytes())
        table.run()
        _tick(table, [4])
        assert table.session_state["rows"].tolist() == [4, 1500]
        _tick(table, [])
        assert table.session_state["rows"].tolist() == [1500]

    def test_a_selection_on_the_map_is_ticked(self, table: Page) -> None:
        table.run()
        table.session_state["rows"] = np.array([7, 9])
        table.run()
        assert table.session_state["table_scope"] == attribute_table.SELECTED
        assert table.session_state["attribute_table_0"]["selection"]["rows"] == [0, 1]
        table.session_state["table_scope"] = attribute_table.ALL
        table.run()
        assert table.session_state["attribute_table_0"]["selection"]["rows"] == [7, 9]

    def test_places_that_are_none_select_nothing(self, table: Page) -> None:
        table.run()
        places: list[Any] = [["x"], [-1], [10**9], [1.5], [True], [None], "all", None, {"0": 1}]
        for each in places:
            assert _tick(table, each).session_state["rows"].tolist() == []


class TestColumns:
    def test_a_hidden_one_is_neither_shown_nor_sent_and_the_download_has_all_rows(self, table: Page) -> None:
        table.run().set("table_column:attribute:yaw", False)
        assert "attribute:yaw" not in _grid(table).value
        assert "attribute:body_type" in _grid(table).value
        view = table.session_state["view"]
        rows = table_columns.in_order(view, [], "attribute:yaw", np.arange(2000), True)
        content = table_columns.csv(view, [], {"file": "File", "attribute:yaw": "Yaw"}, rows)
        read = pd.read_csv(io.BytesIO(content))
        assert list(read) == ["row", "path", "yaw"]
        assert read["row"].tolist() == rows.tolist()
        np.testing.assert_allclose(read["yaw"], view.frame["yaw"].iloc[rows])

    def test_long_texts_are_cut(self) -> None:
        frame = pd.DataFrame({"path": ["a/b.jpg"], "caption": ["word " * 100]})
        view: Any = type("V", (), {"frame": frame, "thumbnails": "/t/{row}"})()
        shown = table_columns.page(view, [], ["file", "attribute:caption"], np.array([0]))
        assert shown["file"][0] == "b.jpg"
        assert len(shown["attribute:caption"][0]) == 161
