import numpy as np
import pytest

from likeness.plots.linked_map.bitset import encode_rows
from likeness.plots.linked_map.map_event import MapEvent, decode_event


def test_a_message_becomes_an_event_and_cleared_is_changed_to_none() -> None:
    event = decode_event({"id": "1", "changed": ["selection"], "n": 9, "selected": encode_rows(np.array([2, 8]), 9), "query": 4}, 9)
    assert (event.selection_changed, event.query_changed, event.query) == (True, False, 4)
    assert event.selected is not None
    assert event.selected.tolist() == [2, 8]
    assert event
    event = decode_event({"changed": ["selection", "query"], "n": 9, "selected": None, "query": None}, 9)
    assert event.selection_changed
    assert event.query_changed
    assert event.selected is None
    assert event.query is None
    assert decode_event({"id": "a", "n": 8}, 9).id == "a"
    assert decode_event({"id": ["a"], "n": 9}, 9).id == decode_event({"id": "a" * 1000, "n": 9}, 9).id == ""


def test_a_message_for_another_map_is_nothing() -> None:
    assert not decode_event({"changed": ["query"], "n": 8, "query": 1}, 9)
    assert not MapEvent()
    assert not decode_event({"changed": ["query"], "n": True, "query": 0}, 1)


@pytest.mark.parametrize(
    "message",
    [
        *(None, 3, "edit", [], [1], {}, {"n": 9}, {"n": "9"}, {"n": True}, {"n": 9.5}, {"n": [9]}, {"n": None}, {"n": 9, "changed": 3}),
        *({"n": 9, "changed": {"selection": 1}}, {"n": 9, "changed": ["selection"], "selected": "no base64"}, {"n": 9, "changed": [[], {}, None]}),
        *({"n": 9, "changed": ["selection"], "selected": "AAAAAAAA"}, {"n": 9, "changed": ["selection"], "selected": "²"}),
    ],
    ids=repr,
)
def test_a_message_of_another_form_is_nothing(message: object) -> None:
    assert not decode_event(message, 9)


@pytest.mark.parametrize("query", [True, -1, 9, 10**30, 1.0, "1", [1], {}, float("nan")], ids=repr)
def test_what_is_no_row_is_no_query(query: object) -> None:
    assert decode_event({"changed": ["query"], "n": 9, "query": query}, 9).query is None
