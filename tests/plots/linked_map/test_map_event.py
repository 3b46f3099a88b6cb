"""Rows and messages as they travel between Python and the browser."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from likeness.errors import InputError
from likeness.plots.linked_map.map_event import MapEvent, decode_event
from likeness.plots.linked_map.parts import decode_rows, encode_mask, encode_rows


@given(st.sets(st.integers(0, 40)), st.integers(41, 60))
def test_rows_survive_the_way_there_and_back_as_their_mask_does(rows: set[int], n: int) -> None:
    text = encode_rows(np.array(sorted(rows), dtype=int), n)
    assert decode_rows(text, n).tolist() == sorted(rows)
    assert encode_mask(np.isin(np.arange(n), list(rows))) == text


def test_rows_are_little_endian_bits_and_others_are_refused() -> None:
    assert encode_rows(np.array([0, 9]), 10) == "AQI="  # bytes 0x01, 0x02
    assert decode_rows("/w==", 3).tolist() == [0, 1, 2]
    for rows, named in (([5], "5"), ([-1, 2], "-1")):
        with pytest.raises(InputError, match=f"Row {named} is outside the 5 rows"):
            encode_rows(np.array(rows), 5)
    with pytest.raises(InputError, match="2 bytes does not fit 20 rows, which need 3"):
        decode_rows(encode_rows(np.array([1]), 16), 20)
    with pytest.raises(InputError, match="not base64"):
        decode_rows("a!b", 8)


def test_a_message_becomes_an_event_and_cleared_is_changed_to_none() -> None:
    event = decode_event({"id": "1", "changed": ["selection"], "n": 9, "selected": encode_rows(np.array([2, 8]), 9), "query": 4}, 9)
    assert (bool(event), event.selection_changed, event.query_changed, event.query) == (True, True, False, 4)
    assert event.selected is not None
    assert event.selected.tolist() == [2, 8]
    event = decode_event({"changed": ["selection", "query"], "n": 9, "selected": None, "query": None}, 9)
    assert (event.selection_changed, event.query_changed, event.selected, event.query) == (True, True, None, None)
    assert decode_event({"id": "a", "n": 8}, 9).id == "a"
    assert decode_event({"id": ["a"], "n": 9}, 9).id == decode_event({"id": "a" * 1000, "n": 9}, 9).id == ""
    # one for another map is nothing
    assert not MapEvent()
    assert not decode_event({"changed": ["query"], "n": 8, "query": 1}, 9)
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
