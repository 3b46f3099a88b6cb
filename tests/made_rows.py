"""Rows that tests of vectors begin with."""

from typing import Any

import numpy as np


def unit(rows: Any) -> Any:
    """The rows (n, d) scaled to unit length."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cosines(rows: Any) -> Any:
    """Of all pairs of the rows (n, d), (n, n)."""
    return unit(rows) @ unit(rows).T


def clusters(n: int, d: int, classes: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, d), float32, around a center for each class, and their labels (n,)."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    return (rng.standard_normal((classes, d))[labels] + noise * rng.standard_normal((n, d))).astype(np.float32), labels
