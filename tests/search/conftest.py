"""Images in groups, and an index of them."""

import numpy as np
import pytest

from likeness.search import IVFIndex, build_index
from made_rows import clusters, unit

N, D = 900, 24


@pytest.fixture(scope="session")
def vectors() -> np.ndarray:
    return unit(clusters(N, D, 30, noise=0.6)[0])


@pytest.fixture(scope="session")
def index(vectors: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> IVFIndex:
    return build_index(vectors, tmp_path_factory.mktemp("index") / "index", cells=25)
