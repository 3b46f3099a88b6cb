from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.search import LocalSearch, Query, build_index, composed_search, scan, search_plan, term_fusion
from likeness.space import Space


def _unit(n: int, d: int, seed: int) -> Any:
    rows = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _clusters(n: int, d: int = 16) -> Any:
    rng = np.random.default_rng(0)
    rows = _unit(30, d, 1)[rng.integers(0, 30, n)] + 0.25 * rng.normal(size=(n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _oracle(vectors: np.ndarray, places: np.ndarray, weights: list[float], row: int) -> Any:
    """The score of every image, in plain loops over terms and double precision."""
    logs = np.zeros(len(vectors))
    for place, weight in zip(places.astype(float), weights, strict=True):
        similarity = vectors.astype(float) @ place
        z = (similarity - similarity.mean()) / similarity.std()
        shares = (similarity - similarity.min()) / (np.delete(similarity, row).max() - similarity.min())
        holds = np.maximum(shares, 1e-3) if weight > 0 else 1 / (1 + np.exp(z - 2))
        logs += abs(weight) * np.log(holds)
    return np.exp(logs / np.abs(weights).sum())


def test_all_images_are_ranked_by_how_well_all_terms_hold() -> None:
    vectors, texts = _clusters(300), _unit(2, 16, 5)
    space = Space(vectors, embed_texts=lambda asked: np.concatenate([texts[["red", "night"].index(text)][None] for text in asked]))
    hits = space.nearest(Query([(1, 7), (2, "red"), (-0.5, "night")]), k=299)
    scores = _oracle(vectors, np.stack([vectors[7], *texts]), [1, 2, -0.5], 7)
    scores[7] = -1
    assert 7 not in hits.rows
    np.testing.assert_allclose(hits.similarities, scores[hits.rows], rtol=1e-3)
    assert (np.diff(hits.similarities) <= 0).all()
    assert set(hits.rows[:20]) == set(np.argsort(-scores)[:20])


def test_rows_filters_and_what_is_left_out_are_not_found() -> None:
    space = Space(_clusters(50))
    allowed = np.arange(50) < 6
    assert set(space.nearest(Query([(1, 0), (-1, 3)]), 10, allowed=allowed, exclude=[5]).rows) == {1, 2, 4}
    with pytest.raises(InputError, match="No image is left"):
        space.nearest(Query([(1, 0)]), allowed=np.arange(50) == 0)
    with pytest.raises(InputError, match="There is no image 50"):
        space.nearest(Query([(1, 50)]))
    with pytest.raises(InputError, match="k is 0"):
        space.nearest(Query([(1, 5)]), 0)
    with pytest.raises(InputError, match="2 vectors stand where one is meant"):
        space.nearest(Query([(1, np.ones((2, 16)))]))
    with pytest.raises(InputError, match="reads no text"):
        space.nearest(Query([(1, "red")]))


def test_one_term_finds_what_it_finds_alone() -> None:
    space = Space(_clusters(400))
    assert (space.nearest(Query([(1, 3)]), 20).rows == space.nearest(3, 20).rows).all()


@pytest.mark.parametrize("weights", [(1, 1), (1, -1), (1, 0.5), (1, -0.5)])
def test_candidates_of_one_vector_hold_what_ranking_all_finds(weights: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    space = lk.embed("cars", "cars")
    queries = [Query([(weights[0], row), (weights[1], text)]) for row in range(0, 40, 4) for text in ("a red car", "a van")]
    monkeypatch.setattr(composed_search, "CANDIDATES", 200)

    def find(near: Any, count: int) -> Any:
        return scan(space.vectors, near, count).rows

    shares = [len(np.intersect1d(space.nearest_composed(query, find=find).rows, space.nearest(query).rows)) / 10 for query in queries]
    assert np.mean(shares) > 0.95


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


def test_the_one_index_answers_in_a_notions_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = lk.embed("cars", "cars")
    query = Query([(1, 3), (1, "a red car"), (-0.5, "a blue car")])
    notion = lk.Notion("car color", "a {} car", ("red", "green", "blue", "white", "black"))
    every = space.refit(notion).nearest(query, 10).rows
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    indexed = space.replace(index=build_index(space.vectors, tmp_path / "index")).refit(notion)
    assert indexed.search is not None
    indexed.search.wait()
    assert len(np.intersect1d(indexed.nearest(query, 10).rows, every)) >= 9


def test_the_cells_of_an_index_give_what_comparing_all_images_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many cells as are looked through anyway, nothing is missed."""
    vectors = _clusters(600)
    every, allowed = Space(vectors), np.arange(600) % 2 == 0
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    indexed = every.replace(index=build_index(vectors, tmp_path / "index", cells=30))
    assert isinstance(indexed.search, LocalSearch)
    assert not indexed.search.wait().exact
    for query in (Query([(1, 3), (1, 80)]), Query([(1, 3), (2, 80), (-0.5, 200)])):
        for options in ({}, {"allowed": allowed}, {"exclude": [9]}):
            found, expected = indexed.nearest(query, 25, **options), every.nearest(query, 25, **options)
            np.testing.assert_array_equal(found.rows, expected.rows)
            np.testing.assert_allclose(found.similarities, expected.similarities, rtol=1e-4)
    with pytest.raises(InputError, match="No image is left"):
        indexed.nearest(Query([(1, 0)]), allowed=np.arange(600) == 0)


def test_terms_that_cancel_each_other_out_have_no_candidates() -> None:
    space = Space(_clusters(50))
    both = Query([(1, space.vectors[3]), (1, -space.vectors[3])])
    assert len(space.nearest(both)) == 10

    def find(near: Any, count: int) -> Any:
        return scan(space.vectors, near, count).rows

    with pytest.raises(InputError, match="cancel each other out"):
        space.nearest_composed(both, find=find)
    assert len(space.nearest_composed(Query([(1, 3), (-1, space.vectors[3])]), find=find)) == 10
