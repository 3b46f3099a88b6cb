import numpy as np
import pytest

from likeness.notions import InDiReCT
from likeness.notions.outside import inside_gain, with_outside, without_outside


def prompts(n: int, r: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(r) + 0.3 * rng.standard_normal((n, r))


def gains(U: np.ndarray, text: np.ndarray) -> tuple[float, float]:
    """Root mean square length that U gives to unit vectors inside and outside the span of the prompts."""
    basis = np.linalg.svd(text, full_matrices=False)[2].T
    inside = basis.T @ U
    outside = U - basis @ inside
    return float(np.linalg.norm(inside) / len(text) ** 0.5), float(np.linalg.norm(outside) / (len(U) - len(text)) ** 0.5)


@pytest.mark.parametrize(("n", "r", "dim"), [(3, 128, 32), (10, 128, 32), (10, 256, 64)])
def test_the_papers_procedure_leaves_what_is_built_here(n: int, r: int, dim: int) -> None:
    text = prompts(n, r)
    adam = gains(np.asarray(InDiReCT(dim, solver="adam").fit(text).U, np.float64), text)
    exact = gains(InDiReCT(dim).fit(text).U, text)
    assert adam[0] == pytest.approx(inside_gain(r, dim, n), rel=0.25)
    assert exact[1] / exact[0] == pytest.approx(adam[1] / adam[0], rel=0.25)


def test_images_get_the_same_neighbours_as_with_the_papers_procedure() -> None:
    rng = np.random.default_rng(1)
    text = prompts(8, 128)
    images = np.repeat(text, 5, axis=0) + rng.standard_normal((40, 128))

    def similarities(solver: str, seed: int) -> np.ndarray:
        space = InDiReCT(64, solver=solver, seed=seed).fit(text).transform(images)
        return (space @ space.T)[np.triu_indices(40, 1)]

    adam, other, exact = similarities("adam", 0), similarities("adam", 1), similarities("exact", 0)
    raw = images / np.linalg.norm(images, axis=1, keepdims=True)
    between_seeds = np.corrcoef(adam, other)[0, 1]
    assert np.corrcoef(adam, exact)[0, 1] > between_seeds - 0.02 > np.corrcoef(adam, (raw @ raw.T)[np.triu_indices(40, 1)])[0, 1]


def test_columns_outside_are_at_right_angles_to_the_prompts() -> None:
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 4)))[0]
    U = with_outside(basis, 20, seed=0)
    assert U.shape == (50, 20)
    assert U[:, :4] == pytest.approx(basis)
    assert basis.T @ U[:, 4:] == pytest.approx(np.zeros((4, 16)), abs=1e-14)
    assert U[:, 4:].std() == pytest.approx(0.1 / inside_gain(50, 20, 4), rel=0.1)


def test_without_outside_the_other_columns_are_zero() -> None:
    basis = np.eye(6)[:, :2]
    assert without_outside(basis, 5) == pytest.approx(np.eye(6, 2) @ np.eye(2, 5))
