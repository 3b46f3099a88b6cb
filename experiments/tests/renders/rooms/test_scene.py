"""Attributes: words, ranges, what is visible, and the same rows for the same seed."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from experiments.renders.rooms import LISTS, SURFACES, WORDS, sample_rooms
from experiments.renders.rooms.scene import NOTHING, RANGES


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_rooms(1500, seed=3)


def test_numbers_fill_their_ranges_and_the_camera_is_inside(scenes: pd.DataFrame) -> None:
    for name, (low, high) in RANGES.items():
        assert scenes[name].between(low, high).all()
        assert np.ptp(scenes[name]) > 0.95 * (high - low)
    assert (scenes.camera_side.abs() < scenes.room_width / 2 - 0.5).all()
    assert (scenes.camera_height < scenes.room_height - 0.3).all()


def test_most_pictures_show_all_five_surfaces(scenes: pd.DataFrame) -> None:
    shares = scenes.surfaces.value_counts(normalize=True)
    assert shares[5] > 0.6
    assert 0.15 < shares[4] < 0.4
    assert (scenes.visible.str.split(", ").str.len() == scenes.surfaces).all()
    assert set(", ".join(scenes.visible).split(", ")) == set(SURFACES)
    assert scenes.visible.str.contains("floor").mean() > 0.9


def test_every_word_and_every_kind_of_thing_occurs(scenes: pd.DataFrame) -> None:
    for name, words in WORDS.items():
        assert set(scenes[name]) == set(words)
    for name, kinds in LISTS.items():
        listed = scenes[name].str.split(", ")
        assert set(listed.explode()) == {*kinds, NOTHING}
        assert listed.map(lambda items: len(items) == len(set(items))).all()
    assert 0.5 < (scenes.center_wall_color == scenes.wall_color).mean() < 0.8


@pytest.mark.parametrize("name", ["wall_color", "floor_pattern", "furniture_color"])
def test_the_layout_cannot_be_told_from_the_looks(scenes: pd.DataFrame, name: str) -> None:
    found = chi2_contingency(pd.crosstab(scenes.surfaces.clip(lower=4), scenes[name]), correction=False)
    assert found.statistic < found.dof + 5 * np.sqrt(2 * found.dof)
