"""The original Synthetic Cars on miniature copies of the authors' table."""

import colorsys
from pathlib import Path

import pandas as pd
import pytest

from likeness.data.css_colors import CSS_RGB
from likeness.data.readers.original_synthetic_cars import read_original_synthetic_cars
from likeness.errors import InputError

DATASET = "synthetic-cars"


def slow_name(hue: float, saturation: float, value: float) -> str:
    """By the standard library's conversion, and the nearest of the colors one by one."""
    rgb = [int(255 * part) for part in colorsys.hsv_to_rgb((hue + 0.5) % 1, saturation / 2, value / 2)]
    return min(CSS_RGB, key=lambda name: sum((a - b) ** 2 for a, b in zip(rgb, CSS_RGB[name], strict=True)))


def test_the_first_thousand_frames_in_their_order(root: Path) -> None:
    table = read_original_synthetic_cars(root)
    assert list(table.frame["path"]) == ["images/1.png", "images/2.png", "images/1000.png"]
    assert list(table.frame["body_type"]) == ["Mégane RS", "Tesla Model S", "Enzo"]
    assert list(read_original_synthetic_cars(root, "train").frame["path"]) == ["images/1001.png"]
    assert {"car_color", "background_color", "rotation_z", "sun_elevation", "color_hue"} <= set(table.attributes)
    # the names of the other repository, and only later frames
    rows = (root / "samples.csv").read_text(encoding="utf-8").splitlines()
    (root / "samples.csv").rename(root / "cars.csv")
    (root / "images").rename(root / "cars")
    assert read_original_synthetic_cars(root).frame["path"][0] == "cars/1.png"
    (root / "cars.csv").write_text("\n".join([rows[0], rows[4]]), encoding="utf-8")
    with pytest.raises(InputError, match=r"The split 'test' of Synthetic Cars \(original\) in '.*' has no images in 'cars\.csv'"):
        read_original_synthetic_cars(root)


def test_colors_are_named_as_in_the_authors_code(root: Path) -> None:
    table = read_original_synthetic_cars(root, "all")
    rows = pd.read_csv(root / "samples.csv").sort_values("frame")
    for attribute, columns in (
        ("car_color", ["color_hue", "color_sat", "color_val"]),
        ("background_color", ["bg_color_hue", "bg_color_sat", "bg_color_val"]),
    ):
        assert list(table.frame[attribute]) == [slow_name(*row) for row in rows[columns].to_numpy()]
    # hue 0.5 is Blender's "unchanged" red, full saturation and value are 2
    assert table.frame["car_color"][1] == "red"
    assert table.frame["background_color"][1] == "white"
