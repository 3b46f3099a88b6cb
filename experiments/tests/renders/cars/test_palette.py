"""The rebalanced palette: shares in range, borders thinned, contrast kept."""

import numpy as np

from experiments.renders.cars.palette import CLEAR, MIN_CONTRAST, SURE_MARGIN, balanced_shares, palette, pick_pairs
from likeness.data.css_colors import CSS_COLORS, css_distances, hsv_to_rgb, nearest_color, perceived_css_distances


def test_balanced_shares_stay_near_the_range_and_keep_their_order() -> None:
    raw = np.array([0.4, 0.3, 0.1, 0.08, 0.06] + [0.06 / 12] * 12)
    shares = balanced_shares(raw)
    assert abs(shares.sum() - 1) < 1e-12
    assert shares.min() > 0.033
    assert shares.max() < 0.125
    assert (np.diff(shares) <= 1e-12).all()


def test_probability_falls_to_zero_at_a_naming_border() -> None:
    pool = palette()
    ordered = np.sort(css_distances(hsv_to_rgb(pool.hsv)), axis=1)
    margin = ordered[:, 1] - ordered[:, 0]
    weight = np.diff(pool.cumulative, prepend=0)
    for name in range(len(CSS_COLORS)):
        of_name = (pool.name == name) & (weight > 0)
        assert of_name.any()
        ratio = weight[of_name] / np.minimum(margin[of_name] / SURE_MARGIN, 1)
        np.testing.assert_allclose(ratio, np.median(ratio), rtol=1e-6)


def test_colors_look_like_their_name() -> None:
    """By both measures of color; and none of those that people took for a mistake are drawn."""
    pool = palette()
    drawn = np.diff(pool.cumulative, prepend=0) > 0
    perceived = perceived_css_distances(hsv_to_rgb(pool.hsv[drawn]))
    assert (perceived.argmin(axis=1) == pool.name[drawn]).all()
    assert perceived.min(axis=1).max() <= CLEAR
    salmon, pale_pink = (np.array(color) / 255 for color in ((250, 128, 114), (240, 190, 200)))
    assert nearest_color([salmon, pale_pink], space="rgb") == ["maroon", "silver"]
    assert (perceived_css_distances([salmon, pale_pink]).min(axis=1) > CLEAR).all()


def test_background_is_the_first_try_that_differs_enough() -> None:
    uniforms = np.random.default_rng(0).random((300, 9))
    car, background = pick_pairs(uniforms)
    pool = palette()
    for i in range(300):
        tries = [pool.pick(uniforms[i, j : j + 1])[0] for j in range(1, 9)]
        good = [t for t in tries if np.linalg.norm(pool.lab[t] - pool.lab[car[i]]) >= MIN_CONTRAST]
        assert background[i] == (good[0] if good else tries[-1])
