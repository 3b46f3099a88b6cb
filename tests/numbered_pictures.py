"""Small pictures, each with its number in the first pixel, by which a test tells which picture a row is."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from likeness.data import ImageTable
from likeness.io import read_image


def picture(number: int) -> Image.Image:
    """A picture of 40 x 20 pixels."""
    image = Image.new("RGB", (40, 20), (40, 90, 10 * number))
    image.putpixel((0, 0), (number, 0, 0))
    return image


def encoded(number: int, kind: str = "PNG") -> bytes:
    """A picture as the content of a file."""
    content = io.BytesIO()
    picture(number).save(content, kind)
    return content.getvalue()


def write_pictures(folder: Path, *names: str) -> Path:
    """Writes numbered pictures by these names into a folder; returns it."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(encoded(number))
    return folder


def numbers(table: ImageTable) -> list[int]:
    """The number of each row's picture, all of whose pixels are checked."""
    found = []
    for path in table.paths():
        image = read_image(path)
        found.append(image.getpixel((0, 0))[0])
        np.testing.assert_array_equal(np.asarray(image), np.asarray(picture(found[-1])))
    return found
