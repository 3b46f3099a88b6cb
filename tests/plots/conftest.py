"""Fixtures for figures: runs with known means."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def runs() -> pd.DataFrame:
    """Two notions; exact and adam at 2, 8 and 32 dimensions with three runs, pca refused at 32, raw once at 48."""
    rng = np.random.default_rng(3)
    rows: list[tuple[object, ...]] = []
    for notion in ("car color", "car model"):
        rows.append((notion, "raw", 48, 0, "", 0.25, 0.5))
        cells = [(method, dim, seed) for method in ("exact", "adam") for dim in (32, 2, 8) for seed in range(3)]
        rows += [(notion, *cell, "", float(rng.uniform(0.3, 0.9)), 1.0) for cell in cells]
        rows += [(notion, "pca", dim, 0, "", 0.4, 0.4) for dim in (2, 8)]
        rows.append((notion, "pca", 32, 0, "PCA to 32 dimensions needs more than 32 prompts, but there are 17.", np.nan, np.nan))
    return pd.DataFrame(rows, columns=["notion", "method", "dim", "seed", "refused", "map_at_r", "precision_at_1"])
