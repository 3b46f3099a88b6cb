import numpy as np
import pytest
from hypothesis import given, strategies as st

from likeness.errors import InputError
from likeness.plots.linked_map.bitset import decode_rows, encode_mask, encode_rows


def test_a_mask_and_its_rows_are_the_same_text_of_little_endian_bits() -> None:
    assert encode_rows(np.array([0, 9]), 10) == "AQI="  # bytes 0x01, 0x02
    mask = np.random.default_rng(0).random(1001) < 0.3
    assert encode_mask(mask) == encode_rows(np.flatnonzero(mask), 1001)
    assert decode_rows("/w==", 3).tolist() == [0, 1, 2]


@given(st.sets(st.integers(0, 40)), st.integers(41, 60))
def test_rows_survive_the_way_there_and_back(rows: set[int], n: int) -> None:
    assert decode_rows(encode_rows(np.array(sorted(rows), dtype=int), n), n).tolist() == sorted(rows)


@pytest.mark.parametrize(("rows", "named"), [([5], "5"), ([-1, 2], "-1")])
def test_rows_outside_are_named(rows: list[int], named: str) -> None:
    with pytest.raises(InputError, match=f"Row {named} is outside the 5 rows"):
        encode_rows(np.array(rows), 5)


def test_what_is_no_set_of_these_rows_is_refused() -> None:
    with pytest.raises(InputError, match="2 bytes does not fit 20 rows, which need 3"):
        decode_rows(encode_rows(np.array([1]), 16), 20)
    with pytest.raises(InputError, match="not base64"):
        decode_rows("a!b", 8)
