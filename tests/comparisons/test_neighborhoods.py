"""Which images moved: against plain loops over full rankings."""

import tracemalloc

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from likeness.comparisons import neighborhood_changes
from likeness.comparisons.random_projections import random_projections
from likeness.errors import InputError
from likeness.search import build_index
from likeness.space import Space


def _space(n: int, d: int, seed: int) -> Space:
    return Space(np.random.default_rng(seed).standard_normal((n, d)), name=f"space {seed}")


def _ranking(space: Space) -> np.ndarray:
    """Rows (n, n - 1) by similarity, by an independent library."""
    search = NearestNeighbors(n_neighbors=len(space), metric="cosine", algorithm="brute").fit(space.vectors.astype(np.float64))
    order = search.kneighbors(space.vectors.astype(np.float64), return_distance=False)
    return np.array([[other for other in line if other != row] for row, line in enumerate(order)])


def test_shares_and_ranks_are_those_of_full_rankings() -> None:
    a, b = _space(120, 12, 0), _space(120, 5, 1)
    found = neighborhood_changes(a, b, k=4, seeds=[])
    of_a, of_b = _ranking(a), _ranking(b)
    assert found.depth == 40
    for row in range(120):
        near_a, near_b = of_a[row, :4].tolist(), of_b[row, :4].tolist()
        assert found.kept[row] == len(set(near_a) & set(near_b)) / 4
        after = [min(of_b[row].tolist().index(other) + 1, 41) for other in near_a]
        before = [min(of_a[row].tolist().index(other) + 1, 41) for other in near_b]
        assert found.rank_after[row] == np.median(after)
        assert found.rank_before[row] == np.median(before)
        assert found.similarity_after[row] == pytest.approx(np.mean(b.vectors[near_a] @ b.vectors[row]), abs=1e-6)
    assert found.expected == 4 / 119


def test_ranks_of_many_neighbors_take_little_memory() -> None:
    a, b = _space(600, 12, 0), _space(600, 5, 1)
    tracemalloc.start()
    neighborhood_changes(a, b, k=200, seeds=[])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6  # all pairs of neighbors at once are 72 MB


def test_a_turned_space_keeps_all_and_one_swapped_image_moves_most() -> None:
    a = _space(200, 64, 0)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((64, 64)))[0]
    same = neighborhood_changes(a, Space(a.vectors @ turn), k=5)
    assert same.kept.min() == 1
    assert same.rank_after.max() == same.rank_before.max() == 3
    swapped = a.vectors.copy()
    swapped[17] = -swapped[17]
    found = neighborhood_changes(a, Space(swapped @ turn), k=5)
    frame = found.frame(a.table)
    assert frame["row"][0] == 17
    assert frame["kept"][0] == 0
    assert frame["rank_after"][0] == 51
    assert frame["beyond_noise"][0]


def test_the_control_is_as_wide_as_the_narrower_space_and_its_share_is_what_it_keeps() -> None:
    a, b = _space(150, 16, 0), _space(150, 4, 1)
    found = neighborhood_changes(a, b, k=5, seeds=[3, 4])
    for column, projected in enumerate(random_projections(b, a, [3, 4])):
        assert projected.vectors.shape == (150, 4)
        of_a, of_projected = _ranking(a), _ranking(projected)
        shares = [len({*of_a[row, :5].tolist()} & {*of_projected[row, :5].tolist()}) / 5 for row in range(150)]
        np.testing.assert_array_equal(found.noise[:, column], shares)
    np.testing.assert_array_equal(found.beyond_noise, found.kept < found.noise.min(axis=1))
    other_way = neighborhood_changes(b, a, k=5, seeds=[3, 4])
    np.testing.assert_array_equal(other_way.noise, found.noise)
    np.testing.assert_array_equal(other_way.kept, found.kept)
    np.testing.assert_array_equal(other_way.rank_before, found.rank_after)


def test_a_sample_has_the_values_of_all() -> None:
    a, b = _space(100, 8, 0), _space(100, 8, 1)
    every, some = neighborhood_changes(a, b, k=3), neighborhood_changes(a, b, k=3, rows=[70, 5])
    assert some.rows.tolist() == [5, 70]
    np.testing.assert_array_equal(some.kept, every.kept[[5, 70]])
    np.testing.assert_array_equal(some.noise, every.noise[[5, 70]])


def test_an_index_answers_and_says_so(tmp_path: object) -> None:
    vectors = _space(3000, 8, 0).vectors
    a = Space(vectors, index=build_index(vectors, f"{tmp_path}/index", cells=20), provenance="a")
    b = _space(3000, 8, 1)
    found = neighborhood_changes(a, b, k=5, rows=np.arange(50), seeds=[])
    plain = neighborhood_changes(Space(vectors), b, k=5, rows=np.arange(50), seeds=[])
    assert a.search is not None
    assert bool(found.message) != a.search.exact
    assert np.abs(found.kept - plain.kept).mean() < 0.05


@pytest.mark.parametrize(
    ("k", "rows", "said"),
    [(0, None, "choose k from 1"), (9, None, "choose k from 1"), (2, [9], "rows must be numbers"), (2, [], "rows must be numbers")],
)
def test_what_can_not_be_compared_is_refused(k: int, rows: list[int] | None, said: str) -> None:
    space = _space(9, 3, 0)
    with pytest.raises(InputError, match=said):
        neighborhood_changes(space, space, k, rows=rows)
    with pytest.raises(InputError, match="compare two spaces of the same images"):
        neighborhood_changes(space, _space(8, 3, 0), 2)
    one, other = (Space(np.eye(3), [*"abc"[:2], last]) for last in "cd")
    with pytest.raises(InputError, match="Row 2 is 'c' in one space and 'd' in the other"):
        neighborhood_changes(one, other, 1)
