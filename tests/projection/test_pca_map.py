"""The PCA map against scikit-learn, and on vectors that have no plane."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.projection import pca_map


def test_equals_scikit_learn_up_to_sign() -> None:
    from sklearn.decomposition import PCA

    vectors = np.random.default_rng(0).standard_normal((80, 12)) * np.linspace(1, 4, 12)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = PCA(2, svd_solver="full").fit_transform(unit)
    found = pca_map(vectors)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-5)
    assert found.dtype == np.float32
    assert found[:, 0].var() > found[:, 1].var()


def test_more_dimensions_than_rows() -> None:
    vectors = np.random.default_rng(0).standard_normal((3, 40))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found = pca_map(vectors)
    # three points span a plane, so their distances are kept
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found[None], axis=2), np.linalg.norm(unit[:, None] - unit[None], axis=2), atol=1e-5)


def test_sign_is_fixed() -> None:
    vectors = np.random.default_rng(0).standard_normal((50, 6))
    np.testing.assert_allclose(pca_map(vectors[::-1])[::-1], pca_map(vectors), atol=1e-5)


@pytest.mark.parametrize("vectors", [[[3.0, 4.0]], np.ones((4, 3)), [[1.0], [2.0]], np.repeat([[0.1, 0.7, 0.3]], 9, axis=0)])
def test_no_variance_gives_zeros(vectors: object) -> None:
    found = pca_map(vectors)
    np.testing.assert_allclose(found, np.zeros((len(vectors), 2)), atol=1e-6)  # type: ignore[arg-type]


def test_two_items_and_one_dimension_lie_on_a_line() -> None:
    np.testing.assert_allclose(pca_map([[1.0, 0.0], [0.0, 1.0]])[:, 1], 0, atol=1e-6)
    np.testing.assert_allclose(np.ptp(pca_map([[2.0], [-3.0]]), axis=0), [2, 0], atol=1e-6)


def test_bad_vectors_are_named() -> None:
    with pytest.raises(InputError, match="The vectors row 1 holds NaN"):
        pca_map([[1.0, 0.0], [np.nan, 1.0]])
