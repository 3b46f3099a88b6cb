"""Attributes: words, ranges, what is visible, and the same rows for the same seed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.renders.rooms import ATTRIBUTES, LISTS, SURFACES, WORDS, Scene, room_layout, sample_rooms
from experiments.renders.rooms.scene import NOTHING, NUMBERS, RANGES, room_of
from likeness.errors import InputError


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_rooms(1500, seed=3)


def test_columns_are_those_of_a_scene(scenes: pd.DataFrame) -> None:
    assert list(scenes.columns) == list(ATTRIBUTES)
    assert Scene(**scenes.iloc[0].to_dict()).wall_color in WORDS["wall_color"]
    assert set(ATTRIBUTES) == {"surfaces", "visible", *LISTS, *WORDS, *NUMBERS}
    assert not scenes.isna().any().any()


def test_row_i_is_the_same_for_every_n_and_differs_between_seeds() -> None:
    pd.testing.assert_frame_equal(sample_rooms(5, seed=9), sample_rooms(40, seed=9).head(5))
    assert not sample_rooms(5, seed=9).equals(sample_rooms(5, seed=10))


def test_csv_returns_the_very_same_values(tmp_path: Path) -> None:
    frame = sample_rooms(50, seed=1)
    frame.to_csv(tmp_path / "a.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), frame, check_exact=True, check_dtype=False)
    assert (frame[list(LISTS)] == NOTHING).to_numpy().any(), "a word that is not read as missing"


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


def test_layouts_are_spread() -> None:
    """Mean IoU over the surfaces that either layout has, between random pairs."""
    layouts = np.stack([room_layout(room_of(row), 32) for row in sample_rooms(120, seed=6).to_dict("records")])
    one_hot = np.stack([layouts == value for value in SURFACES.values()], axis=1).reshape(120, 5, -1).astype(float)
    both = np.einsum("isp,jsp->ijs", one_hot, one_hot)
    either = one_hot.sum(axis=2)[:, None] + one_hot.sum(axis=2)[None] - both
    iou = np.where(either > 0, both / np.maximum(either, 1), np.nan)
    pairs = np.nanmean(iou, axis=2)[np.triu_indices(120, 1)]
    low, middle, high = np.percentile(pairs, [5, 50, 95])
    assert low < 0.25
    assert 0.3 < middle < 0.5
    assert high > 0.6
    np.fill_diagonal(mean := np.nanmean(iou, axis=2), 0)
    assert np.median(mean.max(axis=1)) > 0.7, "most rooms have a near neighbor"


def test_every_word_and_every_kind_of_thing_occurs(scenes: pd.DataFrame) -> None:
    for name, words in WORDS.items():
        assert set(scenes[name]) == set(words)
    for name, kinds in LISTS.items():
        listed = scenes[name].str.split(", ")
        assert set(listed.explode()) == {*kinds, NOTHING}
        assert listed.map(lambda items: len(items) == len(set(items))).all()
    assert 0.5 < (scenes.center_wall_color == scenes.wall_color).mean() < 0.8


def test_the_layout_cannot_be_told_from_the_looks(scenes: pd.DataFrame) -> None:
    for name in ("wall_color", "floor_pattern", "furniture_color"):
        table = pd.crosstab(scenes.surfaces.clip(lower=4), scenes[name])
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(scenes)
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        assert ((table - expected) ** 2 / expected).to_numpy().sum() < freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize(("n", "seed"), [(0, 0), (3, -1)])
def test_bad_numbers_are_refused(n: int, seed: int) -> None:
    with pytest.raises(InputError, match=f"{n} rooms with seed {seed} cannot be drawn: ask for at least 1"):
        sample_rooms(n, seed)
