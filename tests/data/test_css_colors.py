"""Colors of HSV against colorsys, and names against the rule of the InDiReCT authors' code."""

import colorsys

import numpy as np

from likeness.data.css_colors import CSS_COLORS, CSS_RGB, hsv_to_rgb, nearest_color


def test_hsv_agrees_with_colorsys() -> None:
    hsv = np.vstack([np.random.default_rng(0).random((200, 3)), [[0, 0, 0], [1, 1, 1], [0.5, 0, 1], [1 / 3, 1, 0.5]]])
    expected = [colorsys.hsv_to_rgb(*row) for row in hsv]
    np.testing.assert_allclose(hsv_to_rgb(hsv), expected, atol=1e-12)


def test_css_has_seventeen_colors_and_each_is_its_own_nearest() -> None:
    assert len(CSS_COLORS) == len(set(CSS_COLORS)) == 17
    hsv = [colorsys.rgb_to_hsv(*(part / 255 for part in rgb)) for rgb in CSS_RGB.values()]
    assert nearest_color(hsv) == list(CSS_COLORS)


def test_names_count_in_whole_eight_bit_values() -> None:
    """Against a loop over the colors, as the InDiReCT authors' code finds a name."""
    hsv = np.random.default_rng(3).random((300, 3))

    def slow_name(color: list[float]) -> str:
        whole = [int(255 * part) for part in colorsys.hsv_to_rgb(*color)]
        return min(CSS_RGB, key=lambda name: sum((a - b) ** 2 for a, b in zip(whole, CSS_RGB[name], strict=True)))

    assert nearest_color(hsv) == [slow_name(color) for color in hsv.tolist()]
