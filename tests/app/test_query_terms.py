"""Queries of several pictures and words in Explore, without a browser."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from app_page import Page
from shared import neighbors, query_chips, query_terms, selection
from shared.query_terms import Term


def test_a_link_finds_what_python_finds_and_what_it_has_wrong_is_named(app: Page) -> None:
    app.visit(term=["1 row:5", "2 text:a red car", "-0.5 text:a car seen from behind"])
    chips = app.sent("query_bar")["chips"]
    assert [chip["weight"] for chip in chips] == [1, 2, -0.5]
    assert chips[0]["picture"].endswith("/5")
    assert [chip["label"] for chip in chips[1:]] == ["a red car", "a car seen from behind"]
    space = lk.embed("cars", app.session_state["view"].base.encoder_name)
    wanted = space.nearest(lk.Query([(1, 5), (2, "a red car"), (-0.5, "a car seen from behind")]), neighbors.COUNT)
    assert app.sent("nearest")["sections"][0]["rows"] == wanted.rows.tolist()
    assert app.subheader[0].value == "Images for the whole query"
    odd = app.fresh("layout").visit(term=["1 row:5", "7 text:red", "1 row:999999"])
    assert odd.session_state["terms"] == (Term("row", 5),)
    assert "“7 text:red”" in odd.alerts
    assert "images that are not among these 2,000" in odd.alerts
    unknown = app.fresh("layout").visit(term=["1 row:5", "1 text:qwxz frobnicate"])
    assert "The encoder knows no word of “qwxz frobnicate”" in unknown.alerts
    assert len(app.fresh("layout").visit(b="Car color", term=["1 row:5", "1 text:a red car"]).sent("nearest")["sections"]) == 2


def test_words_are_added_to_an_image_and_the_field_is_free_again(app: Page) -> None:
    app.visit(query="5").set("text", "red")
    assert app.at("text").value == ""
    assert app.session_state["terms"] == (Term("row", 5), Term("text", "red"))
    assert app.query_params["term"] == ["1 row:5", "1 text:red"]
    assert not {"text", "query"} & set(app.query_params)


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    state: dict[str, Any] = {"text": "", "query": 5, "picture": "", "terms": ()}
    monkeypatch.setattr("streamlit.session_state", state)
    monkeypatch.setattr(query_terms.link, "write", lambda wanted: None)
    monkeypatch.setattr(selection, "_write_query", lambda: None)
    return state


def _do(state: dict[str, Any], **event: object) -> tuple[Any, Any]:
    view: Any = SimpleNamespace(frame=pd.DataFrame({"path": [f"{row}.png" for row in range(20)]}))
    single = neighbors.Query(row=state["query"], text=state["text"])
    query_chips.take_in(view, neighbors.Query(terms=state["terms"]) if state["terms"] else single, event)
    return state["terms"], state["query"]


def test_a_picture_is_added_once_turned_weighed_and_removed_and_a_single_one_turned(state: dict[str, Any]) -> None:
    for _ in range(2):
        assert _do(state, action="add", row=7) == ((Term("row", 5), Term("row", 7)), None)
    _do(state, action="turn", index=1)
    assert _do(state, action="weigh", index=1) == ((Term("row", 5), Term("row", 7, -2.0)), None)
    assert _do(state, action="remove", index=1) == ((), 5)  # a single one is the query as ever
    assert _do(state, action="turn", index=0) == ((Term("row", 5, -1.0),), None)


def test_words_of_the_field_become_a_chip_and_rows_follow_their_images(state: dict[str, Any]) -> None:
    state.update(query=None, text="red")
    assert _do(state, action="keep") == ((Term("text", "red"),), None)
    assert state["text"] == ""
    state["terms"] = (Term("row", 1), Term("text", "red"), Term("row", 2, -0.5))
    query_terms.move(np.array([0, 4, -1]))
    assert state["terms"] == (Term("row", 4), Term("text", "red"))


def test_what_the_bar_can_not_have_sent_changes_nothing(state: dict[str, Any]) -> None:
    before = dict(state)
    for event in (
        *({}, {"action": "add", "row": 20}, {"action": "add", "row": True}, {"action": "turn", "index": 1}, {"action": "remove", "index": -1}),
        *({"action": "keep"}, {"action": [], "index": "0"}, {"action": "weigh", "index": 0}, {"action": "add", "row": 1e9}),
    ):
        _do(state, **event)
        assert state == before
