import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from likeness.encoders import embed_texts
from likeness.notions import InDiReCT, exact, get_notion
from likeness.notions.exact import _descend, best_subspace, leading_directions
from likeness.notions.indirect import angles

EPS = np.finfo(np.float32).eps
SEEDS = st.integers(0, 2**32 - 1)


def unit(rows: np.ndarray) -> np.ndarray:
    rows = np.asarray(rows, np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def mean_angle(rows: np.ndarray, subspace: np.ndarray) -> float:
    return float(np.arccos(np.minimum(np.linalg.norm(rows @ subspace, axis=1), 1)).mean())


def solve(rows: np.ndarray, dim: int) -> np.ndarray:
    return best_subspace(rows, leading_directions(rows, dim))[0]


def test_finds_the_best_direction_of_a_fine_grid_in_the_plane() -> None:
    bearings = np.radians([10, 12, 30, 31, 80])
    rows = np.stack([np.cos(bearings), np.sin(bearings)], axis=1)
    grid = np.radians(np.arange(0, 90, 0.01))
    best = min(mean_angle(rows, np.array([[np.cos(b)], [np.sin(b)]])) for b in grid)
    # the sum of angles is smallest at the median direction
    assert best == pytest.approx(np.abs(bearings - np.radians(30)).mean(), abs=1e-9)
    assert mean_angle(rows, solve(rows, 1)) == pytest.approx(best, abs=1e-4)


def test_no_general_optimiser_gets_lower_from_there(text: np.ndarray) -> None:
    found = solve(text, 3)

    def objective(flat: np.ndarray) -> float:
        return mean_angle(text, np.linalg.qr(flat.reshape(24, 3))[0])

    polished = minimize(objective, found.ravel(), method="L-BFGS-B", options={"maxiter": 30})
    assert polished.fun >= mean_angle(text, found) - 1e-5


def test_gradient_vanishes_at_the_solution(text: np.ndarray) -> None:
    found = solve(text, 3)
    rng = np.random.default_rng(0)
    for _ in range(5):
        direction = rng.standard_normal(found.shape)
        direction -= found @ (found.T @ direction)
        step = 1e-4 * direction / np.linalg.norm(direction)
        ahead, behind = (mean_angle(text, np.linalg.qr(found + sign * step)[0]) for sign in (1, -1))
        assert abs(ahead - behind) / 2e-4 < 2e-3


def test_every_step_lowers_the_loss_also_beyond_45_degrees() -> None:
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((60, 20))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    start = np.linalg.qr(rng.standard_normal((20, 2)))[0]
    assert np.degrees(mean_angle(rows, start)) > 60
    losses = []
    for most in (1, 2, 5, 20, 100):
        end = _descend_at_most(rows, start, most)
        assert end.T @ end == pytest.approx(np.eye(2), abs=1e-12)
        losses.append(mean_angle(rows, end))
    assert all(later <= earlier for earlier, later in itertools.pairwise([mean_angle(rows, start), *losses]))
    assert losses[-1] < losses[0]


def _descend_at_most(rows: np.ndarray, start: np.ndarray, most: int) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_LEAST_STEPS", 1)
        patch.setattr(exact, "_MOST_STEPS", most)
        return _descend(rows, start)[0]


def test_few_and_many_rows_take_different_routes_to_the_same_subspace() -> None:
    rng = np.random.default_rng(3)
    rows = rng.standard_normal(40) + rng.standard_normal((20, 40))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    few, many = solve(rows, 4), solve(np.tile(rows, (3, 1)), 4)
    assert few @ few.T == pytest.approx(many @ many.T, abs=1e-3)
    assert mean_angle(rows, few) == pytest.approx(mean_angle(rows, many), abs=1e-8)


def test_rank_is_that_of_different_prompts_up_to_float32_noise() -> None:
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((5, 50))
    repeated = np.vstack([rows, rows[:2] * (1 + 1e-7), rows[0] + rows[1]]).astype(np.float32).astype(np.float64)
    repeated /= np.linalg.norm(repeated, axis=1, keepdims=True)
    for each in (repeated, np.tile(repeated, (10, 1))):
        basis = leading_directions(each, 30)
        assert basis.shape == (50, 5)
        assert basis.T @ basis == pytest.approx(np.eye(5), abs=1e-12)
        assert (rows @ basis) @ basis.T == pytest.approx(rows, abs=1e-5)


@pytest.mark.parametrize("shape", [(150, 60), (60, 150)])
@pytest.mark.parametrize("count", [3, 40])
def test_leading_directions_are_the_singular_vectors(shape: tuple[int, int], count: int) -> None:
    rows = np.random.default_rng(5).standard_normal(shape) * 0.9 ** np.arange(shape[1])
    found = leading_directions(rows, count)
    expected = np.linalg.svd(rows)[2][:count]
    assert np.abs(np.sum(found.T * expected, axis=1)) == pytest.approx(np.ones(count), abs=1e-6)


def test_equal_singular_values_are_all_found() -> None:
    assert leading_directions(np.vstack([np.eye(40)] * 2), 3).shape == (40, 3)
    assert leading_directions(np.eye(60)[:40], 40).shape == (60, 40)


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
    rows = unit(text)
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    fit = InDiReCT(dim).fit(text)
    kept = np.count_nonzero(values > EPS * values[0])
    assert np.count_nonzero(np.linalg.norm(fit.U, axis=0)) == min(kept, dim)
    # what float32 rounds away is left out
    dropped = np.linalg.norm(values[:dim][kept:]) / np.sqrt(len(rows))
    assert fit.loss_ <= angles(rows, axes[:dim].T).mean() + dropped + 1e-12


@given(SEEDS)
def test_rotation_order_and_repetition_change_no_loss(seed: int) -> None:
    text, dim = _tilted(seed)
    rows, rng = unit(text), np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.standard_normal((rows.shape[1], rows.shape[1])))[0]
    expected = InDiReCT(dim).fit(rows).loss_
    for same in (rows @ rotation, rows[rng.permutation(len(rows))], np.tile(rows, (3, 1))):
        assert InDiReCT(dim).fit(same).loss_ == pytest.approx(expected, rel=1e-6, abs=1e-10)


@settings(max_examples=6, derandomize=True)
@given(SEEDS)
def test_the_loss_is_not_above_that_of_the_papers_procedure(seed: int) -> None:
    """Up to local minima, of which Adam's random start finds a better one in about one of a hundred draws."""
    text, dim = _tilted(seed)
    adam = InDiReCT(dim, "adam").fit(text).loss_
    assert InDiReCT(dim).fit(text).loss_ <= 1.1 * adam + 1e-7


def test_prompts_tilted_by_little_keep_their_directions() -> None:
    rng = np.random.default_rng(0)
    text = (unit(rng.standard_normal((1, 512))) + 1e-4 * unit(rng.standard_normal((3, 512)))).astype(np.float32)
    assert leading_directions(unit(text), 128).shape == (512, 3)
    assert InDiReCT(128).fit(text).loss_ < 1e-7
    two = InDiReCT(2).fit(text)
    assert two.loss_ < 0.9 * angles(unit(text), leading_directions(unit(text), 2)).mean()


def test_the_car_names_keep_all_dimensions_of_their_text_tower() -> None:
    text = embed_texts("cars", get_notion("car-model-names").prompts).vectors
    fit = InDiReCT(128).fit(text)
    assert np.count_nonzero(np.linalg.norm(fit.U, axis=0)) == 128
    assert fit.loss_ < 2e-7


@pytest.mark.parametrize("count", [3, 12])
def test_small_singular_values_have_their_vectors(count: int) -> None:
    """Their squares, 1e-12 of the largest, drown in a product of the rows with themselves."""
    rng = np.random.default_rng(6)
    left, right = np.linalg.qr(rng.standard_normal((90, 12)))[0], np.linalg.qr(rng.standard_normal((80, 12)))[0]
    rows = left * np.geomspace(3, 3e-6, 12) @ right.T
    found = leading_directions(rows, count)
    assert np.abs(np.sum(found * right[:, :count], axis=0)) == pytest.approx(np.ones(count), abs=1e-9)


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
