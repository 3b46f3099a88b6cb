"""Maps from a sample: every part has its share, and what is placed stands among its own."""

import numpy as np
import pytest

from likeness.arrays import unit_rows
from likeness.errors import InputError
from likeness.projection import pca_map, sampled_map
from likeness.projection.sampled_map import NEIGHBORS, is_sampled, placed, stratified
from likeness.search import nearest


def clusters(count: int, each: int, dim: int = 24, spread: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(count), each)
    rows = rng.standard_normal((count, dim))[of] + spread * rng.standard_normal((count * each, dim))
    return rows.astype(np.float32), of


def test_few_items_are_laid_out_as_they_are() -> None:
    rows, _ = clusters(3, 20)
    np.testing.assert_array_equal(sampled_map(rows, lambda vectors, init: pca_map(vectors), sample=30), pca_map(rows))
    assert not is_sampled(60, 30)
    assert is_sampled(61, 30)


def test_the_function_sees_the_sample_and_its_part_of_the_start() -> None:
    rows, _ = clusters(4, 100)
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
    with pytest.raises(InputError, match="count is 0, but it must be from 1 to the 7000"):
        stratified(flat, 0)


def test_what_is_placed_stands_among_its_own_class() -> None:
    rows, of = clusters(8, 250)
    found = sampled_map(rows, lambda vectors, init: pca_map(vectors) * 10, sample=400)
    centers = np.stack([found[of == c].mean(axis=0) for c in range(8)])
    nearest_center = np.linalg.norm(found[:, None] - centers, axis=2).argmin(axis=1)
    assert (nearest_center == of).mean() > 0.97


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
    for row in range(7):
        distances = [np.sqrt(2 - 2 * s) for s in found.similarities[row]]
        sums, total = np.zeros(2), 0.0
        for place, distance, far in zip(found.rows[row], distances, apart[row], strict=True):
            if far <= 4 * usual:
                sums += (1 - distance / distances[-1]) * positions[place]
                total += 1 - distance / distances[-1]
        np.testing.assert_allclose(placed(query, known, positions)[row], sums / total, rtol=1e-4)


def test_no_mean_stands_between_two_islands() -> None:
    rng = np.random.default_rng(4)
    known = unit_rows(rng.standard_normal((300, 6)).astype(np.float32), "known")
    # two thirds of each neighborhood near, one third on an island far away, whatever the vectors say
    positions = (rng.uniform(0, 1, (300, 2)) + np.where(np.arange(300) % 3 == 0, 1000, 0)[:, None]).astype(np.float32)
    found = placed(rng.standard_normal((500, 6)).astype(np.float32), known, positions)
    assert (((found > -1) & (found < 2)) | ((found > 999) & (found < 1002))).all()


def test_duplicates_and_one_known_item() -> None:
    known = unit_rows(np.ones((1, 4), np.float32), "known")
    np.testing.assert_array_equal(placed(np.eye(4, dtype=np.float32), known, np.array([[3, 5]], np.float32)), np.tile([3, 5], (4, 1)))
    same = np.repeat(known, 30, axis=0)
    assert np.isfinite(placed(same, same, np.random.default_rng(0).random((30, 2), np.float32))).all()


def test_many_known_items_go_through_cells() -> None:
    rows, of = clusters(30, 200, spread=0.1)
    known = unit_rows(rows[::2], "rows")
    positions = np.stack([of[::2], of[::2] ** 2], axis=1).astype(np.float32)
    found = placed(rows[1::2], known, positions)
    assert (np.abs(found[:, 0] - of[1::2]) < 0.01).mean() > 0.99
