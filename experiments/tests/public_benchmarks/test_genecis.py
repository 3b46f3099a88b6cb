"""The cut of GeneCIS's attribute tasks, by hand."""

import numpy as np
from PIL import Image

from experiments.public_benchmarks.genecis import object_crop


def picture(width: int, height: int) -> Image.Image:
    """Red is the column, green the row."""
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    return Image.fromarray(np.stack([columns, rows, np.full_like(rows, 255)], axis=2).astype(np.uint8))


def test_the_object_lies_in_the_lower_right_corner_or_is_cut_at_the_edges() -> None:
    found = np.asarray(object_crop(picture(100, 80), (40.0, 30.0, 20.0, 10.0)))
    # left 40 - 14, right 26 + 34; top 30 - 7, bottom 23 + 17: 34 by 17, on a square of 34
    assert found.shape == (34, 34, 3)
    assert found[8, 0].tolist() == [26, 23, 255]
    assert found[8 + 16, 33].tolist() == [59, 39, 255]
    assert not found[:8].any()
    assert not found[25:].any()
    found = np.asarray(object_crop(picture(50, 50), (0.0, 0.0, 40.0, 40.0)))
    assert found.shape == (50, 50, 3)  # 0 to 68, of which there are 50
