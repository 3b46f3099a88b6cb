"""The Frechet distance against the reference, a matrix root and closed forms; in parts, and of tensors on a device, run here by the processor."""

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import torch

from likeness.shifts import frechet_distance
from likeness.shifts.frechet import Variant, distance_on_device


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


@pytest.mark.parametrize("shape", [(20, 50), (200, 50)])
def test_a_set_has_no_distance_from_itself_and_a_shift_is_its_squared_length(shape: tuple[int, int]) -> None:
    a = drawn(*shape)
    scale = float(np.var(a, axis=0).sum())
    assert 0 <= frechet_distance(a, a) <= 1e-12 * scale
    assert frechet_distance(a, a + 3.0) == pytest.approx(9 * shape[1], rel=1e-9)
    assert frechet_distance(a, a[::-1]) <= 1e-12 * scale


@pytest.mark.parametrize("falls", [0.0, 9.0])  # with small eigenvalues, which a covariance loses
def test_parts_give_what_the_whole_gives(falls: float, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (drawn(n, 40, n) @ np.diag(np.logspace(0, -falls, 40)) + 5 for n in (500, 507))
    whole = frechet_distance(a, b)
    monkeypatch.setattr("likeness.shifts.frechet._AT_ONCE", 0)
    monkeypatch.setattr("likeness.arrays.PART_BYTES", 40 * 8 * 70)
    assert frechet_distance(a, b) == pytest.approx(whole, rel=1e-6)


@pytest.mark.parametrize("falls", [0.5, 4.0, 9.0])
def test_squared_eigenvalues_give_what_singular_values_give(falls: float, monkeypatch: pytest.MonkeyPatch) -> None:
    scales = np.logspace(0, -falls, 30)
    a, b = (np.random.default_rng(seed).normal(size=(200, 30)) * scales for seed in (0, 1))
    fast = frechet_distance(a, b)
    monkeypatch.setattr("likeness.shifts.frechet._WORST_CONDITION", 2.0)
    assert fast == pytest.approx(frechet_distance(a, b), rel=1e-6)


def test_torch_single_precision_and_constant_sets() -> None:
    a, b = drawn(30, 6), drawn(40, 6, 1)
    assert frechet_distance(torch.tensor(a), torch.tensor(b)) == pytest.approx(frechet_distance(a, b), rel=1e-12)
    assert frechet_distance(a.astype(np.float32), b.astype(np.float32)) == pytest.approx(frechet_distance(a, b), rel=1e-4)
    a, b = np.full((5, 4), 2.0), drawn(50, 4)
    expected = float(np.square(2.0 - b.mean(axis=0)).sum() + np.var(b, axis=0, ddof=1).sum())
    assert frechet_distance(a, b) == pytest.approx(expected, rel=1e-12)


def on_device(a: np.ndarray, b: np.ndarray, variant: Variant = "paper") -> float:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("likeness.arrays.HOST", ())
        return frechet_distance(torch.from_numpy(a), torch.from_numpy(b), variant)


@pytest.mark.parametrize("variant", ["paper", "official"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(40, 1), (300, 12), (900, 64), (60, 50), (30, 60), (20, 20)])
def test_on_a_device_it_is_the_hosts(n: int, d: int, dtype: type, variant: Variant) -> None:
    a, b = drawn(n, d).astype(dtype), drawn(n + 9, d, 1).astype(dtype)
    assert on_device(a, b, variant) == pytest.approx(frechet_distance(a, b, variant), rel=1e-8)


def test_small_parts_on_a_device_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = drawn(200, 8), drawn(150, 8, 1)
    whole = on_device(a, b)
    monkeypatch.setattr("likeness.arrays.PART_BYTES", 200)
    assert on_device(a, b) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (drawn(30, 60), drawn(90, 60, 1)),
        (drawn(90, 6) * np.logspace(0, -9, 6), drawn(90, 6, 1)),
        (np.hstack([drawn(90, 6), np.zeros((90, 1))]), drawn(90, 7, 1)),
    ],
    ids=["few rows", "small eigenvalues", "a constant column"],
)
def test_what_the_device_leaves_to_the_host(a: np.ndarray, b: np.ndarray) -> None:
    assert distance_on_device(torch.from_numpy(a), torch.from_numpy(b), 0.0) is None
    assert on_device(a, b) == frechet_distance(a, b)
