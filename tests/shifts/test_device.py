"""The Frechet distance of tensors on a device, run here by the processor, against the host's, a matrix root and closed forms."""

import numpy as np
import pytest
import scipy.linalg
import torch

from likeness import arrays
from likeness.errors import InputError
from likeness.shifts import frechet, frechet_distance
from likeness.shifts._device import distance_on_device


def drawn(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d))


def on_device(a: np.ndarray, b: np.ndarray, variant: frechet.Variant = "paper") -> float:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "HOST", ())
        return frechet_distance(torch.from_numpy(a), torch.from_numpy(b), variant)


@pytest.mark.parametrize("variant", ["paper", "official"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d"), [(40, 1), (300, 12), (900, 64), (60, 50), (30, 60), (20, 20)])
def test_it_is_the_hosts(n: int, d: int, dtype: type, variant: frechet.Variant) -> None:
    a, b = drawn(n, d).astype(dtype), drawn(n + 9, d, 1).astype(dtype)
    assert on_device(a, b, variant) == pytest.approx(frechet_distance(a, b, variant), rel=1e-8)


def test_the_root_of_the_product_of_covariances() -> None:
    a, b = drawn(300, 12), drawn(250, 12, 1)
    found = distance_on_device(torch.from_numpy(a), torch.from_numpy(b), 0.0, 1e-10)
    root = scipy.linalg.sqrtm(np.cov(a, rowvar=False) @ np.cov(b, rowvar=False)).real
    gap = a.mean(axis=0) - b.mean(axis=0)
    expected = gap @ gap + np.trace(np.cov(a, rowvar=False) + np.cov(b, rowvar=False) - 2 * root)
    assert found == pytest.approx(float(expected), rel=1e-9)


def test_a_shift_is_its_squared_length_and_a_scale_the_squared_gap_of_deviations() -> None:
    a = drawn(200, 5)
    assert on_device(a, a + 3.0) == pytest.approx(45.0, rel=1e-8)
    assert on_device(a - a.mean(axis=0), 2 * (a - a.mean(axis=0))) == pytest.approx(float(np.var(a, axis=0, ddof=1).sum()), rel=1e-8)


def test_small_parts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = drawn(200, 8), drawn(150, 8, 1)
    whole = on_device(a, b)
    monkeypatch.setattr(arrays, "PART_BYTES", 200)
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
    assert distance_on_device(torch.from_numpy(a), torch.from_numpy(b), 0.0, 1e-10) is None
    assert on_device(a, b) == frechet_distance(a, b)


def test_faults_are_those_of_the_host() -> None:
    with pytest.raises(InputError, match="3 and 2 dimensions"):
        on_device(np.zeros((9, 3)), np.zeros((9, 2)))
    with pytest.raises(InputError, match="The second features are nan in row 4, column 1"):
        on_device(drawn(9, 2), np.where(np.arange(18).reshape(9, 2) == 9, np.nan, 1.0))
