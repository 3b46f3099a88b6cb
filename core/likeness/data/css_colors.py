"""The 17 color names of CSS 2.1 (the 16 of HTML and orange), and the nearest of them for any color."""

import numpy as np
import numpy.typing as npt
from PIL import ImageColor

from likeness.arrays import Float64s

CSS_COLORS: tuple[str, ...] = (
    *("black", "silver", "gray", "white", "maroon", "red", "purple", "fuchsia", "green", "lime", "olive", "yellow", "navy", "blue", "teal", "aqua"),
    "orange",
)
CSS_RGB: dict[str, tuple[int, int, int]] = {name: ImageColor.getrgb(name)[:3] for name in CSS_COLORS}


def hsv_to_rgb(hsv: npt.ArrayLike) -> Float64s:
    """sRGB (n, 3) in 0..1 of HSV (n, 3) in 0..1; hue 1 is hue 0."""
    h, s, v = np.asarray(hsv, np.float64).T[:, :, None]
    k = (np.array([5.0, 3.0, 1.0]) + 6 * h) % 6
    rgb: Float64s = v - v * s * np.clip(np.minimum(k, 4 - k), 0, 1)
    return rgb


def nearest_color(hsv: npt.ArrayLike) -> list[str]:
    """The CSS 2.1 name (n) nearest to each color, HSV (n, 3) in 0..1, by the Euclidean distance of whole 8-bit RGB values, rounded down.

    So does the authors' code of the InDiReCT paper, which does not say in which space it looks for the nearest name.
    """
    distances = np.linalg.norm(np.floor(255 * hsv_to_rgb(hsv))[:, None] - np.array(list(CSS_RGB.values())), axis=2)
    return [CSS_COLORS[place] for place in distances.argmin(axis=1)]
