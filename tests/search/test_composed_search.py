from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import likeness as lk
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.search import Query, all_hold, build_index, composed_search, parse_query, search_plan, term_fusion, term_statistics
from likeness.space import Space
from made_rows import clusters, unit


def _unit(n: int, d: int, seed: int) -> Any:
    return unit(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


def _clusters(n: int) -> Any:
    return unit(clusters(n, 16, 30, noise=1.0)[0])


def _scores(similarities: Any, every: Any, weights: list[float], best: Any) -> Any:
    """How well all terms hold, in plain loops over them and double precision."""
    logs = np.zeros(similarities.shape[1])
    for found, of_all, high, weight in zip(similarities, every, best, weights, strict=True):
        shares = (found - of_all.min()) / (high - of_all.min())
        holds = np.maximum(shares, 1e-3) if weight > 0 else 1 / (1 + np.exp((found - of_all.mean()) / of_all.std() - 2))
        logs += abs(weight) * np.log(holds)
    return np.exp(logs / np.abs(weights).sum())


def test_all_images_are_ranked_by_how_well_all_terms_hold() -> None:
    vectors, texts = _clusters(300), _unit(2, 16, 5)
    space = Space(vectors, embed_texts=lambda asked: np.concatenate([texts[["red", "night"].index(text)][None] for text in asked]))
    hits = space.nearest(Query([(1, 7), (2, "red"), (-0.5, "night")]), k=299)
    similarities = np.stack([vectors[7], *texts]).astype(float) @ vectors.T.astype(float)
    scores = _scores(similarities, similarities, [1, 2, -0.5], np.delete(similarities, 7, axis=1).max(axis=1))
    scores[7] = -1
    assert 7 not in hits.rows
    np.testing.assert_allclose(hits.similarities, scores[hits.rows], rtol=1e-3)
    assert (np.diff(hits.similarities) <= 0).all()
    assert set(hits.rows[:20]) == set(np.argsort(-scores)[:20])


def test_rows_filters_and_what_is_left_out_are_not_found_and_one_term_finds_what_it_finds_alone() -> None:
    space = Space(_clusters(50))
    allowed = np.arange(50) < 6
    assert set(space.nearest(Query([(1, 0), (-1, 3)]), 10, allowed=allowed, exclude=[5]).rows) == {1, 2, 4}
    assert (space.nearest(Query([(1, 3)]), 20).rows == space.nearest(3, 20).rows).all()


@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 1, -1), (2, 0.5, -0.25), (1, -1, -1), (-1, -1, -1)])
@pytest.mark.parametrize("filtered", [False, True])
def test_of_many_images_those_that_cannot_be_best_are_dropped_and_nothing_changes(
    weights: tuple[float, ...], filtered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, allowed = _clusters(5000), (np.arange(5000) % 3 == 0) if filtered else None
    queries = [Query(list(zip(weights, (row, row + 40, row + 900), strict=True))) for row in range(0, 300, 30)]
    every = [Space(vectors).nearest(query, 20, allowed=allowed, exclude=[1]) for query in queries]
    monkeypatch.setattr(composed_search, "ALL_RANKED", 0)
    monkeypatch.setattr(term_fusion, "_BLOCK", 512)
    monkeypatch.setattr(term_fusion, "_SOME", 300)
    for query, expected in zip(queries, every, strict=True):
        found = Space(vectors).nearest(query, 20, allowed=allowed, exclude=[1])
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_allclose(found.similarities, expected.similarities, rtol=1e-5)


def test_the_cells_of_an_index_give_what_comparing_all_images_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many cells as are looked through anyway, nothing is missed."""
    vectors = _clusters(600)
    every, allowed = Space(vectors), np.arange(600) % 2 == 0
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    indexed = every.replace(index=build_index(vectors, tmp_path / "index", cells=30))
    assert indexed.search is not None
    assert not indexed.search.wait().exact
    for query in (Query([(1, 3), (1, 80)]), Query([(1, 3), (2, 80), (-0.5, 200)])):
        for options in ({}, {"allowed": allowed}, {"exclude": [9]}):
            found, expected = indexed.nearest(query, 25, **options), every.nearest(query, 25, **options)
            np.testing.assert_array_equal(found.rows, expected.rows)
            np.testing.assert_allclose(found.similarities, expected.similarities, rtol=1e-4)
    with pytest.raises(InputError, match="No image is left"):
        indexed.nearest(Query([(1, 0)]), allowed=np.arange(600) == 0)


def test_terms_that_cancel_each_other_out_have_no_candidates(tmp_path: Path) -> None:
    space = Space(_clusters(50))
    one, search = space.vectors[3], build_index(space.vectors, tmp_path / "index", cells=4).search(space.vectors)
    assert len(space.nearest(Query([(1, one), (1, -one)]))) == 10
    with pytest.raises(InputError, match="cancel each other out"):
        composed_search.search_composed(space.vectors, np.stack([one, -one]), (1, 1), 10, around=search.around)
    assert composed_search.search_composed(space.vectors, np.stack([one, one]), (1, -1), 10, around=search.around).rows.shape == (1, 10)


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


_WHAT = st.integers(0, 10**9) | st.text(st.characters(exclude_characters="\"'"), min_size=1) | st.just(Path("a b.jpg"))
_WEIGHT = st.sampled_from([-2.0, -1.0, -0.5, -0.25, 0.5, 1.0, 3.5])


@given(st.lists(st.tuples(_WEIGHT, _WHAT), min_size=1, max_size=5))
def test_the_name_of_a_query_is_read_as_that_query(terms: list[tuple[float, object]]) -> None:
    assert parse_query(Query(terms).name) == Query(terms)


def _near(what: Any, **options: Any) -> Any:
    return Space(_clusters(50)).nearest(Query([(1, what)]), **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _near(0, allowed=np.arange(50) == 0), "No image is left"),
        (lambda: _near(50), "There is no image 50"),
        (lambda: _near(5, k=0), "k is 0"),
        (lambda: _near(np.ones((2, 16))), "2 vectors were given instead of one"),
        (lambda: _near("red"), "has no text side"),
        *[(lambda weight=weight: Query([(weight, "red")]), 'The weight of "red" is') for weight in (0, np.nan, np.inf, True, "1", None)],
        (lambda: Query([]), "has no term"),
        (lambda: Query(["red"]), "not a query term"),  # type: ignore[list-item]
        (lambda: Query([(1, Query([(1, "a")]))]), "cannot be nested"),
        (lambda: parse_query(""), "The query is empty; write it as in"),
        (lambda: parse_query("red"), "cannot be parsed from 'red' on"),
        (lambda: parse_query("row:3 'x'"), "cannot be parsed from \"'x'\" on"),
        (lambda: parse_query("row:3 +"), r"cannot be parsed from '\+' on"),
        *[(lambda text=text: parse_query(text), "cannot be parsed") for text in ("row:3x", "row:3 - - 'x'", "'unclosed")],
        (lambda: parse_query("0 row:3"), "The weight of row:3 is 0.0"),
    ],
)
def test_what_is_no_query_or_finds_nothing_is_refused(call: Callable[[], object], message: str) -> None:
    assert Query([(1, np.int64(4)), (-1, 7), (1, "7")]).rows == (4, 7)
    with pytest.raises(InputError, match=message):
        call()


def test_this_one_but_red_finds_red_ones_of_its_kind() -> None:
    cars = lk.embed("cars", "cars")
    space = cars.refit(get_notion("car color") + get_notion("car model"))
    frame = cars.table.frame
    row = int(np.flatnonzero((frame["car_color"] == "green") & (frame["body_type"] == "van"))[0])
    found = frame.iloc[space.nearest(lk.Query([(1, row), (1, "a red car"), (-0.5, "a green car")]), k=3).rows]
    assert found["car_color"].tolist() == ["red"] * 3
    assert found["body_type"].tolist() == ["van"] * 3


def test_the_score_is_the_weighted_geometric_mean_of_how_well_terms_hold() -> None:
    every = np.random.default_rng(0).normal(0.3, 0.1, (4, 200)).astype(np.float32)
    weights = [1.0, 0.5, -2.0, -0.25]
    found = all_hold(every[:, :50], term_statistics(every), weights)
    asked = every[:, :50].astype(float)
    np.testing.assert_allclose(found, _scores(asked, every.astype(float), weights, asked.max(axis=1)), rtol=1e-4)
    assert 0 < found.min() < found.max() <= 1


def test_only_the_proportion_of_weights_counts_and_no_shift_or_scale_of_one_terms_similarities() -> None:
    every = np.random.default_rng(2).normal(0, 1, (3, 50)).astype(np.float32)
    found = all_hold(every, term_statistics(every), [1, 0.5, -1])
    np.testing.assert_allclose(all_hold(every, term_statistics(every), [2, 1, -2]), found, rtol=1e-5)
    moved = every * np.float32([[0.1], [3], [0.5]]) + np.float32([[0.7], [-1], [0.2]])
    np.testing.assert_allclose(all_hold(moved, term_statistics(moved), [1, 0.5, -1]), found, rtol=1e-3, atol=1e-5)


def test_what_is_taken_away_lowers_the_score_where_it_is_there_and_hardly_raises_it_elsewhere() -> None:
    every = np.random.default_rng(3).normal(0, 1, (2, 1000)).astype(np.float32)
    asked = np.array([[1, 1, 1], [0, -4, 4]], np.float32)
    plain, unlike, like = all_hold(asked, term_statistics(every), [1, -1])
    assert like < plain < unlike
    assert unlike - plain < (plain - like) / 4


def test_a_term_that_all_images_are_equally_like_says_nothing() -> None:
    every = np.array([[0.1, 0.3, 0.5], [0.2, 0.2, 0.2], [0.2, 0.2, 0.2]], np.float32)
    statistics = term_statistics(every)
    np.testing.assert_allclose(statistics.mean[:, 0], [0.3, 0.2, 0.2], atol=1e-6)
    assert statistics.deviation[0, 0] == pytest.approx(np.std([0.1, 0.3, 0.5]))
    assert np.isinf(statistics.deviation[1:]).all()
    assert np.argsort(-all_hold(every, statistics, [1, 1, -1])).tolist() == [2, 1, 0]
