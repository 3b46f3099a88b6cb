"""Spaces laid over each other, and maps beside their own noise."""

import numpy as np
import pytest
import scipy.linalg
import scipy.spatial

from likeness.comparisons import align_spaces, map_changes
from likeness.errors import InputError
from likeness.projection import pca_map
from likeness.space import Space
from made_rows import unit


def _vectors(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def test_the_turn_is_the_best_one_by_scipy() -> None:
    a, b = Space(_vectors(80, 5, 0)), Space(_vectors(80, 5, 1))
    found = align_spaces(a, b)
    rotation, _ = scipy.linalg.orthogonal_procrustes(b.vectors.astype(np.float64), a.vectors.astype(np.float64))
    expected = b.vectors @ rotation
    assert found.by == "vectors"
    np.testing.assert_allclose(found.b, expected, atol=1e-6)
    radius = np.sqrt(np.square(a.vectors - a.vectors.mean(axis=0)).sum(axis=1).mean())
    np.testing.assert_allclose(found.moved, np.linalg.norm(expected - a.vectors, axis=1) / radius, atol=1e-5)


def test_spaces_of_other_dimensions_are_aligned_by_their_maps() -> None:
    a = Space(_vectors(60, 7, 0))
    wider = Space(np.hstack([a.vectors @ np.linalg.qr(_vectors(7, 7, 2).astype(np.float64))[0], np.zeros((60, 3))]))
    found = align_spaces(a, wider)
    assert found.by == "maps"
    np.testing.assert_allclose(found.a, pca_map(a.vectors))
    np.testing.assert_allclose(found.b, found.a, atol=1e-4)
    unlike = align_spaces(a, Space(_vectors(60, 3, 3)))
    _, _, disparity = scipy.spatial.procrustes(pca_map(a.vectors), pca_map(unit(_vectors(60, 3, 3))))
    # SciPy's disparity is the squared distance left, in units of the squared size of the first
    assert np.square(unlike.moved).mean() == pytest.approx(disparity, rel=1e-4)


def test_maps_share_what_a_plain_loop_counts_beside_their_noise() -> None:
    a, b = Space(_vectors(50, 6, 0)), Space(_vectors(50, 4, 1))
    found = map_changes(a, b, "pca", k=3)
    far_a, far_b = (scipy.spatial.distance.cdist(each, each) + np.diag(np.full(50, np.inf)) for each in (found.a, found.b))
    shares = [len({*np.argsort(far_a[row])[:3].tolist()} & {*np.argsort(far_b[row])[:3].tolist()}) / 3 for row in range(50)]
    np.testing.assert_array_equal(found.kept, shares)
    assert found.kept_noise.min() == 1
    assert found.moved_noise.max() == 0
    assert found.frame()["kept"].is_monotonic_increasing
    a = Space(np.repeat(np.eye(4), 15, axis=0) + 0.2 * _vectors(60, 4, 0))
    found = map_changes(a, a, "tsne", k=5, perplexity=5)
    assert found.kept.min() == 1
    assert found.kept_noise.mean() < 1
    assert found.moved.max() == pytest.approx(0, abs=1e-5)


def test_places_that_coincide_have_no_trouble_and_what_is_no_map_is_refused() -> None:
    a = Space(np.repeat(np.eye(3), 5, axis=0))
    assert map_changes(a, a, "pca", k=2).kept.tolist() == [1.0] * 15
    for method, k, said in (("best", 3, "choose from umap"), ("pca", 15, "choose k from 1")):
        with pytest.raises(InputError, match=said):
            map_changes(a, a, method, k)
