"""What an encoder sees of colors does not depend on the color space that a file is written in."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import likeness as lk
from experiments.clip.phrases import VALUES
from experiments.clip.zero_shot import accuracy, first_prompts
from icc_profiles import converted, rgb_profile, with_profile

CARS = 100


@pytest.mark.parametrize("space", ["Display P3", "Adobe RGB", "ProPhoto"])
def test_car_colors_are_known_in_every_color_space(space: str, tmp_path: Path) -> None:
    cars = lk.read("cars")
    for row in range(CARS):
        with Image.open(cars.file(row)) as image:
            pixels = converted(np.asarray(image.convert("RGB")), "sRGB", space)
        (tmp_path / f"{row:03}.png").write_bytes(with_profile(pixels, rgb_profile(space), "png"))
    labels = np.array([VALUES["car_color"].index(color) for color in cars.frame["car_color"][:CARS]])
    seen = lk.embed(tmp_path, "cars")
    assert accuracy(seen.vectors, seen.embed_prompts(first_prompts("car_color"))[0], labels)[0] >= 0.99
    shipped = lk.embed(cars, "cars").vectors[:CARS]
    assert (seen.vectors * shipped).sum(1).min() > 0.95  # colors that sRGB has come back as they were, to rounding
