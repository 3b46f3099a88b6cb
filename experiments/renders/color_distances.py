"""How far colors are from each other, in CIELAB and by CIEDE2000, and from the names of CSS 2.1.

Distances in RGB or HSV disagree with human naming (hue is circular and means nothing in the dark), so a render's color is called by the name at the
smallest Euclidean distance in CIELAB (CIE76, D65 white).
"""

import numpy as np
import numpy.typing as npt

from likeness.arrays import Float64s
from likeness.data import CSS_RGB

# sRGB primaries to CIE XYZ, relative to the D65 white (IEC 61966-2-1); rows are X, Y, Z.
_RGB_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
_WHITE = _RGB_TO_XYZ.sum(axis=1)


def rgb_to_lab(rgb: npt.ArrayLike) -> Float64s:
    """CIELAB (n, 3) (L 0..100) of sRGB (n, 3) in 0..1, for the white D65."""
    values = np.asarray(rgb, dtype=np.float64)
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _RGB_TO_XYZ.T / _WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def css_distances(rgb: npt.ArrayLike) -> Float64s:
    """CIELAB distances (n, 17) of sRGB (n, 3) to the colors of `CSS_COLORS`."""
    lab = rgb_to_lab(rgb)
    named = rgb_to_lab(np.array(list(CSS_RGB.values())) / 255)
    distances: Float64s = np.linalg.norm(lab[:, None] - named, axis=2)
    return distances


def ciede2000(lab: npt.ArrayLike, others: npt.ArrayLike) -> Float64s:
    """Color differences as people see them, dE00 (..., broadcast) of CIELAB colors (..., 3); about 1 is just visible.

    Sharma, Wu and Dalal 2005, "The CIEDE2000 color-difference formula", Eqs. 2 to 22, with all weights 1.
    """
    first, second = np.asarray(lab, dtype=np.float64), np.asarray(others, dtype=np.float64)
    stretched = 0.5 * (3 - _saturation((np.hypot(*_ab(first)) + np.hypot(*_ab(second))) / 2))  # of a*, largest near gray
    (chroma1, hue1), (chroma2, hue2) = _polar(first, stretched), _polar(second, stretched)
    lightness, chroma, summed = (first[..., 0] + second[..., 0]) / 2, (chroma1 + chroma2) / 2, hue1 + hue2
    gray = chroma1 * chroma2 == 0
    turn = np.where(gray, 0, (hue2 - hue1 + 180) % 360 - 180)
    far = np.abs(hue1 - hue2) > 180
    hue = np.where(gray, summed, (summed + np.where(far, np.where(summed < 360, 360, -360), 0)) / 2)
    by_hue = (1 - 0.17 * _cos(hue - 30) + 0.24 * _cos(2 * hue)) + (0.32 * _cos(3 * hue + 6) - 0.20 * _cos(4 * hue - 63))
    off_middle = (lightness - 50) ** 2
    d_lightness = (second[..., 0] - first[..., 0]) / (1 + 0.015 * off_middle / np.sqrt(20 + off_middle))
    d_chroma = (chroma2 - chroma1) / (1 + 0.045 * chroma)
    d_hue = 2 * np.sqrt(chroma1 * chroma2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * by_hue)
    rotation = -2 * _saturation(chroma) * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    difference: Float64s = np.sqrt(d_lightness**2 + d_chroma**2 + d_hue**2 + rotation * d_chroma * d_hue)
    return difference


def perceived_css_distances(rgb: npt.ArrayLike) -> Float64s:
    """Color differences dE00 (n, 17) of sRGB (n, 3) from the colors of `CSS_COLORS`."""
    named = rgb_to_lab(np.array(list(CSS_RGB.values())) / 255)
    return ciede2000(rgb_to_lab(rgb)[:, None], named)


def _ab(lab: Float64s) -> tuple[Float64s, Float64s]:
    return lab[..., 1], lab[..., 2]


def _saturation(chroma: Float64s) -> Float64s:
    saturation: Float64s = np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    return saturation


def _polar(lab: Float64s, stretched: Float64s) -> tuple[Float64s, Float64s]:
    """Chroma and hue in degrees, 0..360."""
    a, b = lab[..., 1] * stretched, lab[..., 2]
    return np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360


def _cos(degrees: Float64s) -> Float64s:
    cosine: Float64s = np.cos(np.radians(degrees))
    return cosine
