import numpy as np

from likeness.plots.linked_map.bitset import encode_rows
from likeness.plots.linked_map.map_event import MapEvent, decode_event


def test_a_message_becomes_an_event() -> None:
    event = decode_event({"id": "1", "changed": ["selection"], "n": 9, "selected": encode_rows(np.array([2, 8]), 9), "query": 4}, 9)
    assert (event.selection_changed, event.query_changed, event.query) == (True, False, 4)
    assert event.selected is not None
    assert event.selected.tolist() == [2, 8]
    assert event


def test_cleared_is_changed_to_none() -> None:
    event = decode_event({"changed": ["selection", "query"], "n": 9, "selected": None, "query": None}, 9)
    assert event.selection_changed
    assert event.query_changed
    assert event.selected is None
    assert event.query is None


def test_a_message_for_another_map_is_nothing() -> None:
    assert not decode_event({"changed": ["query"], "n": 8, "query": 1}, 9)
    assert not MapEvent()


def test_a_row_outside_is_no_query() -> None:
    assert decode_event({"changed": ["query"], "n": 9, "query": 9}, 9).query is None
