"""The Frechet distance of tensors on a device, run here by the processor, against the host's, a matrix root and closed forms."""

import numpy as np
import pytest
import torch

from likeness import arrays
from likeness.shifts import frechet, frechet_distance
from likeness.shifts.frechet import distance_on_device


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
