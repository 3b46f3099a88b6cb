"""Colors of maps: a color-blind-safe palette for classes, and scales for numbers and angles."""

import math

import numpy as np
from PIL import ImageColor

# Found by search for the largest minimum difference (CIE Lab) over normal sight and three color deficiencies: 22 between any two,
# compared with 3 for known palettes of twelve. All are visible on white and near-black.
CATEGORICAL = (
    "#2559b0", "#df911a", "#2b9667", "#de50fc", "#d00600", "#58e3dc", "#8c352a", "#aade70", "#c598e7", "#793974", "#f0d507", "#6715e1",
)  # fmt: skip
OTHER = "#8E939B"

# every sixteenth color of viridis (S. van der Walt and N. Smith, CC0)
_VIRIDIS = (
    "#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e",
    "#1f988b", "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725",
)  # fmt: skip


def categorical_palette(counts: np.ndarray) -> list[str]:
    """A hex color for each class of `counts` (k,) rows: the twelve largest in color, the others gray; ties keep their order."""
    colors = [OTHER] * len(counts)
    for color, index in zip(CATEGORICAL, np.argsort(-np.asarray(counts), kind="stable"), strict=False):
        colors[int(index)] = color
    return colors


def number_scale(steps: int = 255) -> list[str]:
    """Viridis in `steps` colors: perceptually uniform, with increasing lightness."""
    anchors = np.array([ImageColor.getrgb(color) for color in _VIRIDIS])
    at = np.linspace(0, len(anchors) - 1, steps)
    return [_hex([np.interp(value, np.arange(len(anchors)), anchors[:, c]) for c in range(3)]) for value in at]


def angle_scale(steps: int = 255) -> list[str]:
    """A circle of hues in OKLab with equal ends. Lightness also rises and falls once, so opposite angles differ for color-blind people, too."""
    turns = np.linspace(0.0, 2 * math.pi, steps)
    return [_hex(_oklch_to_rgb(0.66 + 0.12 * math.cos(t), 0.125, t + 0.5)) for t in turns]


def _hex(rgb: list[float]) -> str:
    return "#" + "".join(f"{round(min(255.0, max(0.0, float(c)))):02x}" for c in rgb)


def _oklch_to_rgb(lightness: float, chroma: float, hue: float) -> list[float]:
    """sRGB 0..255 of an OKLCh color (B. Ottosson 2020); `hue` in radians."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return [255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055) for c in np.clip(linear, 0, 1).tolist()]
