"""What the tests of several maps share."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from likeness.projection import align


@pytest.fixture(scope="session")
def vectors() -> NDArray[np.float64]:
    """Eight clusters in 20 dimensions, more than a plane can separate by projection."""
    rng = np.random.default_rng(0)
    return np.repeat(rng.standard_normal((8, 20)), 25, axis=0) + 0.4 * rng.standard_normal((200, 20))


@pytest.fixture(scope="session")
def moved() -> Callable[[NDArray[np.float32], NDArray[np.float32]], float]:
    """How far a map lies from an old one after it was aligned to it, as a share of the old one's size."""

    def measured(new: NDArray[np.float32], old: NDArray[np.float32]) -> float:
        return float(np.sqrt(((align(new, old) - old) ** 2).sum() / ((old - old.mean(axis=0)) ** 2).sum()))

    return measured


@pytest.fixture
def in_another_process(tmp_path: Path, vectors: NDArray[np.float64]) -> Callable[[str], NDArray[np.float32]]:
    """The map of `vectors` by a function of likeness.projection, laid out by a new process on one thread."""

    def laid_out(call: str) -> NDArray[np.float32]:
        np.save(tmp_path / "vectors.npy", vectors)
        code = f"import numpy as np; from likeness.projection import *; np.save('map.npy', {call})"
        number = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        code = code.replace("vectors", "np.load('vectors.npy')")
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=os.environ | number, check=True, timeout=600)
        found: NDArray[np.float32] = np.load(tmp_path / "map.npy")
        return found

    return laid_out
