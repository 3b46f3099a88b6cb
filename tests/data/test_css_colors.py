"""Color conversion against hand formulas and colorsys, names against colors that nobody disputes."""

import colorsys

import numpy as np
import pytest

from likeness.data.css_colors import CSS_COLORS, CSS_RGB, css_distances, hsv_to_rgb, nearest_color, rgb_to_lab
from likeness.errors import InputError


def lab_by_hand(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """CIELAB of one sRGB color with scalar arithmetic and the rounded matrix of the sRGB standard (D65)."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_hsv_agrees_with_colorsys() -> None:
    hsv = np.vstack([np.random.default_rng(0).random((200, 3)), [[0, 0, 0], [1, 1, 1], [0.5, 0, 1], [1 / 3, 1, 0.5]]])
    expected = [colorsys.hsv_to_rgb(*row) for row in hsv]
    np.testing.assert_allclose(hsv_to_rgb(hsv), expected, atol=1e-12)


def test_lab_agrees_with_the_scalar_formula() -> None:
    rgb = np.random.default_rng(1).random((200, 3))
    np.testing.assert_allclose(rgb_to_lab(rgb), [lab_by_hand(tuple(row)) for row in rgb], atol=0.05)


def test_lab_of_published_values() -> None:
    """White, mid gray and pure red, as colorimetry tables give them."""
    lab = rgb_to_lab([[1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0]])
    np.testing.assert_allclose(lab, [[100, 0, 0], [53.39, 0, 0], [53.24, 80.09, 67.20]], atol=0.02)


def test_css_has_seventeen_colors_and_each_is_its_own_nearest() -> None:
    assert len(CSS_COLORS) == len(set(CSS_COLORS)) == 17
    assert nearest_color(np.array(list(CSS_RGB.values())) / 255, space="rgb") == list(CSS_COLORS)


@pytest.mark.parametrize(
    ("rgb", "name"),
    [
        ((20, 20, 22), "black"),
        ((200, 20, 20), "red"),
        ((240, 150, 20), "orange"),
        ((20, 30, 110), "navy"),
        ((100, 20, 20), "maroon"),
        ((20, 110, 30), "green"),
        ((250, 250, 245), "white"),
    ],
)
def test_names_agree_with_people(rgb: tuple[int, int, int], name: str) -> None:
    assert nearest_color([np.array(rgb) / 255], space="rgb") == [name]


def test_the_rgb_metric_counts_in_whole_eight_bit_values() -> None:
    """Against a loop over the colors, as the InDiReCT authors' code finds a name."""
    rgb = np.random.default_rng(3).random((300, 3))

    def slow_name(color: list[float]) -> str:
        whole = [int(255 * part) for part in color]
        return min(CSS_RGB, key=lambda name: sum((a - b) ** 2 for a, b in zip(whole, CSS_RGB[name], strict=True)))

    names = nearest_color(rgb, space="rgb", metric="rgb")
    assert names == [slow_name(color) for color in rgb.tolist()]
    assert names != nearest_color(rgb, space="rgb")


def test_unknown_metric() -> None:
    with pytest.raises(InputError, match='Color metric "cmyk" is unknown: use "lab" or "rgb"'):
        nearest_color([[0, 0, 0]], metric="cmyk")
    with pytest.raises(InputError, match=r"Color values lie outside 0\.\.1"):
        nearest_color([[0, 0, 2]], space="rgb", metric="rgb")


def test_the_name_is_the_smallest_of_the_distances() -> None:
    hsv = np.random.default_rng(2).random((50, 3))
    lab = [lab_by_hand(colorsys.hsv_to_rgb(*row)) for row in hsv]
    named = [lab_by_hand(tuple(c / 255 for c in rgb)) for rgb in CSS_RGB.values()]
    expected = [CSS_COLORS[min(range(17), key=lambda i: sum((a - b) ** 2 for a, b in zip(named[i], row, strict=True)))] for row in lab]
    assert nearest_color(hsv) == expected
    assert css_distances(hsv_to_rgb(hsv)).shape == (50, 17)


@pytest.mark.parametrize("colors", [[[0, 0, 255]], [[0.1, np.nan, 0.2]], [[-0.1, 0, 0]]])
def test_values_outside_the_range_are_refused(colors: list[list[float]]) -> None:
    with pytest.raises(InputError, match=r"outside 0\.\.1 or are NaN: scale"):
        nearest_color(colors)


def test_wrong_shape_and_space_are_refused() -> None:
    with pytest.raises(InputError, match=r"shape \(3,\), expected \(n, 3\)"):
        nearest_color([0.1, 0.2, 0.3])
    with pytest.raises(InputError, match=r'"cmyk" is unknown: use "hsv" or "rgb"'):
        nearest_color([[0.1, 0.2, 0.3]], space="cmyk")
