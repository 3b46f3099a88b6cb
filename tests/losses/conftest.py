"""Reference arrays: computed with the authors' code, beside the project."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="session")
def reference(shared: Path) -> Callable[[str], Arrays]:

    def read(name: str) -> Arrays:
        with np.load(shared / "reference" / f"{name}.npz") as file:
            return {key: file[key] for key in file.files}

    return read


@pytest.fixture(scope="session")
def gradient() -> Callable[[Callable[[Tensor], Tensor], np.ndarray], tuple[float, np.ndarray]]:
    """A loss and its gradient at a place, float64."""

    def at(loss: Callable[[Tensor], Tensor], place: np.ndarray) -> tuple[float, np.ndarray]:
        leaf = torch.tensor(place, dtype=torch.float64, requires_grad=True)
        value = loss(leaf)
        value.backward()
        return float(value.detach()), leaf.grad.numpy()

    return at
