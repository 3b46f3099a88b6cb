import numpy as np
import pytest

from likeness.projection import pca_map
from made_rows import unit


@pytest.mark.parametrize("shape", [(80, 12), (3, 40), (2, 2)])  # also more dimensions than rows, and a line
def test_equals_scikit_learn_up_to_sign(shape: tuple[int, int]) -> None:
    from sklearn.decomposition import PCA

    vectors = np.random.default_rng(0).standard_normal(shape) * np.linspace(1, 4, shape[1])
    found = pca_map(vectors)
    np.testing.assert_allclose(np.abs(found), np.abs(PCA(2, svd_solver="full").fit_transform(unit(vectors))), atol=1e-5)
    assert found.dtype == np.float32
    np.testing.assert_allclose(pca_map(vectors[::-1])[::-1], found, atol=1e-5)  # the sign is fixed


@pytest.mark.parametrize("vectors", [[[3.0, 4.0]], np.ones((4, 3)), [[1.0], [2.0]], np.repeat([[0.1, 0.7, 0.3]], 9, axis=0)])
def test_no_variance_gives_zeros(vectors: object) -> None:
    found = pca_map(vectors)
    np.testing.assert_allclose(found, np.zeros((len(vectors), 2)), atol=1e-6)  # type: ignore[arg-type]
