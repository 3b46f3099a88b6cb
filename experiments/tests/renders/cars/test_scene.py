"""Attributes: the table that ships, borders of names, shares and independence of colors."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from experiments.renders.cars import SUN_SIDES, VIEWPOINTS, sample_scenes
from experiments.renders.cars.scene import sun_side_name, viewpoint_name
from likeness.data.css_colors import CSS_COLORS
from likeness.io.paths import assets_dir


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_scenes(6000, seed=3)


def test_the_table_that_ships_is_what_the_generator_makes() -> None:
    """To the last digit: angles, distances, colors and all names that follow from them."""
    shipped = pd.read_csv(assets_dir() / "synthetic_cars" / "attributes.csv")
    made = sample_scenes(2000, seed=0)
    pd.testing.assert_frame_equal(shipped[list(made.columns)], made, check_dtype=False)


@pytest.mark.parametrize(("yaw", "name"), [(22.4, 0), (22.6, 1), (180, 4), (292.4, 6), (337.6, 0), (359.9, 0), (-10, 0), (360, 0)])
def test_viewpoints_are_centred_on_multiples_of_45_and_sun_sides_of_90(yaw: float, name: int) -> None:
    assert viewpoint_name(yaw) == VIEWPOINTS[name]
    assert sun_side_name(2 * yaw) == SUN_SIDES[name % 4]


def test_no_color_is_rare_and_none_dominates(scenes: pd.DataFrame) -> None:
    for column in ("car_color", "background_color"):
        shares = scenes[column].value_counts(normalize=True)
        assert set(shares.index) == set(CSS_COLORS)
        assert shares.min() > 0.028
        assert shares.max() < 0.125


@pytest.mark.parametrize("name", ["body_type", "viewpoint"])
def test_car_color_says_nothing_of_body_or_viewpoint(scenes: pd.DataFrame, name: str) -> None:
    found = chi2_contingency(pd.crosstab(scenes.car_color, scenes[name]))
    assert found.statistic < found.dof + 5 * np.sqrt(2 * found.dof)
