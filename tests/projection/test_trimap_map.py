from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist

from likeness.projection import pca_map, trimap_map
from likeness.projection.trimap_map import _SWITCH, STEPS, _optimized, _Triplets, _triplets
from likeness.projection.trimap_steps import gradient
from made_rows import unit


def triplets_of(vectors: np.ndarray, neighbors: int = 12, outliers: int = 4, random: int = 3, seed: int = 0) -> _Triplets:
    return _triplets(unit(vectors).astype(np.float32), neighbors, outliers, random, np.random.default_rng(seed))


def test_triplets_and_weights_equal_plain_loops(vectors: np.ndarray) -> None:
    """Section 3 of the paper: neighbors by squared distance over the two items' widths, the mean distance to their 3rd to 5th neighbors."""
    rows = unit(vectors).astype(np.float32).astype(float)
    distances = cdist(rows, rows)
    widths = np.sort(distances, axis=1)[:, 3:6].mean(axis=1)
    likeness = -(distances**2) / np.outer(widths, widths)
    found = triplets_of(vectors)
    kept, drawn = found.rows[: 200 * 48].reshape(200, 12, 4, 3), found.rows[200 * 48 :].reshape(200, 3, 3)
    for i in range(200):
        candidates = distances[i].argsort(kind="stable")[1:63]
        near = candidates[likeness[i, candidates].argsort(kind="stable")[::-1][:12]]
        assert set(kept[i, :, :, 0].ravel()) | set(drawn[i, :, 0]) == {i}
        np.testing.assert_array_equal(kept[i, :, :, 1], np.repeat(near[:, None], 4, axis=1))
        for rank in range(12):
            assert not {i, *near[: rank + 1]} & set(kept[i, rank, :, 2])
        for _, j, k in drawn[i]:
            assert len({i, j, k}) == 3
            assert likeness[i, j] >= likeness[i, k] - 1e-5
    share = np.r_[np.ones(200 * 48), np.full(600, 0.1)]
    plain = share * (likeness[found.rows[:, 0], found.rows[:, 1]] - likeness[found.rows[:, 0], found.rows[:, 2]])
    expected = 2 * (np.sqrt(1 + plain - plain.min()) - 1)
    np.testing.assert_allclose(found.weights, expected, atol=2e-3 * expected.max())


def test_outliers_are_drawn_from_all_others_alike(vectors: np.ndarray) -> None:
    found = triplets_of(vectors, neighbors=2, outliers=300)
    drawn = found.rows[: 200 * 600].reshape(200, 2, 300, 3)[:, 0, :, 2]
    counts = np.bincount(drawn.ravel(), minlength=200)  # 200 items draw 300 of 198 others: each some 300 times, deviation 17
    assert np.abs(counts - 300).max() < 110


def test_the_gradient_is_that_of_the_loss(vectors: np.ndarray) -> None:
    found = triplets_of(vectors[::10])
    positions = torch.from_numpy(np.random.default_rng(1).normal(size=(20, 2))).requires_grad_()
    item, near, far = (positions[found.rows[:, place]] for place in range(3))
    like, unlike = (1 / (1 + ((item - other) ** 2).sum(dim=1)) for other in (near, far))
    (torch.from_numpy(found.weights.astype(float)) * unlike / (like + unlike)).sum().backward()
    assert positions.grad is not None
    np.testing.assert_allclose(gradient(positions.detach().numpy(), found.rows, found.weights.astype(float)), positions.grad.numpy(), rtol=1e-9)


def test_the_steps_equal_the_packages(vectors: np.ndarray) -> None:
    trimap = pytest.importorskip("trimap", reason="its dependency annoy wants a compiler, so it is no dependency of the tests")
    found, start = triplets_of(vectors), (0.01 * pca_map(vectors)).astype(np.float32)
    theirs = trimap.TRIMAP(triplets=found.rows, weights=found.weights, apply_pca=False).fit_transform(
        unit(vectors).astype(np.float32), init=start.copy()
    )
    np.testing.assert_allclose(_optimized(found, start, STEPS, _SWITCH), theirs, atol=0.01 * np.ptp(theirs))


@pytest.mark.parametrize("changed", [{"neighbors": 30}, {"outliers": 10}, {"random": 15}])
def test_numbers_of_triplets_change_the_map(vectors: np.ndarray, changed: dict, moved: Callable[[np.ndarray, np.ndarray], float]) -> None:
    assert moved(trimap_map(vectors, **changed), trimap_map(vectors)) > 0.01
    assert np.isfinite(trimap_map(vectors[::4], neighbors=500, random=0)).all()
