import numpy as np

from likeness.arrays import unit_rows
from likeness.projection import pca_map, sampled_map
from likeness.projection.sampled_map import NEIGHBORS, is_sampled, placed, stratified
from likeness.search import nearest
from made_rows import clusters


def test_few_items_are_laid_out_as_they_are() -> None:
    rows, _ = clusters(60, 24, 3, 0.15)
    np.testing.assert_array_equal(sampled_map(rows, lambda vectors, init: pca_map(vectors), sample=30), pca_map(rows))
    assert not is_sampled(60, 30)
    assert is_sampled(61, 30)


def test_the_function_sees_the_sample_and_its_part_of_the_start() -> None:
    rows, _ = clusters(400, 24, 4, 0.15)
    start = np.random.default_rng(1).standard_normal((400, 2)).astype(np.float32)
    seen = {}

    def function(vectors: np.ndarray, *, init: np.ndarray, seed: int) -> np.ndarray:
        seen.update(vectors=vectors, init=init, seed=seed)
        return init

    found = sampled_map(rows, function, init=start, sample=80, seed=7)
    chosen = stratified(pca_map(rows), 80)
    np.testing.assert_allclose(seen["vectors"], unit_rows(rows[chosen], "rows"), atol=1e-6)
    np.testing.assert_array_equal(seen["init"], start[chosen])
    np.testing.assert_array_equal(found[chosen], start[chosen])
    assert seen["seed"] == 7


def test_the_sample_takes_from_every_region_what_it_has() -> None:
    rng = np.random.default_rng(2)
    flat = np.concatenate([rng.normal(place, 0.1, (n, 2)) for place, n in (((0, 0), 6000), ((4, 0), 900), ((4, 4), 100))]).astype(np.float32)
    of = np.repeat([0, 1, 2], [6000, 900, 100])
    chosen = stratified(flat, 700)
    assert len(np.unique(chosen)) == 700
    assert np.all(np.diff(chosen) > 0)
    np.testing.assert_allclose(np.bincount(of[chosen]), [600, 90, 10], atol=3)
    np.testing.assert_array_equal(stratified(flat, 7000), np.arange(7000))


def test_the_mean_of_neighbors_by_hand() -> None:
    """Of width 6: in products of a few rows of width 5, OpenBLAS 0.3.31 reads what nobody wrote, and NumPy may warn of it."""
    rng = np.random.default_rng(3)
    known = unit_rows(rng.standard_normal((40, 6)).astype(np.float32), "known")
    positions = rng.uniform(0, 1e-3, (40, 2)).astype(np.float32)
    positions[::2] += 50  # every second one is torn away from the rest
    query = rng.standard_normal((7, 6)).astype(np.float32)
    found = nearest(query, known, NEIGHBORS + 1)
    apart = np.linalg.norm(positions[found.rows] - positions[found.rows[:, :1]], axis=2)
    usual = np.median(apart[:, 1:])
    distances = np.sqrt(2 - 2 * found.similarities)
    weights = (1 - distances / distances[:, -1:]) * (apart <= 4 * usual)
    expected = [np.average(positions[rows], axis=0, weights=shares) for rows, shares in zip(found.rows, weights, strict=True)]
    np.testing.assert_allclose(placed(query, known, positions), expected, rtol=1e-4)


def test_many_known_items_go_through_cells_and_few_are_one() -> None:
    known = unit_rows(np.ones((1, 4), np.float32), "known")
    np.testing.assert_array_equal(placed(np.eye(4, dtype=np.float32), known, np.array([[3, 5]], np.float32)), np.tile([3, 5], (4, 1)))
    same = np.repeat(known, 30, axis=0)
    assert np.isfinite(placed(same, same, np.random.default_rng(0).random((30, 2), np.float32))).all()
    rows, of = clusters(6000, 24, 30, 0.1)
    known = unit_rows(rows[::2], "rows")
    positions = np.stack([of[::2], of[::2] ** 2], axis=1).astype(np.float32)
    found = placed(rows[1::2], known, positions)
    assert (np.abs(found[:, 0] - of[1::2]) < 0.01).mean() > 0.99
