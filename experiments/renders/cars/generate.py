"""From attributes to pixels, masks and data sets."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.renders.cars.bodies import body_mesh
from experiments.renders.cars.mesh import CLEAR, MATERIALS, PAINT
from experiments.renders.cars.render import CLEAR_ALPHA, LIFT, SHADOW, cast_on_ground, kernels, look_at, project, shade, sun_direction
from experiments.renders.cars.scene import BODY_SIZES, BODY_TYPES, HALF_FIELD, NUMBERS
from likeness.arrays import Float64s
from likeness.data import hsv_to_rgb
from likeness.errors import InputError
from likeness.progress import Progress

Bytes = npt.NDArray[np.uint8]
SUPERSAMPLING = 3
SPREAD = 0.05  # every car's length, width and height differ from its body type's by up to this share
SHIFT = 0.05  # the car stands off the frame's middle by up to this share of half the frame

_RGB = np.array(list(MATERIALS.values()), dtype=np.float64) / 255
_GLOSS = np.array([{"glass": 2.0, "paint": 1.0, "chrome": 1.5, "clear": 1.5}.get(name, 0.2) for name in MATERIALS])


class Picture(NamedTuple):
    """pixels (size, size, 3) and where the car is (size, size); its shadow is not the car."""

    pixels: Bytes
    mask: npt.NDArray[np.bool_]


def draw(row: Mapping[Any, Any], size: int = 128) -> Picture:
    """Renders one scene: a mapping with the columns of `scene.ATTRIBUTES`, of which the names beside the body's are not read.

    Proportions and place in the frame vary a little from car to car; they come from a generator seeded by the row's own
    angles and hue, so that the row alone fixes the picture.

    Raises:
        InputError: an unknown body type, a number that is missing or not finite, a size below 1.
    """
    body, view = _checked(row, size)
    yaw, elevation = view["yaw"], view["elevation"]
    rng = np.random.default_rng([round(view[column] * 10_000) % 3_600_000 for column in ("yaw", "sun_azimuth", "car_hue")])
    scale, shift = 1 + SPREAD * rng.uniform(-1, 1, 3) * (1, 0.6, 1), SHIFT * rng.uniform(-1, 1, 2)
    mesh = body_mesh(body)
    triangles, pixels = mesh.triangles * scale, size * SUPERSAMPLING
    target = np.array([0.0, 0.0, BODY_SIZES[body][2] * scale[2] / 2])
    camera = look_at(target, yaw, elevation, view["distance"], HALF_FIELD, pixels, shift)
    sun = sun_direction(yaw, view["sun_azimuth"], view["sun_elevation"])
    paint, background = _paints(view)
    colors = np.where((mesh.material == PAINT)[:, None], paint, _RGB[mesh.material])
    colors = shade(triangles, colors, _GLOSS[mesh.material], sun, camera.position)
    alpha = np.where(mesh.material == CLEAR, CLEAR_ALPHA, 1.0)
    shadow = project(camera, cast_on_ground(triangles, sun))
    return _compose(project(camera, triangles), colors, alpha, shadow, background, _horizon(elevation, pixels, shift[1]), size)


def _checked(row: Mapping[Any, Any], size: int) -> tuple[str, dict[str, float]]:
    """The body type and the numbers of a scene."""
    body = str(row.get("body_type"))
    if body not in BODY_TYPES:
        raise InputError(f'Body type "{body}" is unknown: use one of {", ".join(BODY_TYPES)}.')
    view = {column: float(row.get(column, np.nan)) for column in NUMBERS}
    bad = [column for column, value in view.items() if not np.isfinite(value)]
    if bad or size < 1:
        raise InputError(f"A scene of {size} px lacks a number for {bad or 'nothing'}: fill these columns and ask for at least 1 px.")
    return body, view


def _paints(view: Mapping[str, float]) -> Float64s:
    """RGB of the car's paint and of the background (2, 3), lifted off black."""
    hsv = [[view[f"{who}_{part}"] for part in ("hue", "saturation", "value")] for who in ("car", "background")]
    return LIFT + (1 - LIFT) * hsv_to_rgb(hsv)


def _horizon(elevation: float, pixels: int, shift: float) -> float:
    """Pixel row of the horizon for a camera that looks down by `elevation` degrees."""
    return float(pixels / 2 * (1 + shift - np.tan(np.radians(elevation)) / HALF_FIELD))


def _compose(triangles: Float64s, colors: Float64s, alpha: Float64s, shadow: Float64s, background: Float64s, horizon: float, size: int) -> Picture:
    rasterize, backdrop, downsample = kernels()
    pixels = size * SUPERSAMPLING
    image, depth = np.empty((pixels, pixels, 3), np.float32), np.zeros((pixels, pixels), np.float32)
    shaded, covered = np.zeros((pixels, pixels), np.bool_), np.zeros((pixels, pixels), np.bool_)
    rasterize(shadow, colors, alpha, image, depth, shaded)
    backdrop(image, background, horizon, pixels, shaded, SHADOW)
    depth[:] = 0
    rasterize(triangles, colors, alpha, image, depth, covered)
    out, mask = np.empty((size, size, 3), np.uint8), np.empty((size, size), np.bool_)
    downsample(image, covered, SUPERSAMPLING, out, mask)
    return Picture(out, mask)


def render_scene(row: Mapping[Any, Any], size: int = 128) -> Bytes:
    """Pixels (size, size, 3) of one scene, a row of `sample_scenes`."""
    return draw(row, size).pixels


def render_scenes(frame: pd.DataFrame, size: int = 128, progress: Progress | None = None) -> Bytes:
    """Pixels (n, size, size, 3) of all rows; `progress(done, n)` is called after each."""
    out = np.empty((len(frame), size, size, 3), np.uint8)
    for i, row in enumerate(frame.to_dict("records")):
        out[i] = draw(row, size).pixels
        if progress:
            progress(i + 1, len(frame))
    return out


def render_masks(frame: pd.DataFrame, size: int = 128) -> npt.NDArray[np.bool_]:
    """True (n, size, size) where the car covers at least half of a pixel; its shadow does not count."""
    return np.stack([draw(row, size).mask for row in frame.to_dict("records")])
