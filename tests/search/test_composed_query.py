from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import likeness as lk
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.search import Query, parse_query


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('row:3 + "red" - 0.5 "at night"', [(1, 3), (1, "red"), (-0.5, "at night")]),
        ("'a \"quoted\" word'", [(1, 'a "quoted" word')]),
        ("-row:12+.5*'x'", [(-1, 12), (0.5, "x")]),
        ('+ 2 image:photo.jpg - image:"my photo.png"', [(2, Path("photo.jpg")), (-1, Path("my photo.png"))]),
        ('"two + words - and more"', [(1, "two + words - and more")]),
    ],
)
def test_a_text_names_terms_with_signs_and_weights(text: str, terms: list[tuple[float, object]]) -> None:
    assert list(parse_query(text).terms) == terms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The query is empty; write it as in"),
        ("red", "can't be read from 'red' on"),
        ("row:3 'x'", "can't be read from \"'x'\" on"),
        ("row:3 +", r"can't be read from '\+' on"),
        ("row:3x", "can't be read"),
        ("row:3 - - 'x'", "can't be read"),
        ("0 row:3", "The weight of row:3 is 0.0"),
        ("'unclosed", "can't be read"),
    ],
)
def test_what_is_no_query_is_answered_by_its_form(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_query(text)


_WHAT = st.integers(0, 10**9) | st.text(st.characters(exclude_characters="\"'"), min_size=1) | st.just(Path("a b.jpg"))
_WEIGHT = st.sampled_from([-2.0, -1.0, -0.5, -0.25, 0.5, 1.0, 3.5])


@given(st.lists(st.tuples(_WEIGHT, _WHAT), min_size=1, max_size=5))
def test_the_name_of_a_query_is_read_as_that_query(terms: list[tuple[float, object]]) -> None:
    assert parse_query(Query(terms).name) == Query(terms)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        *[([(weight, "red")], 'The weight of "red" is') for weight in (0, np.nan, np.inf, True, "1", None)],
        ([], "has no term"),
        (["red"], "no term of a query"),
        ([(1, Query([(1, "a")]))], "within a query"),
    ],
)
def test_terms_are_pairs_of_weight_and_what(terms: list[object], message: str) -> None:
    assert Query([(1, np.int64(4)), (-1, 7), (1, "7")]).rows == (4, 7)
    with pytest.raises(InputError, match=message):
        Query(terms)  # type: ignore[arg-type]


def test_this_one_but_red_finds_red_ones_of_its_kind() -> None:
    cars = lk.embed("cars", "cars")
    space = cars.refit(get_notion("car color") + get_notion("car model"))
    frame = cars.table.frame
    row = int(np.flatnonzero((frame["car_color"] == "green") & (frame["body_type"] == "van"))[0])
    found = frame.iloc[space.nearest(lk.Query([(1, row), (1, "a red car"), (-0.5, "a green car")]), k=3).rows]
    assert found["car_color"].tolist() == ["red"] * 3
    assert found["body_type"].tolist() == ["van"] * 3
