"""One picture that shows the data set: rooms in rows, and the borders of their layouts on request."""

from typing import TYPE_CHECKING

import numpy as np

from experiments.renders.rooms.generate import Bytes, Picture, draw
from experiments.renders.rooms.room import SURFACES
from experiments.renders.rooms.scene import sample_rooms

if TYPE_CHECKING:
    from PIL.Image import Image

_GAP, _TINT = 8, 0.4
# colors of the surfaces, by their value in a layout
SURFACE_RGB = np.array([(0, 0, 0), (235, 90, 80), (90, 200, 110), (80, 130, 240), (245, 215, 90), (215, 120, 220)], np.uint8)


def contact_sheet(columns: int = 10, size: int = 128, seed: int = 0, *, rows: int = 8, layouts: bool = False) -> "Image":
    """The sheet as an image: the first `rows` times `columns` pictures of `seed`.

    With `layouts` every picture is tinted by surface (`SURFACE_RGB`), with white borders between the surfaces.
    """
    from PIL import Image

    step = size + _GAP
    sheet = Image.new("RGB", (_GAP + columns * step, _GAP + rows * step), "white")
    for i, row in enumerate(sample_rooms(rows * columns, seed).to_dict("records")):
        picture = draw(row, size)
        pixels = tinted(picture) if layouts else picture.pixels
        sheet.paste(Image.fromarray(pixels), (_GAP + i % columns * step, _GAP + i // columns * step))
    return sheet


def tinted(picture: Picture) -> Bytes:
    """The pixels (size, size, 3) with the layout laid over them."""
    mixed = ((1 - _TINT) * picture.pixels + _TINT * SURFACE_RGB[picture.layout]).astype(np.uint8)
    border = np.zeros(picture.layout.shape, np.bool_)
    border[:, 1:] |= np.diff(picture.layout.astype(int), axis=1) != 0
    border[1:] |= np.diff(picture.layout.astype(int), axis=0) != 0
    mixed[border] = 255
    assert len(SURFACE_RGB) == len(SURFACES) + 1
    return mixed
