"""The Frechet distance against the reference, a matrix root and closed forms; statistics from parts; faults."""

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import torch

from likeness.shifts import FeatureStatistics, frechet_distance


@pytest.fixture(scope="module")
def arrays(shared: Path) -> dict[str, np.ndarray]:
    with np.load(shared / "reference" / "fid.npz") as file:
        return dict(file)


def drawn(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d))


def by_root(a: np.ndarray, b: np.ndarray) -> float:
    root = scipy.linalg.sqrtm(np.cov(a, rowvar=False) @ np.cov(b, rowvar=False)).real
    gap = a.mean(axis=0) - b.mean(axis=0)
    return float(gap @ gap + np.trace(np.cov(a, rowvar=False) + np.cov(b, rowvar=False) - 2 * root))


@pytest.mark.parametrize("kind", ["small", "full"])
def test_equals_the_reference(arrays: dict[str, np.ndarray], kind: str) -> None:
    a, b = arrays[f"{kind}_a"], arrays[f"{kind}_b"]
    assert frechet_distance(a, b) == pytest.approx(float(arrays[f"{kind}_fid_exact"]), rel=1e-9)
    assert frechet_distance(b, a) == pytest.approx(float(arrays[f"{kind}_fid_exact"]), rel=1e-9)
    assert frechet_distance(a, b, "official") == pytest.approx(float(arrays[f"{kind}_fid_exact_plus_eps"]), rel=1e-9)
    assert frechet_distance(a, b, "official") == pytest.approx(float(arrays[f"{kind}_fid_official"]), abs=1e-6)


def test_equals_the_root_of_the_product_of_covariances() -> None:
    a, b = drawn(300, 12), drawn(250, 12, 1)
    assert frechet_distance(a, b) == pytest.approx(by_root(a, b), rel=1e-9)


def test_of_one_dimension_it_is_the_closed_form() -> None:
    a, b = drawn(40, 1), drawn(30, 1, 1)
    expected = (a.mean() - b.mean()) ** 2 + (a.std(ddof=1) - b.std(ddof=1)) ** 2
    assert frechet_distance(a, b) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", [(20, 50), (200, 50)])
def test_a_set_has_no_distance_from_itself_and_a_shift_is_its_squared_length(shape: tuple[int, int]) -> None:
    a = drawn(*shape)
    scale = float(np.var(a, axis=0).sum())
    assert 0 <= frechet_distance(a, a) <= 1e-12 * scale
    assert frechet_distance(a, a + 3.0) == pytest.approx(9 * shape[1], rel=1e-9)
    assert frechet_distance(a, a[::-1]) <= 1e-12 * scale


def test_a_rotation_changes_nothing() -> None:
    a, b = drawn(60, 8), drawn(5, 8, 1)
    turn = np.linalg.qr(drawn(8, 8, 2))[0]
    assert frechet_distance(a @ turn, b @ turn) == pytest.approx(frechet_distance(a, b), rel=1e-10)


@pytest.mark.parametrize("n", [15, 500])
def test_parts_give_what_the_whole_gives(n: int) -> None:
    a, b = drawn(n, 40), drawn(n + 7, 40, 1)
    parts = [FeatureStatistics(40), FeatureStatistics(40)]
    for statistics, rows in zip(parts, (a, b), strict=True):
        for part in np.array_split(rows, 6):
            statistics.add(part.astype(np.float64))
        assert np.allclose(statistics.scatter / (len(rows) - 1), np.cov(rows, rowvar=False), rtol=1e-10, atol=1e-12)
    assert frechet_distance(*parts) == pytest.approx(frechet_distance(a, b), rel=1e-6)
    assert frechet_distance(parts[0], b) == pytest.approx(frechet_distance(a, b), rel=1e-6)


@pytest.mark.parametrize("falls", [0.5, 4.0, 9.0])
def test_squared_eigenvalues_give_what_singular_values_give(falls: float, monkeypatch: pytest.MonkeyPatch) -> None:
    scales = np.logspace(0, -falls, 30)
    a, b = (np.random.default_rng(seed).normal(size=(200, 30)) * scales for seed in (0, 1))
    fast = frechet_distance(a, b)
    monkeypatch.setattr("likeness.shifts.frechet._WORST_CONDITION", 2.0)
    assert fast == pytest.approx(frechet_distance(a, b), rel=1e-6)


def test_takes_torch_and_single_precision() -> None:
    a, b = drawn(30, 6), drawn(40, 6, 1)
    assert frechet_distance(torch.tensor(a), torch.tensor(b)) == pytest.approx(frechet_distance(a, b), rel=1e-12)
    assert frechet_distance(a.astype(np.float32), b.astype(np.float32)) == pytest.approx(frechet_distance(a, b), rel=1e-4)


def test_a_constant_set_is_its_mean_and_the_others_spread() -> None:
    a, b = np.full((5, 4), 2.0), drawn(50, 4)
    expected = float(np.square(2.0 - b.mean(axis=0)).sum() + np.var(b, axis=0, ddof=1).sum())
    assert frechet_distance(a, b) == pytest.approx(expected, rel=1e-12)
