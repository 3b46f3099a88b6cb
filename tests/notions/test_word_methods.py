"""Methods beside InDiReCT that read a notion's words: scaled PCA, CRL, probabilities of aspects, CLAY, BASIC and OD-CRL."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.special import softmax
from sklearn.decomposition import PCA as Sklearn  # noqa: N811

from likeness.errors import InputError
from likeness.notions import PCA, AlignedTangents, AspectProbabilities, AspectSimilarities, ContrastivePCA, NullSpace, ScaledPCA, varying_directions
from likeness.notions.aligned_tangents import tangents
from made_rows import unit

RNG = np.random.default_rng(0)
R = 12


def _rows(count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return unit(rng.normal(size=(count, R)) + 2 * rng.normal(size=R))


TEXT, IMAGES, OTHERS = _rows(6, 1), _rows(30, 2), [_rows(4, 3), _rows(5, 4)]


def test_similarities_by_scaled_pca_are_those_of_the_prompts_covariance() -> None:
    """So that a direction in which prompts hardly differ hardly counts."""
    U = ScaledPCA().fit(TEXT).U
    covariance = np.cov(TEXT.T)
    np.testing.assert_allclose(U @ U.T, covariance / np.linalg.eigvalsh(covariance)[-1], atol=1e-9)
    text = np.array([[1.0, 0.5, 0.001], [1.0, -0.5, 0.0]])
    here, there = ScaledPCA().fit(text).transform(np.array([[0.5, 0.5, 3.0], [0.5, 0.4, -3.0]]))
    assert here @ there == pytest.approx(1, abs=1e-3)


def test_aspect_similarities_are_dot_products_of_unit_rows() -> None:
    found = AspectSimilarities().fit(3 * TEXT).transform(IMAGES)
    np.testing.assert_allclose(found, unit(IMAGES @ TEXT.T), atol=1e-12)


def test_a_cosine_of_probabilities_is_the_coefficient_of_bhattacharyya_and_a_large_scale_zero_shot() -> None:
    found = AspectProbabilities(scale=7).fit(TEXT).transform(2 * IMAGES)
    probabilities = softmax(7 * IMAGES @ TEXT.T, axis=1)
    np.testing.assert_allclose(found, np.sqrt(probabilities), atol=1e-12)
    found = AspectProbabilities(scale=1e5).fit(TEXT).transform(IMAGES)  # and does not overflow
    np.testing.assert_allclose(found, np.eye(len(TEXT))[(IMAGES @ TEXT.T).argmax(axis=1)], atol=1e-6)


class TestAlignedTangents:
    def test_the_exponential_map_undoes_the_logarithmic(self) -> None:
        mean = unit(IMAGES.mean(axis=0, keepdims=True))[0]
        found = tangents(IMAGES, mean)
        angles = np.linalg.norm(found, axis=1, keepdims=True)
        np.testing.assert_allclose(angles[:, 0], np.arccos(IMAGES @ mean), atol=1e-9)
        np.testing.assert_allclose(found @ mean, 0, atol=1e-12)
        np.testing.assert_allclose(np.cos(angles) * mean + np.sin(angles) * found / angles, IMAGES, atol=1e-12)

    def test_images_that_lie_about_their_mean_as_the_prompts_do_get_the_prompts_places_and_one_at_the_mean_none(self) -> None:
        """Another cone: all reflected at the hyperplane between the prompts' mean and any other direction."""
        mean = unit(TEXT.mean(axis=0, keepdims=True))[0]
        across = mean - unit(RNG.normal(size=(1, R)))[0]
        moved = TEXT - 2 * np.outer(TEXT @ across, across) / (across @ across)
        fits = [AlignedTangents(dim=4).fit(TEXT, images) for images in (TEXT, moved)]
        np.testing.assert_allclose(fits[0].transform(TEXT), fits[1].transform(moved), atol=1e-9)
        np.testing.assert_allclose(fits[1].transform(fits[1].mean_[None]), 0, atol=1e-6)


class TestContrastivePCA:
    def test_the_directions_are_eigenvectors_of_the_difference_of_covariances(self) -> None:
        fitted = ContrastivePCA(dim=3, weight=0.2).fit(TEXT, IMAGES, OTHERS)
        difference = 0.8 * np.cov(TEXT.T) - 0.2 * np.mean([np.cov(other.T) for other in OTHERS], axis=0)
        np.testing.assert_allclose(difference @ fitted.U, fitted.U * fitted.eigenvalues_, atol=1e-9)
        np.testing.assert_allclose(fitted.eigenvalues_, np.linalg.eigvalsh(difference)[::-1][:3], atol=1e-9)
        np.testing.assert_allclose(fitted.transform(IMAGES), (IMAGES - IMAGES.mean(axis=0)) @ fitted.U, atol=1e-12)

    def test_what_varies_in_the_others_alone_is_left_out(self) -> None:
        text = np.array([[1.0, 0.5, 0.4, 0], [1.0, -0.5, 0.4, 0], [1.0, 0.5, -0.4, 0], [1.0, -0.5, -0.4, 0]])
        other = np.array([[1.0, 0, 2, 0], [1.0, 0, -2, 0]])
        U = ContrastivePCA(dim=2, weight=0.5).fit(text, text, [other]).U
        assert U.shape == (4, 1)
        np.testing.assert_allclose(abs(U[:, 0]), [0, 1, 0, 0], atol=1e-6)

    def test_directions_along_which_prompts_vary_little_are_kept(self) -> None:
        rng = np.random.default_rng(5)
        text = unit(np.eye(R)[:1] + rng.normal(size=(8, R)) * np.array([0, 1, 1e-4, *[0.0] * (R - 3)])).astype(np.float32)
        U = ContrastivePCA(dim=4).fit(text, IMAGES, [unit(np.eye(R)[0] + [[0.0] * (R - 1) + [1], [0.0] * (R - 1) + [-1]])]).U
        # rows of unit length bend, so that a third direction carries the tops of the bow
        assert np.linalg.norm(U[2]) == pytest.approx(1, abs=1e-6)
        assert U.shape[1] == np.linalg.matrix_rank(np.float64(text) - text.mean(axis=0), tol=1e-6)


class TestNullSpace:
    def test_what_is_left_is_at_right_angles_to_the_others(self) -> None:
        other = np.array([[1.0, 1, 0, 0, 0], [1.0, -1, 0, 0, 0]])
        text = np.array([[1.0, 1, 0.5, 0, 0], [1.0, -1, -0.5, 0, 0], [1.0, 1, -0.5, 0, 0.1]])
        U = NullSpace(dim=3).fit(text, [other]).U
        outside = null_space(np.diff(unit(other), axis=0))
        np.testing.assert_allclose(outside @ (outside.T @ U), U, atol=1e-9)
        left = unit(text) @ outside @ outside.T
        np.testing.assert_allclose(left @ U @ U.T, left, atol=1e-6)

    def test_prompts_that_leave_the_others_by_little_have_a_direction_left(self) -> None:
        text = np.array([[0, 1, 1e-4], [0, -1, 1e-4]])
        U = NullSpace(dim=2).fit(text, [np.array([[0.0, 1, 0], [0, -1, 0]])]).U
        np.testing.assert_allclose(abs(U), [[0], [0], [1]], atol=1e-6)

    def test_prompts_that_are_all_equal_take_nothing_away(self) -> None:
        assert varying_directions([np.ones((3, R))], R).shape == (R, 0)
        assert varying_directions([TEXT[:1]], R).shape == (R, 0)
        U = NullSpace(dim=4).fit(TEXT, [np.tile(OTHERS[0][:1], (4, 1))]).U
        np.testing.assert_allclose(abs(np.sum(U * np.linalg.svd(TEXT)[2][:4].T, axis=0)), 1, atol=1e-6)


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        *[(lambda scale=scale: AspectProbabilities(scale).fit(TEXT), f"{scale}.*above 0") for scale in (0, -1, float("nan"))],
        *[(lambda weight=weight: ContrastivePCA(2, weight=weight).fit(TEXT, IMAGES, OTHERS), f"weight is {weight}") for weight in (1.0, -0.1)],
        (lambda: ContrastivePCA(2, weight=0.9).fit(np.eye(4)[:1] + 0.01 * np.eye(4), np.eye(4), [np.vstack([np.eye(4), -np.eye(4)])]), "vary more"),
        (
            lambda: NullSpace(1).fit([[0.0, 1, 0], [0, -1, 0]], [[[0.0, 1, 0], [0, -1, 0]]]),
            "The prompts vary in no direction that other notions do not have",
        ),
        (lambda: NullSpace(2).fit(TEXT, []), "no other notion"),
        (lambda: ContrastivePCA(2).fit(TEXT, IMAGES, []), "no other notion"),
    ],
)
def test_bad_input_is_refused(fit: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit()


@pytest.mark.parametrize(("prompts", "dim"), [(30, 1), (30, 5), (30, 24), (10, 9)])
def test_equals_scikit_learn_on_unit_rows_signs_included(text: np.ndarray, images: np.ndarray, prompts: int, dim: int) -> None:
    rows = text[:prompts] * np.linspace(0.5, 3, prompts)[:, None]
    ours, theirs = PCA(dim).fit(rows), Sklearn(dim, svd_solver="full").fit(unit(rows))
    np.testing.assert_allclose(ours.U, theirs.components_.T, atol=1e-8)
    assert ours.mean_ == pytest.approx(theirs.mean_, abs=1e-12)
    assert ours.explained_variance_ratio_ == pytest.approx(theirs.explained_variance_ratio_, abs=1e-12)
    assert ours.transform(images) == pytest.approx(theirs.transform(unit(images)), abs=1e-8)


@pytest.mark.parametrize(("prompts", "dim"), [(6, 6), (6, 24), (2, 2)])
def test_needs_more_prompts_than_dimensions(text: np.ndarray, prompts: int, dim: int) -> None:
    message = f"to {dim} dimensions needs more than {dim} prompts, but there are {prompts}; choose at most {prompts - 1} .* or use InDiReCT"
    with pytest.raises(InputError, match=message):
        PCA(dim).fit(text[:prompts])


def test_repeated_prompts_and_rounding_add_no_direction_and_faint_ones_count(text: np.ndarray) -> None:
    repeated = text[[0, 1, 2, 0, 1, 2]]
    assert PCA(2).fit(repeated).U.shape == (24, 2)
    rng = np.random.default_rng(0)
    faint = (1 + rng.standard_normal((60, 40)) * 0.5 ** np.arange(0, 20, 0.5)).astype(np.float32)
    assert PCA(39).fit(faint).explained_variance_ratio_[-1] < 1e-8
    rounded = np.vstack([faint[:5] * np.float32(length) for length in (1, 1.7, 0.3)])
    for dim, rows, message in (
        (3, repeated, "the 6 prompts vary in 2; choose at most 2 dimensions, add different prompts"),
        (5, rounded, "the 15 prompts vary in 4"),
    ):
        with pytest.raises(InputError, match=message):
            PCA(dim).fit(rows)
