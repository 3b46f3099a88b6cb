import numpy as np
import pytest
from sklearn.decomposition import PCA as Sklearn  # noqa: N811

from likeness.errors import InputError
from likeness.notions import PCA
from made_rows import unit


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return np.random.default_rng(9).standard_normal((12, 24))


@pytest.mark.parametrize(("prompts", "dim"), [(30, 1), (30, 5), (30, 24), (10, 9)])
def test_equals_scikit_learn_on_unit_rows_signs_included(text: np.ndarray, images: np.ndarray, prompts: int, dim: int) -> None:
    rows = text[:prompts] * np.linspace(0.5, 3, prompts)[:, None]
    ours, theirs = PCA(dim).fit(rows), Sklearn(dim, svd_solver="full").fit(unit(rows))
    np.testing.assert_allclose(ours.U, theirs.components_.T, atol=1e-8)
    assert ours.mean_ == pytest.approx(theirs.mean_, abs=1e-12)
    assert ours.explained_variance_ratio_ == pytest.approx(theirs.explained_variance_ratio_, abs=1e-12)
    assert ours.transform(images) == pytest.approx(theirs.transform(unit(images)), abs=1e-8)


def test_prompts_on_a_circle_vary_in_its_plane() -> None:
    angles = np.array([0.1, 0.4, 1.0, 2.0, 4.0])
    text = np.column_stack([np.cos(angles), np.zeros(5), np.sin(angles), np.full(5, 2.0)])
    fit = PCA(2).fit(text)
    assert np.abs(fit.U[[1, 3]]).max() < 1e-12
    assert fit.explained_variance_ratio_.sum() == pytest.approx(1)
    # the mean falls away in differences, and the plane keeps its distances
    codes = fit.transform(text)
    assert np.linalg.norm(codes[0] - codes[3]) == pytest.approx(np.linalg.norm(unit(text)[0] - unit(text)[3]))


def test_turning_all_embeddings_changes_no_distance(text: np.ndarray, images: np.ndarray) -> None:
    rotation = np.linalg.qr(np.random.default_rng(2).standard_normal((24, 24)))[0]
    plain, turned = PCA(4).fit(text).transform(images), PCA(4).fit(text @ rotation).transform(images @ rotation)
    assert turned @ turned.T == pytest.approx(plain @ plain.T, abs=1e-9)


@pytest.mark.parametrize(("prompts", "dim"), [(6, 6), (6, 24), (2, 2)])
def test_needs_more_prompts_than_dimensions(text: np.ndarray, prompts: int, dim: int) -> None:
    message = f"PCA to {dim} dimensions needs more than {dim} prompts, but there are {prompts}; choose at most {prompts - 1} dimensions, give more"
    with pytest.raises(InputError, match=message + " prompts, or use InDiReCT"):
        PCA(dim).fit(text[:prompts])


def test_repeated_prompts_add_no_direction(text: np.ndarray) -> None:
    repeated = text[[0, 1, 2, 0, 1, 2]]
    with pytest.raises(InputError, match="the 6 prompts vary in 2; choose at most 2 dimensions, give more different prompts"):
        PCA(3).fit(repeated)
    assert PCA(2).fit(repeated).U.shape == (24, 2)


def test_faint_directions_count_and_rounding_does_not() -> None:
    rng = np.random.default_rng(0)
    faint = (1 + rng.standard_normal((60, 40)) * 0.5 ** np.arange(0, 20, 0.5)).astype(np.float32)
    assert PCA(39).fit(faint).explained_variance_ratio_[-1] < 1e-8
    rounded = np.vstack([faint[:5] * np.float32(length) for length in (1, 1.7, 0.3)])
    with pytest.raises(InputError, match="the 15 prompts vary in 4"):
        PCA(5).fit(rounded)
