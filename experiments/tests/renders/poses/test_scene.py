"""Attributes: words, ranges, independence, and the same rows for the same seed."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from experiments.renders.poses import WORDS, sample_poses
from experiments.renders.poses.scene import RANGES, pick_words


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_poses(4000, seed=3)


def test_numbers_and_words_fill_their_ranges_and_none_dominates(scenes: pd.DataFrame) -> None:
    for name, (low, high) in RANGES.items():
        assert scenes[name].between(low, high).all()
        assert np.ptp(scenes[name]) > 0.95 * (high - low)
    assert scenes.variant.is_unique
    assert scenes.variant.min() >= 0
    for name, words in WORDS.items():
        shares = scenes[name].value_counts(normalize=True)
        assert set(shares.index) == set(words)
        assert shares.max() < 1.25 / len(words) + 0.06
    assert list(pick_words(("a", "b"), np.array([0.0, 0.49, 0.51, 1.0]))) == ["a", "a", "b", "b"]


@pytest.mark.parametrize("name", ["shirt_color", "background_color", "hair", "wall"])
def test_the_activity_cannot_be_told_from_the_looks(scenes: pd.DataFrame, name: str) -> None:
    found = chi2_contingency(pd.crosstab(scenes.activity, scenes[name]))
    assert found.statistic < found.dof + 5 * np.sqrt(2 * found.dof)
