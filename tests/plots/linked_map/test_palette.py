import colorsys

import numpy as np
import pytest
from PIL.ImageColor import getrgb
from scipy.spatial.distance import pdist

from likeness.plots.linked_map.map_payload import CATEGORICAL, OTHER, angle_scale, categorical_palette, number_scale

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
DEFICIENCIES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
D65 = XYZ.sum(axis=1)


def linear(color: str) -> np.ndarray:
    rgb = np.array(getrgb(color)) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(color: str, deficiency: str = "none") -> np.ndarray:
    """CIE 1976 L*a*b* as it is seen."""
    rgb = np.clip(np.array(DEFICIENCIES.get(deficiency, np.eye(3))) @ linear(color), 0, 1)
    x, y, z = np.cbrt(np.clip(XYZ @ rgb / D65, 1e-6, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("deficiency", ["none", *DEFICIENCIES])
def test_twelve_classes_differ_for_every_kind_of_color_vision(deficiency: str) -> None:
    # 2.3 is a just noticeable difference; points want far more
    assert pdist([lab(color, deficiency) for color in CATEGORICAL]).min() > (35 if deficiency == "none" else 22)


def test_every_class_is_seen_on_both_themes() -> None:
    for background, least in (("#ffffff", 1.4), ("#12151c", 2.2)):
        ratios = [(XYZ[1] @ linear(color) + 0.05) / (XYZ[1] @ linear(background) + 0.05) for color in (*CATEGORICAL, OTHER)]
        assert min(max(ratio, 1 / ratio) for ratio in ratios) > least


def test_the_largest_classes_get_the_colors_and_the_rest_is_grey() -> None:
    counts = np.arange(20)
    palette = categorical_palette(counts)
    assert palette[:8] == [OTHER] * 8
    assert palette[19] == CATEGORICAL[0]
    assert sorted(palette[8:]) == sorted(CATEGORICAL)
    assert categorical_palette(np.array([3, 3, 3])) == list(CATEGORICAL[:3])


def test_the_number_scale_grows_in_lightness_and_in_even_steps() -> None:
    moves = np.diff([lab(color) for color in number_scale(64)], axis=0)
    assert (moves[:, 0] > 0).all()
    steps = np.linalg.norm(moves, axis=1)
    assert steps.max() / steps.min() < 3.5
    plotly = pytest.importorskip("plotly.colors")
    wanted = [plotly.unlabel_rgb(c) if c.startswith("rgb") else plotly.hex_to_rgb(c) for c in plotly.sequential.Viridis]
    ours = [getrgb(color) for color in number_scale(len(wanted))]
    assert np.abs(np.array(ours) - np.array(wanted)).max() < 12


def test_the_angle_scale_goes_around_the_hues_once_closed_even_and_with_opposites_apart() -> None:
    scale = angle_scale(73)
    assert scale[0] == scale[-1]
    steps = np.linalg.norm(np.diff([lab(color) for color in scale], axis=0), axis=1)
    assert steps.max() / steps.min() < 3.5
    seen = [lab(color, "deuteranopia") for color in scale]
    assert min(float(np.linalg.norm(seen[i] - seen[(i + 36) % 72])) for i in range(72)) > 15
    hues = [colorsys.rgb_to_hsv(*(value / 255 for value in getrgb(color)))[0] for color in angle_scale(200)]
    turns = np.diff(np.unwrap(np.array(hues) * 2 * np.pi)).sum() / (2 * np.pi)
    assert abs(turns) == pytest.approx(1, abs=0.01)
