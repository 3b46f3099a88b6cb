"""Pairs by blocks and by cells are those of a plain loop over all; what a sample says of the recall is counted by hand."""

import numpy as np
import pytest

from likeness import Space
from likeness.duplicates import (
    NearPairs,
    TooManyPairsError,
    cell_join as cell_join_module,
    near_copies,
    pairs as pairs_module,
)
from likeness.duplicates.cell_join import join_cells
from likeness.duplicates.pairs import PairCollector
from likeness.errors import InputError
from likeness.search import IVFIndex, build_index

N, D = 1500, 16


def unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """In clusters, a tenth of them copies that differ by little or not at all."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, D))[rng.integers(0, 40, N)] + 0.7 * rng.standard_normal((N, D))
    rows[:150] = rows[150:300] * rng.uniform(0.5, 2, (150, 1)) + rng.uniform(0, 0.5, (150, 1)) * rng.standard_normal((150, D))
    rows[20] = rows[170]
    return unit(rows)


@pytest.fixture(scope="module")
def index(vectors: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> IVFIndex:
    found = build_index(vectors, tmp_path_factory.mktemp("index") / "index", cells=30)
    assert isinstance(found, IVFIndex)
    return found


def by_loop(first: np.ndarray, second: np.ndarray, threshold: float, within: bool) -> set[tuple[int, int]]:
    a, b = first.astype(np.float64), second.astype(np.float64)
    return {(i, j) for i in range(len(a)) for j in np.flatnonzero(b @ a[i] >= threshold).tolist() if not within or i < j}


def as_set(pairs: NearPairs | np.ndarray) -> set[tuple[int, int]]:
    rows = pairs.rows if isinstance(pairs, NearPairs) else pairs
    assert len(np.unique(rows, axis=0)) == len(rows)
    return set(map(tuple, rows.tolist()))


@pytest.mark.parametrize("threshold", [0.8, 0.95, 1.0])
def test_blocks_find_what_a_loop_finds(vectors: np.ndarray, threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs_module, "_BLOCK", 400)  # four blocks, the last one smaller
    calls: list[tuple[int, int, str]] = []
    found = near_copies(Space(vectors), threshold, progress=lambda *call: calls.append(call))
    assert calls[-1][0] == calls[-1][1]
    assert as_set(found) == by_loop(vectors, vectors, threshold - 1e-6, within=True)
    exact = np.einsum("pd,pd->p", *vectors[found.rows.T].astype(np.float64))
    np.testing.assert_allclose(found.similarities, exact, atol=1e-6)
    assert (np.diff(found.similarities) <= 0).all()
    assert found.recall == 1
    assert found.exact


def largest_margin(threshold: float) -> float:
    return float(np.sqrt(2 - 2 * (threshold - 1e-6)))


def joined(index: IVFIndex, threshold: float, margin: float) -> set[tuple[int, int]]:
    collector = PairCollector(N, threshold, within=True)
    join_cells(index, None, threshold, margin, collector)
    return as_set(collector.pairs()[0])


@pytest.mark.parametrize("threshold", [0.8, 0.95, 1.0])
def test_cells_with_the_largest_margin_miss_nothing(vectors: np.ndarray, index: IVFIndex, threshold: float) -> None:
    assert joined(index, threshold, largest_margin(threshold)) == by_loop(vectors, vectors, threshold - 1e-6, within=True)


def test_a_margin_of_nothing_finds_the_pairs_within_cells_and_of_many_cells_the_nearest_are_looked_into(
    vectors: np.ndarray, index: IVFIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = np.empty(N, int)
    cell[index.rows] = np.repeat(np.arange(30), np.diff(index.starts))
    expected = by_loop(vectors, vectors, 0.8 - 1e-6, within=True)
    within = {(i, j) for i, j in expected if cell[i] == cell[j]}
    assert joined(index, 0.8, 0.0) == within
    monkeypatch.setattr(cell_join_module, "AROUND", 5)
    monkeypatch.setattr(cell_join_module, "_BLOCK_BYTES", 4 * D * 400)  # four blocks
    near = np.argsort(-(index.centers @ index.centers.T), axis=1)[:, :5]
    reached = {(a, b) for a in range(30) for b in near[a].tolist()}
    found = joined(index, 0.8, largest_margin(0.8))
    assert within <= found <= {(i, j) for i, j in expected if {(cell[i], cell[j]), (cell[j], cell[i])} & reached}
    assert len(expected) > len(found)


@pytest.mark.parametrize("with_index", [True, False])
def test_a_margin_from_a_sample_finds_nearly_all_and_says_how_many(vectors: np.ndarray, index: IVFIndex, with_index: bool) -> None:
    expected = by_loop(vectors, vectors, 0.9 - 1e-6, within=True)
    calls: list[tuple[int, int, str]] = []
    found = near_copies(Space(vectors, index=index if with_index else None), 0.9, exact=False, progress=lambda *call: calls.append(call))
    assert as_set(found) <= expected
    assert len(found) >= 0.99 * len(expected)
    assert not found.exact
    assert found.recall is not None
    judged = set(np.random.default_rng(0).permutation(N)[500:].tolist())  # a third of the images at most sets the margin
    sampled = sum((i in judged) + (j in judged) for i, j in expected)
    assert found.sampled == sampled
    assert found.sampled_found == sum((i in judged) + (j in judged) for i, j in as_set(found))
    assert f"{found.sampled_found:,} of {found.sampled:,} pairs" in found.message
    assert all(done == total for done, total in {stage: (done, total) for done, total, stage in calls}.values())


@pytest.mark.parametrize("exact", [True, False])
def test_pairs_between_two_sets(vectors: np.ndarray, exact: bool) -> None:
    first, second = vectors[:200], vectors[200:]
    found = near_copies(Space(first), 0.9, Space(second), exact=exact)
    expected = by_loop(first, second, 0.9 - 1e-6, within=False)
    assert as_set(found) <= expected
    assert len(found) >= (1 if exact else 0.98) * len(expected)
    assert len(expected) > 50
    if not exact:
        assert found.recall is not None
        assert found.recall >= 0.98


def test_alike_few_and_zero_rows(vectors: np.ndarray) -> None:
    same = Space(np.tile([[1.0, 2.0, 3.0]], (60, 1)))
    for exact in (True, False):
        assert len(near_copies(same, 1.0, exact=exact)) == 60 * 59 // 2
    assert len(near_copies(Space(np.eye(1)), 0.5)) == 0
    alone = near_copies(Space(np.eye(3)), 0.5, exact=False)
    assert (len(alone), alone.recall) == (0, None)
    rows = vectors.copy()
    rows[[3, 7]] = 0
    space = Space(rows, estimator=object())  # a notion's space may have them
    for exact in (True, False):
        assert not np.isin(near_copies(space, 0.5, exact=exact).rows, [3, 7]).any()


def test_wrong_input_is_answered(vectors: np.ndarray) -> None:
    for threshold in (0.0, 1.1, -0.5, float("nan")):
        with pytest.raises(InputError, match="pass a cosine similarity above 0, up to 1"):
            near_copies(Space(vectors), threshold)
    with pytest.raises(InputError, match="are different spaces"):
        near_copies(Space(vectors), 0.9, Space(vectors[:, :8]))
    for exact in (True, False):
        with pytest.raises(TooManyPairsError, match="More than 100 pairs have a similarity of 0\\.5 or more; raise the threshold"):
            near_copies(Space(vectors), 0.5, exact=exact, most=100)


def test_a_higher_threshold_needs_no_second_search_and_pairs_at_the_line_are_the_nearest_ones_on_both_sides(vectors: np.ndarray) -> None:
    found = near_copies(Space(vectors), 0.8)
    for threshold in (0.8, 0.85, 0.95, 1.0):
        above, again = found.above(threshold), near_copies(Space(vectors), threshold)
        np.testing.assert_array_equal(above.rows, again.rows)
        assert above.threshold == threshold
    above, below = found.at_line(0.9, 5)
    assert len(above) == len(below) == 5
    for places, order in ((above, found.similarities[::-1]), (below, found.similarities)):
        shown = found.rows[places]
        assert len(np.unique(shown)) == 10  # all of them different images
        beyond = order[(order >= 0.9) == (places is above)]
        assert found.similarities[places[0]] == beyond[0]
    assert (found.similarities[above] >= 0.9).all()
    assert (found.similarities[below] < 0.9).all()
    assert (np.diff(found.similarities[above]) >= 0).all()
    assert [len(places) for places in NearPairs(np.empty((0, 2), np.int64), np.empty(0, np.float32), 0.8).at_line(0.9, 5)] == [0, 0]
