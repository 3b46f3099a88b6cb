"""Shades bear the name they are asked for and keep their distance."""

import numpy as np
import pytest

from experiments.renders.cars.palette import MIN_CONTRAST
from experiments.renders.color_distances import css_distances, rgb_to_lab
from experiments.renders.poses.colors import LIFT, shade_of
from likeness.data import CSS_COLORS


@pytest.mark.parametrize("word", CSS_COLORS)
def test_a_shade_is_a_color_of_that_name_before_the_lift(word: str) -> None:
    rng = np.random.default_rng(0)
    shades, labs = map(np.stack, zip(*(shade_of(word, rng) for _ in range(20)), strict=True))
    plain = (shades - LIFT) / (1 - LIFT)
    np.testing.assert_allclose(rgb_to_lab(plain), labs, atol=1e-6)
    named = [CSS_COLORS[i] for i in css_distances(np.clip(plain, 0, 1)).argmin(axis=1)]
    assert named == [word] * 20
    assert len({tuple(shade) for shade in shades}) > 15


def test_it_avoids_what_it_should_be_unlike() -> None:
    """Of the same name, most pairs are too near each other; told apart, few are."""
    rng = np.random.default_rng(1)
    told, free = [], []
    for _ in range(200):
        _, wall = shade_of("green", rng)
        told.append(np.linalg.norm(wall - shade_of("green", rng, unlike=wall)[1]))
        free.append(np.linalg.norm(wall - shade_of("green", rng)[1]))
    far, near = (np.mean(np.array(gaps) >= MIN_CONTRAST) for gaps in (told, free))
    assert far > near + 0.2
    assert np.mean(told) > np.mean(free)
