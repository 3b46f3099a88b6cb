"""One picture that shows the data set: a row for each activity."""

from typing import TYPE_CHECKING

import numpy as np

from experiments.renders.poses.activities import ACTIVITIES
from experiments.renders.poses.generate import draw
from experiments.renders.poses.scene import sample_poses
from experiments.renders.poses.skeleton import JOINTS
from likeness.arrays import Float64s

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw as Pen

_LEFT, _GAP = 120, 8
_INK, _RIGHT, _OTHER = (32, 36, 42), (255, 64, 64), (64, 255, 96)
# pairs of joints, the right side's first
_CHAINS = (("ankle", "knee"), ("knee", "hip"), ("wrist", "elbow"), ("elbow", "shoulder"))
LINES = (
    *((f"{side}_{a}", f"{side}_{b}") for side in ("right", "left") for a, b in _CHAINS),
    *(("right_hip", "left_hip"), ("right_shoulder", "neck"), ("left_shoulder", "neck"), ("neck", "head_top")),
)


def contact_sheet(columns: int = 10, size: int = 128, seed: int = 0, *, joints: bool = False) -> "Image":
    """The sheet as an image: for each activity the first `columns` of the first 2,000 pictures of `seed`.

    With `joints` the skeleton is drawn over every figure, its right side in red.
    """
    from PIL import Image, ImageDraw, ImageFont

    frame, step = sample_poses(2000, seed), size + _GAP
    sheet = Image.new("RGB", (_LEFT + columns * step, _GAP + len(ACTIVITIES) * step), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for i, activity in enumerate(ACTIVITIES):
        top = _GAP + i * step
        pen.text((12, top + size / 2), activity, _INK, font, anchor="lm")
        for j, row in enumerate(frame[frame.activity == activity].head(columns).to_dict("records")):
            picture = draw(row, size)
            sheet.paste(Image.fromarray(picture.pixels), (_LEFT + j * step, top))
            if joints:
                _draw_skeleton(pen, picture.joints + np.array([_LEFT + j * step, top]))
    return sheet


def _draw_skeleton(pen: "Pen", joints: Float64s) -> None:
    place = dict(zip(JOINTS, map(tuple, joints.tolist()), strict=True))
    for first, second in LINES:
        pen.line([place[first], place[second]], _RIGHT if first.startswith("right") else _OTHER, 2)
