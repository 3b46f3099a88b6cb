import math
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.ImageColor import getrgb

from likeness.errors import InputError
from likeness.labels import JOINTS
from likeness.plots.label_pictures import LEFT, MIDDLE, RIGHT, SURFACES, blend_layout, bones, dial_place, draw_numbers, draw_pose, draw_viewpoint

SIDE = 240


@pytest.fixture
def image() -> Image.Image:
    """Of one gray."""
    return Image.new("RGB", (SIDE, SIDE), (90, 90, 90))


def _near(pixel: object, color: str, within: int = 12) -> bool:
    return bool(np.abs(np.array(pixel) - np.array(getrgb(color))).max() <= within)


def _person() -> np.ndarray:
    """The 14 joints of somebody who stands with arms and legs apart, facing us: the own left is on our right."""
    left = {"ankle": (170, 220), "knee": (160, 180), "hip": (140, 135), "shoulder": (150, 70), "elbow": (185, 90), "wrist": (215, 60)}
    places = {f"left_{name}": place for name, place in left.items()} | {f"right_{name}": (SIDE - x, y) for name, (x, y) in left.items()}
    places |= {"neck": (120, 60), "head_top": (120, 20)}
    return np.array([places[name] for name in JOINTS], dtype=float)


def test_joints_have_the_color_of_their_side_and_bones_run_between_them_and_nowhere_else(image: Image.Image) -> None:
    joints = _person()
    drawn = draw_pose(image, joints, JOINTS)
    assert (drawn.size, drawn.mode, len({LEFT, RIGHT, MIDDLE})) == (image.size, "RGB", 3)
    for name, (x, y) in zip(JOINTS, joints, strict=True):
        color = LEFT if name.startswith("left") else RIGHT if name.startswith("right") else MIDDLE
        assert _near(drawn.getpixel((int(x), int(y))), color), name
    middle = lambda a, b: tuple(((joints[JOINTS.index(a)] + joints[JOINTS.index(b)]) / 2).astype(int).tolist())  # noqa: E731
    assert _near(drawn.getpixel(middle("left_hip", "left_knee")), LEFT)
    assert _near(drawn.getpixel(middle("right_elbow", "right_wrist")), RIGHT)
    assert _near(drawn.getpixel(middle("left_hip", "right_hip")), MIDDLE)
    assert _near(drawn.getpixel(middle("neck", "head_top")), MIDDLE)
    assert drawn.getpixel(middle("left_knee", "right_knee")) == (90, 90, 90)
    assert drawn.getpixel((5, 5)) == (90, 90, 90)
    assert image.getpixel(middle("left_hip", "left_knee")) == (90, 90, 90)  # the given one stays as it was
    joints[JOINTS.index("left_wrist")] = np.nan
    drawn = draw_pose(image, joints, JOINTS)
    assert drawn.getpixel((215, 60)) == (90, 90, 90)
    assert _near(drawn.getpixel((185, 90)), LEFT)


def test_bones_of_leeds_sports_pose_and_of_mpii() -> None:
    known = {(JOINTS[a], JOINTS[b]) for a, b in bones(JOINTS)}
    assert len(known) == 14
    assert {("left_ankle", "left_knee"), ("right_shoulder", "neck"), ("left_hip", "right_hip")} <= known
    mpii = ["pelvis", "thorax", "upper_neck", "head_top", "left_shoulder", "right_shoulder"]
    assert {(mpii[a], mpii[b]) for a, b in bones(mpii)} >= {("pelvis", "thorax"), ("left_shoulder", "thorax"), ("upper_neck", "head_top")}
    assert {frozenset(pair) for pair in bones(["left_shoulder", "right_shoulder"])} == {frozenset({0, 1})}
    assert bones(["beak", "tail"]) == []


@pytest.mark.parametrize(
    ("draw", "arguments", "message"),
    [
        (draw_pose, (_person()[1:], JOINTS), r"The joints have shape \(13, 2\) and there are 14 names"),
        (draw_viewpoint, (0, None, "middle"), "There is no corner 'middle'"),
        (draw_viewpoint, (float("nan"),), "The viewpoint is nan, None"),
        (draw_viewpoint, (0, float("inf")), "The viewpoint is 0, inf"),
        *((blend_layout, (mask,), "The mask has shape") for mask in (np.zeros((2, 2, 3), np.uint8), np.full((2, 2), 0.5))),
        *((blend_layout, (np.full((2, 2), value),), "The mask has shape") for value in (256, -1)),
        *((draw_numbers, (shares,), "pass one or more numbers from 0 to 1") for shares in ([], [1.1], [float("nan")])),
    ],
)
def test_what_cannot_be_drawn_is_an_error(image: Image.Image, draw: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(image, *arguments)


def test_surfaces_are_colored_and_divided_by_white(image: Image.Image) -> None:
    mask = np.zeros((24, 24), np.uint8)
    mask[:12], mask[12:, 12:] = 1, 2  # above, below right; nothing below left
    drawn = blend_layout(image, mask)
    above, right, left = (np.array(drawn.getpixel(place)) for place in ((120, 40), (200, 200), (40, 200)))
    for pixel, color in ((above, SURFACES[0]), (right, SURFACES[1])):
        assert pixel.tolist() == pytest.approx((0.55 * 90 + 0.45 * np.array(getrgb(color))).tolist(), abs=1)
    assert left.tolist() == [90, 90, 90]
    assert [drawn.getpixel(place) for place in ((60, 119), (60, 120), (200, 120), (120, 200), (119, 200))] == [(255, 255, 255)] * 5
    whites = (np.asarray(drawn) == 255).all(axis=2)
    assert whites[:110].sum() == whites[130:, :110].sum() == 0
    # the sixth surface begins anew
    mask = np.repeat(np.arange(1, 7, dtype=np.uint8), 4)[None, :].repeat(4, axis=0)
    drawn = blend_layout(image, mask)
    pixels = [drawn.getpixel((20 + 40 * place, 120)) for place in range(6)]
    assert len(set(pixels)) == 5
    assert pixels[0] == pixels[5]


@pytest.mark.parametrize(
    ("yaw", "toward"), [(0, (0, -1)), (90, (-1, 0)), (180, (0, 1)), (270, (1, 0)), (45, (-(0.5**0.5), -(0.5**0.5))), (-90, (1, 0))]
)
@pytest.mark.parametrize("corner", ["bottom right", "top left"])
def test_the_arrow_points_to_where_the_camera_stands(image: Image.Image, yaw: float, toward: tuple[float, float], corner: str) -> None:
    drawn = draw_viewpoint(image, yaw, corner=corner)
    (x, y), radius = dial_place(image.size, corner)
    at = lambda share: drawn.getpixel((round(x + share * radius * toward[0]), round(y + share * radius * toward[1])))  # noqa: E731
    assert _near(at(0.6), RIGHT)
    assert not _near(at(-0.6), RIGHT, 60)
    orange = np.argwhere(np.abs(np.asarray(drawn, int) - np.array(getrgb(RIGHT))).max(axis=2) < 12)
    center = orange.mean(axis=0)[::-1] - np.array([x, y])
    assert math.degrees(math.acos(np.clip(center @ np.array(toward) / np.linalg.norm(center), -1, 1))) < 6


def test_the_tick_rises_with_the_elevation(image: Image.Image) -> None:
    (x, y), radius = dial_place(image.size)
    heights = []
    for elevation in (-10, 0, 30, 60, 90):
        column = np.asarray(draw_viewpoint(image, 0, elevation), int)[:, round(x - 1.42 * radius)]
        rows = np.flatnonzero(np.abs(column - np.array(getrgb(RIGHT))).max(axis=1) < 12)
        heights.append(float(y - rows.mean()))
    assert heights[0] == heights[1]
    assert heights[1:] == sorted(heights[1:])
    assert np.diff(heights[1:]) == pytest.approx(1.7 * radius / 3, abs=1.5)
    with_scale, without = (np.asarray(draw_viewpoint(image, 0, elevation)) for elevation in (30, None))
    assert (with_scale != without).any()


def test_marks_of_numbers_lie_where_the_numbers_do(image: Image.Image) -> None:
    drawn = np.asarray(draw_numbers(image, [0.0, 0.5, 1.0]), int)
    orange = np.abs(drawn - np.array(getrgb(RIGHT))).max(axis=2) < 12
    rows = np.flatnonzero(orange.any(axis=1))
    tracks = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    places = [float(np.flatnonzero(orange[track].any(axis=0)).mean()) for track in tracks]
    assert len(tracks) == 3
    assert places == pytest.approx([20, 120, 220], abs=1.5)
    assert (drawn[:150] == 90).all()
