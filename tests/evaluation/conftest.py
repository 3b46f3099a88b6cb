"""Fixtures for metrics."""

from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture
def made_up() -> Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Makes embeddings (n, d) of any length, labels (n,) of five classes and language (5, 5), float64, from a seed."""

    def make(seed: int = 0, images: int = 60, dim: int = 6, noise: float = 0.8) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        labels = rng.permutation(np.arange(images) % 5)
        embeddings = (rng.standard_normal((5, dim))[labels] + noise * rng.standard_normal((images, dim))) * rng.uniform(0.1, 9, (images, 1))
        names = rng.standard_normal((5, 4))
        names /= np.linalg.norm(names, axis=1, keepdims=True)
        return embeddings, labels, names @ names.T

    return make
