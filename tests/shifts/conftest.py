"""Reference splits: computed with the authors' code, beside the project."""

from pathlib import Path

import numpy as np
import pytest

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="session")
def splits(shared: Path) -> Arrays:
    with np.load(shared / "reference" / "splits.npz") as file:
        return dict(file)


@pytest.fixture
def means() -> np.ndarray:
    """Class means of two groups in the plane."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (10, 2)), rng.normal(4, 1, (10, 2))])
