"""Queries of several parts, against a search that compares all by hand."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.search import parse_query


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return lk.embed(lk.read("cars"), "cars")


@pytest.mark.parametrize("joined", [False, True])
def test_it_ranks_by_the_weighted_sum_of_similarities(cars: lk.Space, joined: bool) -> None:
    space = cars.refit(get_notion("car color") + get_notion("car model")) if joined else cars
    query = lk.Query([(1, 3), (0.5, "a red car"), (2, space.table.paths()[7]), (-0.25, "a green car")])
    found = space.nearest(query, k=20)
    places = [space.vectors[3], space.text_query("a red car")[0], space.image_query(space.table.paths()[7])[0], space.text_query("a green car")[0]]
    scores = sum(weight * space.vectors.astype(float) @ place for weight, place in zip((1, 0.5, 2, -0.25), places, strict=True))
    scores[3] = -np.inf  # the query's own image
    assert found.rows.tolist() == np.argsort(-scores, kind="stable")[:20].tolist()
    allowed = np.arange(len(space)) % 2 == 0
    scores[~allowed] = -np.inf
    assert space.nearest(query, k=20, allowed=allowed).rows.tolist() == np.argsort(-scores, kind="stable")[:20].tolist()
    assert not allowed[3]
    assert allowed[4]  # the mask is the caller's


def test_one_part_is_the_plain_search(cars: lk.Space) -> None:
    for part in (5, "a red car"):
        plain, composed = cars.nearest(part, k=7), cars.nearest(lk.Query([(0.3, part)]), k=7)
        assert composed.rows.tolist() == plain.rows.tolist()
        np.testing.assert_allclose(composed.similarities, plain.similarities, atol=1e-6)


def test_this_one_but_red_finds_red_ones_of_its_kind(cars: lk.Space) -> None:
    space = cars.refit(get_notion("car color") + get_notion("car model"))
    frame = cars.table.frame
    row = int(np.flatnonzero((frame["car_color"] == "green") & (frame["body_type"] == "van"))[0])
    found = frame.iloc[space.nearest(lk.Query([(1, row), (1, "a red car"), (-0.5, "a green car")]), k=3).rows]
    assert found["car_color"].tolist() == ["red"] * 3
    assert found["body_type"].tolist() == ["van"] * 3


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("row:3", [(1, 3)]),
        ('row:3 + "red" - 0.5 "at night"', [(1, 3), (1, "red"), (-0.5, "at night")]),
        ('"a + b" -2*row:4', [(1, "a + b"), (-2, 4)]),
        ('image:photos/a.jpg "x"', [(1, Path("photos/a.jpg")), (1, "x")]),
        ('.5 image:"my photo.jpg" + 3 "x" ', [(0.5, Path("my photo.jpg")), (3, "x")]),
    ],
)
def test_what_is_typed_is_read(text: str, terms: list[tuple[float, Any]]) -> None:
    assert list(parse_query(text).terms) == terms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no query"),
        ("red", "is no query from 'red' on"),
        ('row:3 + "red', "is no query"),
        ("row:3 + ", "is no query"),
        ('- "red"', "looks for nothing"),
        ('0 "red"', "is 0"),
        ("row:x", "is no query"),
    ],
)
def test_what_is_wrong_is_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_query(text)


def test_what_a_space_cannot_place_is_told(cars: lk.Space) -> None:
    with pytest.raises(InputError, match="There is no image 5000"):
        cars.nearest(lk.Query([(1, 5000)]))
    with pytest.raises(InputError, match="cancel each other out"):
        cars.nearest(lk.Query([(1, 5), (-1, 5)]))
    with pytest.raises(InputError, match="reads no text"):
        lk.Space(np.eye(3)).nearest(lk.Query([(1, "red")]))
    with pytest.raises(InputError, match="is inf"):
        lk.Query([(float("inf"), 1)])


def test_the_command_searches_with_several_parts() -> None:
    call = [sys.executable, "-m", "likeness", "search", "cars", "-k", "3", "--csv", "--query"]
    printed = subprocess.run([*call, 'row:3 + "a red car"'], capture_output=True, text=True, check=True).stdout
    expected = lk.embed(lk.read("cars"), "cars").nearest(lk.Query([(1, 3), (1, "a red car")]), k=3)
    assert [int(line.split(",")[0]) for line in printed.splitlines()[1:]] == expected.rows.tolist()
    wrong = subprocess.run([*call, "red"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr.count("Error: ")) == (2, 1)
