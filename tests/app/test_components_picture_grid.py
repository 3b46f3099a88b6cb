"""What the picture grid sends to the browser."""

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from components.picture_grid import Picture, PictureRow, encode_grid
from likeness.errors import InputError


def test_pictures_arrive_as_they_are() -> None:
    left = np.zeros((32, 32, 3), np.uint8)
    left[:, :16] = (250, 220, 60)
    grid = json.loads(json.dumps(encode_grid(["Image", "Map"], [PictureRow("a", [Picture(left, "wide"), Picture(255 - left)])], 150)))
    first, second = grid["rows"][0]["cells"]
    assert (grid["titles"], grid["tile"], first["caption"], second["caption"]) == (["Image", "Map"], 150, "wide", "")
    for cell, expected in ((first, left), (second, 255 - left)):
        head, content = cell["src"].split(",")
        assert head == "data:image/webp;base64"
        decoded = np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB"), np.int64)
        # WebP loses a little, and mixes neighbors at the edge between the halves
        assert np.abs(decoded - expected)[:, [*range(12), *range(20, 32)]].max() < 16


def test_a_row_without_a_picture_for_each_title_is_named() -> None:
    with pytest.raises(InputError, match="'a' has 1 pictures under 2 titles"):
        encode_grid(["Image", "Map"], [PictureRow("a", [Picture(np.zeros((2, 2, 3), np.uint8))])], 150)
