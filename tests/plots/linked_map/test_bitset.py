import numpy as np
import pytest
from hypothesis import given, strategies as st

from likeness.errors import InputError
from likeness.plots.linked_map.bitset import decode_rows, encode_mask, encode_rows


def test_bits_are_little_endian_within_a_byte() -> None:
    assert encode_rows(np.array([0, 9]), 10) == "AQI="  # bytes 0x01, 0x02


@given(st.sets(st.integers(0, 40)), st.integers(41, 60))
def test_rows_survive_the_way_there_and_back(rows: set[int], n: int) -> None:
    assert decode_rows(encode_rows(np.array(sorted(rows), dtype=int), n), n).tolist() == sorted(rows)


def test_a_mask_and_its_rows_are_the_same_text() -> None:
    mask = np.random.default_rng(0).random(1001) < 0.3
    assert encode_mask(mask) == encode_rows(np.flatnonzero(mask), 1001)


def test_bits_past_the_last_row_are_ignored() -> None:
    assert decode_rows("/w==", 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("rows", "named"), [([5], "5"), ([-1, 2], "-1")])
def test_rows_outside_are_named(rows: list[int], named: str) -> None:
    with pytest.raises(InputError, match=f"Row {named} is outside the 5 rows"):
        encode_rows(np.array(rows), 5)


def test_a_set_of_another_size_is_refused() -> None:
    with pytest.raises(InputError, match="2 bytes does not fit 20 rows, which need 3"):
        decode_rows(encode_rows(np.array([1]), 16), 20)


def test_text_that_is_no_base64_is_refused() -> None:
    with pytest.raises(InputError, match="not base64"):
        decode_rows("a!b", 8)
