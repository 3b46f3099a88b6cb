"""Color distances against hand formulas and published values, names against colors that nobody disputes."""

import numpy as np
from scipy.spatial.distance import cdist

from experiments.renders.color_distances import ciede2000, css_distances, perceived_css_distances, rgb_to_lab
from likeness.data import CSS_COLORS, CSS_RGB


def lab_by_hand(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """CIELAB of one sRGB color with scalar arithmetic and the rounded matrix of the sRGB standard (D65)."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_lab_agrees_with_the_scalar_formula_and_published_values() -> None:
    rgb = np.random.default_rng(1).random((200, 3))
    np.testing.assert_allclose(rgb_to_lab(rgb), [lab_by_hand(tuple(row)) for row in rgb], atol=0.05)
    # white, mid gray and pure red, as colorimetry tables give them
    lab = rgb_to_lab([[1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0]])
    np.testing.assert_allclose(lab, [[100, 0, 0], [53.39, 0, 0], [53.24, 80.09, 67.20]], atol=0.02)


def test_each_css_color_is_its_own_nearest() -> None:
    named = np.array(list(CSS_RGB.values())) / 255
    assert (css_distances(named).argmin(axis=1) == np.arange(17)).all()
    assert (perceived_css_distances(named).argmin(axis=1) == np.arange(17)).all()
    clear = css_distances([[240 / 255, 150 / 255, 20 / 255], [20 / 255, 30 / 255, 110 / 255]]).argmin(axis=1)
    assert [CSS_COLORS[place] for place in clear] == ["orange", "navy"]


def test_distances_are_those_of_the_scalar_formula() -> None:
    rgb = np.random.default_rng(2).random((50, 3))
    lab, named = [lab_by_hand(tuple(row)) for row in rgb], [lab_by_hand(tuple(c / 255 for c in each)) for each in CSS_RGB.values()]
    np.testing.assert_allclose(css_distances(rgb), cdist(lab, named), atol=0.1)


# Two colors in CIELAB and their difference, twice a line: of the 34 pairs of Sharma, Wu and Dalal 2005, Table 1.
_PUBLISHED = np.array([
    50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425, 50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615,
    50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412, 50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000,
    50, -0.9009, -85.5211, 50, 0, -82.7485, 1.0000, 50, 0, 0, 50, -1, 2, 2.3669,
    50, -1, 2, 50, 0, 0, 2.3669, 50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792,
    50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195, 50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045,
    50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461, 50, 2.5, 0, 50, 0, -2.5, 4.3065,
    50, 2.5, 0, 73, 25, -18, 27.1492, 50, 2.5, 0, 61, -5, 29, 22.8977,
    50, 2.5, 0, 56, -27, -3, 31.9030, 50, 2.5, 0, 58, 24, 15, 19.4535,
    60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644, 63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630,
    61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731, 35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645,
    22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373, 36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146,
    90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441, 90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381,
    6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377, 2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082,
]).reshape(-1, 7)  # fmt: skip


def test_color_differences_are_the_published_ones_and_the_same_both_ways() -> None:
    np.testing.assert_allclose(ciede2000(_PUBLISHED[:, :3], _PUBLISHED[:, 3:6]), _PUBLISHED[:, 6], atol=5e-5)
    lab = rgb_to_lab(np.random.default_rng(4).random((60, 3)))
    differences = ciede2000(lab[:, None], lab)
    np.testing.assert_allclose(np.diag(differences), 0, atol=1e-12)
    np.testing.assert_allclose(differences, differences.T, atol=1e-9)
