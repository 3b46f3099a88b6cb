"""Continuous labels drawn on pictures: skeletons, layouts, viewpoints and numbers (Kim et al., CVPR 2019, Figures 4 and 6).

All functions take a PIL image and return a new RGB image of the same size. Colors are Okabe and Ito's with a dark outline, visible on any photo and
distinct for color-blind people.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw

from likeness.errors import InputError

LEFT, RIGHT, MIDDLE = "#56B4E9", "#E69F00", "#FFFFFF"
SURFACES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#F0E442")
CASING, PLATE = (12, 14, 20, 235), (12, 14, 20, 165)
_FINE = 3  # supersampling factor, for smooth edges
_COVER = 0.45  # opacity of a layout's colors
_LIMB = ("ankle", "knee", "hip", "shoulder", "elbow", "wrist")
_TRUNK = (("pelvis", "thorax"), ("thorax", "upper_neck"), ("upper_neck", "head_top"), ("neck", "head_top"), ("left_hip", "right_hip"))
CORNERS = {"bottom right": (1, 1), "bottom left": (0, 1), "top right": (1, 0), "top left": (0, 0)}


def bones(names: Sequence[str]) -> list[tuple[int, int]]:
    """The bones of a skeleton as pairs of positions in `names`, for the joints of Leeds Sports Pose and MPII; other joints have no bones."""
    pairs = [(f"{side}_{a}", f"{side}_{b}") for side in ("left", "right") for a, b in pairwise(_LIMB)]
    middle = next((name for name in ("thorax", "neck") if name in names), None)
    shoulders = [(f"{side}_shoulder", middle) for side in ("left", "right")] if middle else [("left_shoulder", "right_shoulder")]
    known = {name: place for place, name in enumerate(names)}
    return [(known[a], known[b]) for a, b in [*_TRUNK, *pairs, *shoulders] if a in known and b in known]


def draw_pose(image: Image.Image, joints: Any, names: Sequence[str]) -> Image.Image:
    """Draws the skeleton: bones of "left_..." joints blue, of "right_..." orange, others white.

    `joints` (j, 2) are x and y in pixels of `image`; joints that are not finite are skipped. InputError: joints that do not fit their names.
    """
    places: NDArray[np.float64] = np.asarray(joints, dtype=np.float64)
    if places.shape != (len(names), 2):
        raise InputError(f"The joints have shape {places.shape} and there are {len(names)} names; pass x and y for each, (joints, 2).")
    width = max(1.5, min(image.size) / 44)
    visible: NDArray[np.bool_] = np.asarray(np.isfinite(places).all(axis=1))
    lines = [(a, b) for a, b in bones(names) if visible[a] and visible[b]]

    def draw(pen: ImageDraw.ImageDraw, fine: float) -> None:
        points = [(float(x) * fine, float(y) * fine) for x, y in np.nan_to_num(places, posinf=0, neginf=0)]
        for extra in (width, 0.0):  # first all outlines, then the colors
            for a, b in lines:
                color = CASING if extra else _side_color(names[a], names[b])
                pen.line([points[a], points[b]], fill=color, width=max(1, round((width + extra) * fine)))
            for joint in np.flatnonzero(visible).tolist():
                color = CASING if extra else _side_color(names[joint])
                _disc(pen, points[joint], (0.75 * width + extra / 2) * fine, color)

    return _drawn_over(image, draw)


def _side_color(*names: str) -> str:
    sides = {name.partition("_")[0].lower() for name in names} & {"left", "right"}
    return {"left": LEFT, "right": RIGHT}[sides.pop()] if len(sides) == 1 else MIDDLE


def blend_layout(image: Image.Image, mask: Any) -> Image.Image:
    """Blends the image with a color for each label of the mask from 1 on, five in turn, with white borders between them.

    `mask` (h, w) holds integers, at any resolution; 0 is no surface and stays unchanged. InputError: an invalid mask.
    """
    labels = np.asarray(mask)
    if labels.ndim != 2 or labels.dtype.kind not in "iub" or (labels.size and (labels.min() < 0 or labels.max() > 255)):
        raise InputError(f"The mask has shape {labels.shape} and type {labels.dtype}; pass a number from 0 to 255 for each pixel, (h, w).")
    fitted = np.asarray(Image.fromarray(labels.astype(np.uint8)).resize(image.size, Image.Resampling.NEAREST))
    colors = np.array([ImageColor.getrgb(color) for color in SURFACES], dtype=np.float64)
    pixels = np.asarray(image.convert("RGB"), dtype=np.float64)
    covered = (1 - _COVER) * pixels + _COVER * colors[(fitted.astype(np.int64) - 1) % len(SURFACES)]
    found = np.where((fitted > 0)[:, :, None], covered, pixels)
    found[_borders(fitted, max(1, round(min(image.size) / 128)))] = 255
    return Image.fromarray(found.round().astype(np.uint8))


def _borders(labels: NDArray[np.uint8], width: int) -> NDArray[np.bool_]:
    """Mask (h, w) of the pixels within `width` of a change of label."""
    found = np.zeros(labels.shape, bool)
    for step in range(1, width + 1):
        for a, b in ((np.s_[step:, :], np.s_[:-step, :]), (np.s_[:, step:], np.s_[:, :-step])):
            changes = labels[a] != labels[b]
            found[a] |= changes
            found[b] |= changes
    return found


def draw_viewpoint(image: Image.Image, yaw: float, elevation: float | None = None, corner: str = "bottom right") -> Image.Image:
    """Draws a dial in a corner: in top view, an arrow from the object to the camera; beside it, a tick for the camera's elevation.

    The notch at the top is the object's front (yaw 0); its own left (yaw 90) is left on the dial. Angles are in degrees; elevations below the horizon
    are drawn at 0, and None has no scale. InputError: an unknown corner, or angles that are not finite.
    """
    if corner not in CORNERS:
        raise InputError(f"There is no corner '{corner}'; choose from {', '.join(CORNERS)}.")
    if not math.isfinite(yaw) or not (elevation is None or math.isfinite(elevation)):
        raise InputError(f"The viewpoint is {yaw}, {elevation}; pass finite angles in degrees.")
    middle, radius = dial_place(image.size, corner)
    turn = math.radians(yaw)
    toward = -math.sin(turn), -math.cos(turn)

    def draw(pen: ImageDraw.ImageDraw, fine: float) -> None:
        x, y, r = middle[0] * fine, middle[1] * fine, radius * fine
        _disc(pen, (x, y), r, PLATE)
        pen.ellipse([x - r, y - r, x + r, y + r], outline="#FFFFFFC0", width=round(0.07 * r))
        pen.polygon([(x - 0.2 * r, y - r), (x + 0.2 * r, y - r), (x, y - 0.68 * r)], fill="#FFFFFFC0")
        _arrow(pen, (x, y), toward, 0.86 * r)
        if elevation is not None:
            _scale_beside(pen, x + (1.42 * r if corner.endswith("left") else -1.42 * r), y, r, elevation)

    return _drawn_over(image, draw)


def dial_place(size: tuple[int, int], corner: str = "bottom right") -> tuple[tuple[float, float], float]:
    """Center (x, y) and radius in pixels of the dial in an image of size (width, height)."""
    right, bottom = CORNERS[corner]
    radius = 0.15 * min(size)
    gap = 1.2 * radius
    return (size[0] - gap if right else gap, size[1] - gap if bottom else gap), radius


def _arrow(pen: ImageDraw.ImageDraw, start: tuple[float, float], toward: tuple[float, float], length: float) -> None:
    (x, y), (dx, dy) = start, toward
    tip, neck = (x + dx * length, y + dy * length), (x + 0.45 * dx * length, y + 0.45 * dy * length)
    pen.line([(x - 0.35 * dx * length, y - 0.35 * dy * length), neck], fill=RIGHT, width=round(0.24 * length))
    side = 0.42 * length
    pen.polygon([tip, (neck[0] - dy * side, neck[1] + dx * side), (neck[0] + dy * side, neck[1] - dx * side)], fill=RIGHT)


def _scale_beside(pen: ImageDraw.ImageDraw, x: float, y: float, r: float, elevation: float) -> None:
    """Draws a track as high as the dial, from 0 degrees at the bottom to 90 at the top, with a tick on it."""
    pen.rounded_rectangle([x - 0.24 * r, y - 1.04 * r, x + 0.24 * r, y + 1.04 * r], 0.24 * r, fill=PLATE)
    pen.line([(x, y - 0.85 * r), (x, y + 0.85 * r)], fill="#FFFFFFC0", width=max(1, round(0.07 * r)))
    tick = y + (0.85 - 1.7 * min(max(elevation, 0.0), 90.0) / 90) * r
    pen.rounded_rectangle([x - 0.24 * r, tick - 0.13 * r, x + 0.24 * r, tick + 0.13 * r], 0.1 * r, fill=RIGHT)


def draw_numbers(image: Image.Image, shares: Sequence[float]) -> Image.Image:
    """Draws a track for each number along the lower edge, marked between 0 (left) and 1 (right). InputError: other numbers, or none."""
    values = [float(share) for share in shares]
    if not values or not all(0 <= value <= 1 for value in values):
        raise InputError(f"The shares are {values}; pass one or more numbers from 0 to 1.")
    wide, high = image.size
    size = min(image.size) / 24

    def draw(pen: ImageDraw.ImageDraw, fine: float) -> None:
        for row, value in enumerate(reversed(values)):
            y = (high - (2 + 2.2 * row) * size) * fine
            left, right, r = 2 * size * fine, (wide - 2 * size) * fine, size * fine
            pen.rounded_rectangle([left - r, y - 0.8 * r, right + r, y + 0.8 * r], 0.8 * r, fill=PLATE)
            pen.line([(left, y), (right, y)], fill="#FFFFFFC0", width=max(1, round(0.16 * r)))
            _disc(pen, (left + value * (right - left), y), 0.95 * r, CASING)
            _disc(pen, (left + value * (right - left), y), 0.7 * r, RIGHT)

    return _drawn_over(image, draw)


def _drawn_over(image: Image.Image, draw: Callable[[ImageDraw.ImageDraw, float], None]) -> Image.Image:
    """Calls `draw` with a transparent canvas and its number of pixels per pixel of the image, and blends the result."""
    sheet = Image.new("RGBA", (image.width * _FINE, image.height * _FINE), (0, 0, 0, 0))
    draw(ImageDraw.Draw(sheet), float(_FINE))
    return Image.alpha_composite(image.convert("RGBA"), sheet.resize(image.size, Image.Resampling.BOX)).convert("RGB")


def _disc(pen: ImageDraw.ImageDraw, middle: tuple[float, float], radius: float, color: Any) -> None:
    pen.ellipse([middle[0] - radius, middle[1] - radius, middle[0] + radius, middle[1] + radius], fill=color)
