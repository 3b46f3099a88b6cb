import numpy as np
import pytest
from hypothesis import given, strategies as st

from shared import selection
from shared.selection import _ROWS_LIMIT, decode, encode


@given(st.sets(st.integers(0, 2_000_000), max_size=200))
def test_a_selection_survives_the_way_through_a_link(rows: set[int]) -> None:
    chosen = np.array(sorted(rows), dtype=np.int64)
    np.testing.assert_array_equal(decode(encode(chosen)), chosen)


@given(st.text(max_size=40))
def test_a_damaged_link_is_an_empty_selection_or_some_rows(text: str) -> None:
    assert decode(text).dtype == np.int64


def test_a_thousand_neighboring_rows_make_a_short_link() -> None:
    assert len(encode(np.arange(500, 1500))) < 60


def test_a_link_that_swells_is_an_empty_selection() -> None:
    assert len(decode(encode(np.arange(_ROWS_LIMIT, dtype=np.int64)))) == _ROWS_LIMIT
    assert len(decode(encode(np.arange(50_000_000, dtype=np.int64)))) == 0


def test_rows_and_a_query_beyond_the_last_image_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(selection.st, "session_state", {"rows": np.array([3, 12]), "query": 12})
    monkeypatch.setattr(selection.link, "report", said.append)
    monkeypatch.setattr(selection.link, "write", lambda values: None)
    for name in ("fit", "set_terms"):
        monkeypatch.setattr(selection.query_terms, name, lambda given: None)
    selection.fit(12)
    assert (selection.rows().tolist(), selection.query(), len(said)) == ([3], None, 2)
