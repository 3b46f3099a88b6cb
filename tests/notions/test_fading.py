import numpy as np
import pytest

from likeness.notions import PCA, InDiReCT
from likeness.notions.fading import fade_unresolved, inside_gain, outside_columns, resolution


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
    faded = gains(InDiReCT(dim, "faded").fit(text).U, text)
    assert adam[0] == pytest.approx(inside_gain(r, dim, n), rel=0.25)
    assert faded[1] / faded[0] == pytest.approx(adam[1] / adam[0], rel=0.25)


def test_images_get_the_same_neighbors_as_with_the_papers_procedure() -> None:
    rng = np.random.default_rng(1)
    text = prompts(8, 128)
    images = np.repeat(text, 5, axis=0) + rng.standard_normal((40, 128))

    def similarities(solver: str, seed: int) -> np.ndarray:
        space = InDiReCT(64, solver=solver, seed=seed).fit(text).transform(images)
        return (space @ space.T)[np.triu_indices(40, 1)]

    adam, other, faded = similarities("adam", 0), similarities("adam", 1), similarities("faded", 0)
    raw = images / np.linalg.norm(images, axis=1, keepdims=True)
    between_seeds = np.corrcoef(adam, other)[0, 1]
    assert np.corrcoef(adam, faded)[0, 1] > between_seeds - 0.02 > np.corrcoef(adam, (raw @ raw.T)[np.triu_indices(40, 1)])[0, 1]


def test_columns_outside_are_at_right_angles_to_the_prompts() -> None:
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 4)))[0]
    columns = outside_columns(basis, 20, seed=0)
    assert columns.shape == (50, 16)
    assert basis.T @ columns == pytest.approx(np.zeros((4, 16)), abs=1e-14)
    assert columns.std() == pytest.approx(0.1 / inside_gain(50, 20, 4), rel=0.1)


def steep(n: int, r: int, smallest: float) -> np.ndarray:
    """Prompts whose root mean squares along n - 1 directions fall from 0.35 to `smallest`, beside a shared mean."""
    rng = np.random.default_rng(0)
    directions, mixing = np.linalg.qr(rng.standard_normal((r, n)))[0], np.linalg.qr(rng.standard_normal((n, n)))[0]
    rows = directions[:, 0] + n**0.5 * (mixing[:, 1:] * np.geomspace(0.35, smallest, n - 1)) @ directions[:, 1:].T
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_directions_that_adam_does_not_resolve_are_faded() -> None:
    text = steep(12, 128, 1e-4)
    values, axes = np.linalg.svd(text, full_matrices=False)[1:]
    spread = values / len(text) ** 0.5

    def lengths(U: np.ndarray) -> np.ndarray:
        found = np.linalg.norm(axes @ U, axis=1)
        return found / found.max()

    adam, faded, exact = (lengths(np.asarray(InDiReCT(24, solver).fit(text).U, np.float64)) for solver in ("adam", "faded", "exact"))
    assert exact == pytest.approx(np.ones(12))
    assert faded[spread > 0.005] == pytest.approx(np.ones((spread > 0.005).sum()))
    for lengths_ in (adam, faded):
        assert (lengths_[spread > 0.005] > 0.8).all()
        assert (lengths_[spread < 0.001] < 0.25).all()
        assert (spread < 0.001).sum() > 2


def test_fading_is_the_square_and_leaves_what_is_resolved() -> None:
    rows = np.vstack([np.diag([1, 0.002, 0.001])] * 2)
    spread = np.array([1, 0.002, 0.001]) / 3**0.5
    faded = fade_unresolved(np.eye(3), rows)
    assert np.sort(np.linalg.norm(faded, axis=1))[::-1] == pytest.approx(np.minimum(1, (spread / resolution(6)) ** 2))
    resolved = np.eye(3)[:, :1]
    assert fade_unresolved(resolved, rows) is resolved


def test_principal_components_fade_by_the_same_rule() -> None:
    text = steep(12, 128, 1e-4)
    plain, faded = PCA(11).fit(text), PCA(11, fade=True).fit(text)
    centred = text - text.mean(axis=0)
    spread = np.linalg.norm(centred @ plain.U, axis=0) / len(text) ** 0.5
    expected = np.minimum(1, (spread / resolution(12)) ** 2)
    assert (expected < 0.1).sum() > 2
    # the lengths that the map gives to the plain axes
    assert np.linalg.norm(plain.U.T @ faded.U, axis=1) == pytest.approx(expected, abs=1e-6)
