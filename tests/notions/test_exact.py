import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.linalg import null_space, orth
from scipy.optimize import minimize

from likeness.notions import PCA, InDiReCT, exact
from likeness.notions.exact import _descend, best_subspace, leading_directions
from likeness.notions.fading import fade_unresolved, inside_gain, outside_columns, resolution
from likeness.notions.indirect import angles
from made_rows import unit

EPS = np.finfo(np.float32).eps
SEEDS = st.integers(0, 2**32 - 1)


def mean_angle(rows: np.ndarray, subspace: np.ndarray) -> float:
    return float(np.arccos(np.minimum(np.linalg.norm(rows @ subspace, axis=1), 1)).mean())


def solve(rows: np.ndarray, dim: int) -> np.ndarray:
    return best_subspace(rows, leading_directions(rows, dim))[0]


def test_no_general_optimiser_gets_lower_from_there(text: np.ndarray) -> None:
    found = solve(text, 3)

    def objective(flat: np.ndarray) -> float:
        return mean_angle(text, np.linalg.qr(flat.reshape(24, 3))[0])

    polished = minimize(objective, found.ravel(), method="L-BFGS-B", options={"maxiter": 30})
    assert polished.fun >= mean_angle(text, found) - 1e-5


def test_every_step_lowers_the_loss_also_beyond_45_degrees() -> None:
    rng = np.random.default_rng(2)
    rows = unit(rng.standard_normal((60, 20)))
    start = np.linalg.qr(rng.standard_normal((20, 2)))[0]
    assert np.degrees(mean_angle(rows, start)) > 60
    ends = [start, *(_descend_at_most(rows, start, most) for most in (1, 2, 5, 20, 100))]
    assert all(end.T @ end == pytest.approx(np.eye(2), abs=1e-12) for end in ends)
    losses = [mean_angle(rows, end) for end in ends]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[1]


def _descend_at_most(rows: np.ndarray, start: np.ndarray, most: int) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_LEAST_STEPS", 1)
        patch.setattr(exact, "_MOST_STEPS", most)
        return _descend(rows, start)[0]


def test_few_and_many_rows_take_different_routes_to_the_same_subspace() -> None:
    rng = np.random.default_rng(3)
    rows = unit(rng.standard_normal(40) + rng.standard_normal((20, 40)))
    few, many = solve(rows, 4), solve(np.tile(rows, (3, 1)), 4)
    assert few @ few.T == pytest.approx(many @ many.T, abs=1e-3)
    assert mean_angle(rows, few) == pytest.approx(mean_angle(rows, many), abs=1e-8)


def test_rank_is_that_of_different_prompts_up_to_float32_noise() -> None:
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((5, 50))
    repeated = unit(np.vstack([rows, rows[:2] * (1 + 1e-7), rows[0] + rows[1]]).astype(np.float32).astype(np.float64))
    for each in (repeated, np.tile(repeated, (10, 1))):
        basis = leading_directions(each, 30)
        assert basis.shape == (50, 5)
        assert basis.T @ basis == pytest.approx(np.eye(5), abs=1e-12)
        assert (rows @ basis) @ basis.T == pytest.approx(rows, abs=1e-5)


@pytest.mark.parametrize("shape", [(150, 60), (60, 150)])
@pytest.mark.parametrize("count", [3, 12, 40])
def test_leading_directions_are_the_singular_vectors(shape: tuple[int, int], count: int) -> None:
    rows = np.random.default_rng(5).standard_normal(shape) * 0.9 ** np.arange(shape[1])
    found = leading_directions(rows, count)
    expected = np.linalg.svd(rows)[2][:count]
    assert np.abs(np.sum(found.T * expected, axis=1)) == pytest.approx(np.ones(count), abs=1e-6)
    # equal singular values are all found
    assert leading_directions(np.vstack([np.eye(40)] * 2), 3).shape == (40, 3)
    assert leading_directions(np.eye(60)[:40], 40).shape == (60, 40)
    # the squares of small ones, 1e-12 of the largest, drown in a product of the rows with themselves
    rng, few = np.random.default_rng(6), min(count, 12)
    left, right = np.linalg.qr(rng.standard_normal((90, 12)))[0], np.linalg.qr(rng.standard_normal((80, 12)))[0]
    found = leading_directions(left * np.geomspace(3, 3e-6, 12) @ right.T, few)
    assert np.abs(np.sum(found * right[:, :few], axis=0)) == pytest.approx(np.ones(few), abs=1e-9)


def _tilted(seed: int) -> tuple[np.ndarray, int]:
    """float32 prompts around a shared direction, from hardly to wholly different, of falling spectrum, and a number of dimensions."""
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(2, 16)), int(rng.integers(3, 24))
    tilt = 10 ** rng.uniform(-4.5, 0.5)
    shared = rng.standard_normal(r)
    rows = shared / np.linalg.norm(shared) + tilt * rng.standard_normal((n, r)) * 0.8 ** np.arange(r) / np.sqrt(r)
    return rows.astype(np.float32), int(rng.integers(1, r + 1))


@given(SEEDS)
def test_the_loss_is_never_above_that_of_the_singular_vectors(seed: int) -> None:
    text, dim = _tilted(seed)
    rows = unit(text.astype(np.float64))
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    fit = InDiReCT(dim).fit(text)
    kept = np.count_nonzero(values > EPS * values[0])
    assert np.count_nonzero(np.linalg.norm(fit.U, axis=0)) == min(kept, dim)
    # what float32 rounds away is left out
    dropped = np.linalg.norm(values[:dim][kept:]) / np.sqrt(len(rows))
    assert fit.loss_ <= angles(rows, axes[:dim].T).mean() + dropped + 1e-12


def test_prompts_tilted_by_little_keep_their_directions() -> None:
    rng = np.random.default_rng(0)
    text = (unit(rng.standard_normal((1, 512))) + 1e-4 * unit(rng.standard_normal((3, 512)))).astype(np.float32)
    rows = unit(text.astype(np.float64))
    assert leading_directions(rows, 128).shape == (512, 3)
    assert InDiReCT(128).fit(text).loss_ < 1e-7
    assert InDiReCT(2).fit(text).loss_ < 0.9 * angles(rows, leading_directions(rows, 2)).mean()


def test_steps_that_end_by_their_bound_are_told() -> None:
    rng = np.random.default_rng(7)
    rows = unit(rng.standard_normal(40) + rng.standard_normal((60, 40)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_MOST_STEPS", 5)
        short, before = InDiReCT(8).fit(rows), _descend_at_most(rows, leading_directions(rows, 8), 4)
    assert short.n_iter_ == 5
    assert short.last_gain_ == pytest.approx(mean_angle(rows, before) - short.loss_, rel=1e-6)
    assert short.last_gain_ > 0
    assert f"after 5 steps, the last of which lowered it by {np.degrees(short.last_gain_):.1g}" in short.describe_loss()
    long = InDiReCT(8).fit(rows)
    assert 5 < long.n_iter_ < 500
    assert long.last_gain_ == 0
    assert long.describe_loss() == f"mean angle {np.degrees(long.loss_):.3g} degrees"


def prompts(n: int, r: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(r) + 0.3 * rng.standard_normal((n, r))


def gains(U: np.ndarray, text: np.ndarray) -> tuple[float, float]:
    """Root mean square length that U gives to unit vectors inside and outside the span of the prompts."""
    outside = null_space(text)
    return float(np.linalg.norm(orth(text.T).T @ U) / len(text) ** 0.5), float(np.linalg.norm(outside.T @ U) / outside.shape[1] ** 0.5)


@pytest.mark.parametrize(("n", "r", "dim"), [(3, 128, 32), (10, 128, 32), (10, 256, 64)])
def test_the_papers_procedure_leaves_what_is_built_here(n: int, r: int, dim: int) -> None:
    text = prompts(n, r)
    adam = gains(np.asarray(InDiReCT(dim, solver="adam").fit(text).U, np.float64), text)
    faded = gains(InDiReCT(dim, "faded").fit(text).U, text)
    assert adam[0] == pytest.approx(inside_gain(r, dim, n), rel=0.25)
    assert faded[1] / faded[0] == pytest.approx(adam[1] / adam[0], rel=0.25)
    columns = outside_columns(orth(text.T), dim, seed=0)
    assert columns.shape == (r, dim - n)
    assert text @ columns == pytest.approx(np.zeros((n, dim - n)), abs=1e-12)
    assert columns.std() == pytest.approx(0.1 / inside_gain(r, dim, n), rel=0.1)


def steep(n: int, r: int, smallest: float) -> np.ndarray:
    """Prompts whose root mean squares along n - 1 directions fall from 0.35 to `smallest`, beside a shared mean."""
    rng = np.random.default_rng(0)
    directions, mixing = np.linalg.qr(rng.standard_normal((r, n)))[0], np.linalg.qr(rng.standard_normal((n, n)))[0]
    return unit(directions[:, 0] + n**0.5 * (mixing[:, 1:] * np.geomspace(0.35, smallest, n - 1)) @ directions[:, 1:].T)


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


def test_fading_is_the_square_and_leaves_what_is_resolved_also_of_principal_components() -> None:
    rows = np.vstack([np.diag([1, 0.002, 0.001])] * 2)
    spread = np.array([1, 0.002, 0.001]) / 3**0.5
    faded = fade_unresolved(np.eye(3), rows)
    assert np.sort(np.linalg.norm(faded, axis=1))[::-1] == pytest.approx(np.minimum(1, (spread / resolution(6)) ** 2))
    resolved = np.eye(3)[:, :1]
    assert fade_unresolved(resolved, rows) is resolved
    text = steep(12, 128, 1e-4)
    plain, shrunk = PCA(11).fit(text), PCA(11, fade=True).fit(text)
    spread = np.linalg.norm((text - text.mean(axis=0)) @ plain.U, axis=0) / len(text) ** 0.5
    expected = np.minimum(1, (spread / resolution(12)) ** 2)
    assert (expected < 0.1).sum() > 2
    # the lengths that the map gives to the plain axes
    assert np.linalg.norm(plain.U.T @ shrunk.U, axis=1) == pytest.approx(expected, abs=1e-6)
