"""Attributes: words, ranges, independence, and the same rows for the same seed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.renders.poses import ACTIVITIES, ATTRIBUTES, NUMBERS, WORDS, Scene, sample_poses
from experiments.renders.poses.scene import RANGES, pick_words
from likeness.errors import InputError


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_poses(4000, seed=3)


def test_columns_are_those_of_a_scene(scenes: pd.DataFrame) -> None:
    assert list(scenes.columns) == list(ATTRIBUTES)
    assert set(ATTRIBUTES) == set(WORDS) | set(NUMBERS)
    assert Scene(**scenes.iloc[0].to_dict()).activity in ACTIVITIES
    assert not scenes.isna().any().any()


def test_row_i_is_the_same_for_every_n_and_differs_between_seeds() -> None:
    pd.testing.assert_frame_equal(sample_poses(5, seed=9), sample_poses(40, seed=9).head(5))
    assert not sample_poses(5, seed=9).equals(sample_poses(5, seed=10))


def test_csv_returns_the_very_same_values(tmp_path: Path) -> None:
    frame = sample_poses(50, seed=1)
    frame.to_csv(tmp_path / "a.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), frame, check_exact=True, check_dtype=False)


def test_numbers_fill_their_ranges(scenes: pd.DataFrame) -> None:
    for name, (low, high) in RANGES.items():
        assert scenes[name].between(low, high).all()
        assert np.ptp(scenes[name]) > 0.95 * (high - low)
    assert scenes.variant.is_unique
    assert scenes.variant.min() >= 0


def test_every_word_occurs_and_none_dominates(scenes: pd.DataFrame) -> None:
    for name, words in WORDS.items():
        shares = scenes[name].value_counts(normalize=True)
        assert set(shares.index) == set(words)
        assert shares.max() < 1.25 / len(words) + 0.06


@pytest.mark.parametrize("name", ["shirt_color", "background_color", "hair", "wall"])
def test_the_activity_cannot_be_told_from_the_looks(scenes: pd.DataFrame, name: str) -> None:
    table = pd.crosstab(scenes.activity, scenes[name])
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(scenes)
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    assert ((table - expected) ** 2 / expected).to_numpy().sum() < freedom + 5 * np.sqrt(2 * freedom)


def test_words_are_picked_in_equal_parts() -> None:
    assert list(pick_words(("a", "b"), np.array([0.0, 0.49, 0.51, 1.0]))) == ["a", "a", "b", "b"]


@pytest.mark.parametrize(("n", "seed"), [(0, 0), (3, -1)])
def test_bad_numbers_are_refused(n: int, seed: int) -> None:
    with pytest.raises(InputError, match=f"{n} poses with seed {seed} cannot be drawn: ask for at least 1"):
        sample_poses(n, seed)
