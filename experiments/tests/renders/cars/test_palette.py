"""The rebalanced palette: shares in range, borders thinned, contrast kept."""

import numpy as np

from experiments.renders.cars.palette import CLEAR, balanced_shares, palette
from experiments.renders.color_distances import css_distances, perceived_css_distances
from likeness.data import CSS_COLORS, hsv_to_rgb


def test_balanced_shares_stay_near_the_range_and_keep_their_order() -> None:
    raw = np.array([0.4, 0.3, 0.1, 0.08, 0.06] + [0.06 / 12] * 12)
    shares = balanced_shares(raw)
    assert abs(shares.sum() - 1) < 1e-12
    assert shares.min() > 0.033
    assert shares.max() < 0.125
    assert (np.diff(shares) <= 1e-12).all()


def test_colors_look_like_their_name() -> None:
    """By both measures of color; and none of those that people took for a mistake are drawn."""
    pool = palette()
    drawn = np.diff(pool.cumulative, prepend=0) > 0
    perceived = perceived_css_distances(hsv_to_rgb(pool.hsv[drawn]))
    assert (perceived.argmin(axis=1) == pool.name[drawn]).all()
    assert perceived.min(axis=1).max() <= CLEAR
    salmon, pale_pink = (np.array(color) / 255 for color in ((250, 128, 114), (240, 190, 200)))
    assert [CSS_COLORS[place] for place in css_distances([salmon, pale_pink]).argmin(axis=1)] == ["maroon", "silver"]
    assert (perceived_css_distances([salmon, pale_pink]).min(axis=1) > CLEAR).all()
