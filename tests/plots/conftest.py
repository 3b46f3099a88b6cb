"""Fixtures for figures: runs with known means."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def runs() -> pd.DataFrame:
    """Two notions; exact and adam at 2, 8 and 32 dimensions with three runs, pca refused at 32, raw once at 48."""
    rng = np.random.default_rng(3)
    rows = []
    for notion in ("car color", "car model"):
        rows.append({"notion": notion, "method": "raw", "dim": 48, "seed": 0, "refused": "", "map_at_r": 0.25, "precision_at_1": 0.5})
        for method in ("exact", "adam"):
            for dim in (32, 2, 8):
                for seed in range(3):
                    score = float(rng.uniform(0.3, 0.9))
                    rows.append(
                        {"notion": notion, "method": method, "dim": dim, "seed": seed, "refused": "", "map_at_r": score, "precision_at_1": 1.0}
                    )
        for dim in (2, 8, 32):
            refused = "PCA to 32 dimensions needs more than 32 prompts, but there are 17." if dim == 32 else ""
            score = float("nan") if refused else 0.4
            rows.append({"notion": notion, "method": "pca", "dim": dim, "seed": 0, "refused": refused, "map_at_r": score, "precision_at_1": score})
    return pd.DataFrame(rows)
