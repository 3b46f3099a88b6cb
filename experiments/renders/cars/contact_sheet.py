"""One picture that shows the data set: a row for each body type, views and colors as varied as possible."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from experiments.renders.cars.generate import render_scene
from experiments.renders.cars.scene import BODY_TYPES, sample_scenes

if TYPE_CHECKING:
    from PIL.Image import Image

_VARIED = ("viewpoint", "car_color", "background_color", "camera_height", "distance_name", "sun_side")
_LEFT, _TOP, _GAP, _CAPTION = 128, 20, 12, 40
_INK, _FAINT = (32, 36, 42), (110, 116, 124)


def varied_rows(frame: pd.DataFrame, n: int) -> pd.DataFrame:
    """`n` rows chosen one by one: next is the row whose attribute values were chosen least often so far."""
    codes = np.stack([pd.factorize(frame[column])[0] for column in _VARIED], axis=1)
    counts = np.zeros((len(_VARIED), codes.max() + 1))
    chosen: list[int] = []
    for _ in range(min(n, len(frame))):
        how_often = counts[np.arange(len(_VARIED)), codes].sum(axis=1)
        how_often[chosen] = np.inf
        best = int(how_often.argmin())
        chosen.append(best)
        counts[np.arange(len(_VARIED)), codes[best]] += 1
    return frame.iloc[chosen]


def contact_sheet(columns: int = 10, size: int = 128, seed: int = 0) -> "Image":
    """The sheet as an image: six rows of `columns` labeled pictures of the first 2,000 scenes of `seed`."""
    from PIL import Image, ImageDraw, ImageFont

    frame = sample_scenes(2000, seed)
    step, line = size + _GAP, size + _CAPTION
    sheet = Image.new("RGB", (_LEFT + columns * step + _GAP, _TOP + len(BODY_TYPES) * line), "white")
    pen, large, small = ImageDraw.Draw(sheet), ImageFont.load_default(17), ImageFont.load_default(11)
    for i, body_type in enumerate(BODY_TYPES):
        top = _TOP + i * line
        pen.text((20, top + size / 2), body_type, _INK, large, anchor="lm")
        rows = varied_rows(frame[frame.body_type == body_type], columns).to_dict("records")
        for j, row in enumerate(rows):
            left = _LEFT + j * step
            sheet.paste(Image.fromarray(render_scene(row, size)), (left, top))
            pen.text((left, top + size + 3), f"{row['car_color']} on {row['background_color']}", _INK, small)
            pen.text((left, top + size + 16), f"{row['viewpoint']}, {row['camera_height']}, {row['distance_name']}", _FAINT, small)
    return sheet
