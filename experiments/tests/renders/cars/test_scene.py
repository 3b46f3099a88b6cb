"""Attributes: ranges, names, shares, independence, and the same scenes for the same seed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.renders.cars import ATTRIBUTES, BODY_TYPES, SUN_SIDES, VIEWPOINTS, Scene, sample_scenes
from experiments.renders.cars.scene import nearest_distance, sun_side_name, viewpoint_name
from likeness.data.css_colors import CSS_COLORS, nearest_color
from likeness.errors import InputError


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_scenes(6000, seed=3)


def test_columns_are_those_of_a_scene(scenes: pd.DataFrame) -> None:
    assert list(scenes.columns) == list(ATTRIBUTES)
    assert Scene(**scenes.iloc[0].to_dict()).body_type in BODY_TYPES
    assert not scenes.isna().any().any()


def test_scene_i_is_the_same_for_every_n_and_differs_between_seeds() -> None:
    pd.testing.assert_frame_equal(sample_scenes(5, seed=9), sample_scenes(40, seed=9).head(5))
    assert not sample_scenes(5, seed=9).equals(sample_scenes(5, seed=10))


def test_csv_returns_the_very_same_numbers(tmp_path: Path) -> None:
    frame = sample_scenes(50, seed=1)
    frame.to_csv(tmp_path / "a.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), frame, check_exact=True, check_dtype=False)


def test_ranges(scenes: pd.DataFrame) -> None:
    for column, low, high in (("yaw", 0, 360), ("elevation", 3, 45), ("sun_azimuth", 0, 360), ("sun_elevation", 20, 75), ("car_value", 0, 1)):
        assert scenes[column].between(low, high).all()
        assert scenes[column].max() - scenes[column].min() > 0.95 * (high - low)


@pytest.mark.parametrize(("yaw", "name"), [(0, 0), (22.4, 0), (22.6, 1), (90, 2), (180, 4), (292.4, 6), (337.6, 0), (359.9, 0), (-10, 0), (360, 0)])
def test_viewpoints_are_centred_on_multiples_of_45(yaw: float, name: int) -> None:
    assert viewpoint_name(yaw) == VIEWPOINTS[name]


@pytest.mark.parametrize(("azimuth", "name"), [(0, 0), (44.9, 0), (45.1, 1), (90, 1), (180, 2), (270, 3), (315.1, 0)])
def test_sun_sides_are_centred_on_multiples_of_90(azimuth: float, name: int) -> None:
    assert sun_side_name(azimuth) == SUN_SIDES[name]


def test_names_follow_from_the_numbers(scenes: pd.DataFrame) -> None:
    height = np.select([scenes.elevation < 12, scenes.elevation <= 32], ["low", "medium"], "high")
    assert (scenes.camera_height == height).all()
    assert (scenes.sun_height == np.where(scenes.sun_elevation < 45, "low", "high")).all()
    offset = (scenes.yaw - 45 * scenes.viewpoint.map(VIEWPOINTS.index) + 180) % 360 - 180
    assert (offset.abs() <= 22.5).all()
    for who in ("car", "background"):
        hsv = scenes[[f"{who}_hue", f"{who}_saturation", f"{who}_value"]].to_numpy()
        assert nearest_color(hsv) == list(scenes[f"{who}_color"])


def test_farther_names_have_larger_distances_for_every_body(scenes: pd.DataFrame) -> None:
    for body_type, rows in scenes.groupby("body_type"):
        factor = rows.distance / nearest_distance(str(body_type), rows.yaw, rows.elevation)
        groups = factor.groupby(rows.distance_name)
        assert groups.min()["near"] > 1 - 1e-3
        assert groups.max()["near"] < groups.min()["middle"] + 1e-3 < groups.max()["middle"] < groups.min()["far"] + 1e-3


def test_no_color_is_rare_and_none_dominates(scenes: pd.DataFrame) -> None:
    for column in ("car_color", "background_color"):
        shares = scenes[column].value_counts(normalize=True)
        assert set(shares.index) == set(CSS_COLORS)
        assert shares.min() > 0.028
        assert shares.max() < 0.125


def test_bodies_and_viewpoints_are_uniform(scenes: pd.DataFrame) -> None:
    for column, k in (("body_type", 6), ("viewpoint", 8), ("camera_height", 3), ("distance_name", 3), ("sun_side", 4), ("sun_height", 2)):
        counts = scenes[column].value_counts()
        chi2 = ((counts - len(scenes) / k) ** 2 / (len(scenes) / k)).sum()
        assert len(counts) == k
        assert chi2 < k - 1 + 5 * np.sqrt(2 * (k - 1))


def test_the_car_stands_out_from_its_background(scenes: pd.DataFrame) -> None:
    from likeness.data.css_colors import hsv_to_rgb, rgb_to_lab

    car, background = (rgb_to_lab(hsv_to_rgb(scenes[[f"{w}_hue", f"{w}_saturation", f"{w}_value"]])) for w in ("car", "background"))
    assert np.linalg.norm(car - background, axis=1).min() >= 25


def test_car_color_says_nothing_of_body_or_viewpoint(scenes: pd.DataFrame) -> None:
    for column in ("body_type", "viewpoint"):
        table = pd.crosstab(scenes.car_color, scenes[column])
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(scenes)
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        assert ((table - expected) ** 2 / expected).to_numpy().sum() < freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize(("n", "seed"), [(0, 0), (3, -1)])
def test_bad_numbers_are_refused(n: int, seed: int) -> None:
    with pytest.raises(InputError, match=f"{n} scenes with seed {seed} cannot be drawn: ask for at least 1"):
        sample_scenes(n, seed)
