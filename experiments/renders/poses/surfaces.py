"""Patterned planes around the camera: what they look like, and the frame they fill."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from experiments.renders.cars.render import Camera
from likeness.arrays import Float64s

PATTERNS = ("plain", "stripes", "planks", "tiles", "checks", "bricks", "dots")


class Surface(NamedTuple):
    """A plane n.x = offset, seen from the side that the normal n (3) points away from.

    The pattern lies along the directions s (3) and t (3), one repeat being `unit` meters, in the two colors (2, 3).
    """

    normal: Float64s
    offset: float
    s: Float64s
    t: Float64s
    pattern: str
    unit: float
    colors: Float64s


class Lamp(NamedTuple):
    """A point light: its place (3), the light that comes from everywhere, its own strength, and its half distance in meters."""

    place: Float64s
    ambient: float
    strength: float
    half_distance: float


def slopes(surfaces: list[Surface], camera: Camera) -> Float64s:
    """Weights (k, 3) of (column, row, 1) that give 1 / distance of each plane along the pixel's ray, negative behind the camera."""
    normals = np.stack([surface.normal for surface in surfaces])
    room = np.array([surface.offset for surface in surfaces]) - normals @ camera.position
    weights: Float64s = normals @ np.linalg.inv(camera.matrix[:, :3]) / room[:, None]
    return weights


def nearest_surface(surfaces: list[Surface], camera: Camera, pixels: int) -> np.ndarray:
    """Index (pixels, pixels) of the surface seen at every pixel's center, from a camera inside all planes."""
    place = np.arange(pixels) + 0.5
    a, b, c = slopes(surfaces, camera).T[:, :, None, None]
    indices: np.ndarray = (a * place + b * place[:, None] + c).argmax(axis=0)
    return indices


def paint(surfaces: list[Surface], camera: Camera, lamp: Lamp, shadow: np.ndarray, image: np.ndarray) -> None:
    """Fills `image` (h, w, 3) with the surfaces; `shadow` (h, w) in 0..1 darkens the first of them."""
    planes = np.stack([np.append(surface.normal, surface.offset) for surface in surfaces])
    axes = np.array([[np.append(axis / surface.unit, 7.3) for axis in (surface.s, surface.t)] for surface in surfaces])
    colors = np.stack([surface.colors for surface in surfaces])
    kinds = np.array([PATTERNS.index(surface.pattern) for surface in surfaces])
    light = np.array([*lamp.place, lamp.ambient, lamp.strength, lamp.half_distance])
    lens = np.ascontiguousarray(np.linalg.inv(camera.matrix[:, :3]))
    _kernel()(slopes(surfaces, camera), planes, axes, colors, kinds, lens, camera.position, light, shadow, image)


@lru_cache(maxsize=1)
def _kernel() -> Callable[..., Any]:
    from experiments.renders.poses.planes import paint_planes

    return paint_planes  # type: ignore[no-any-return]
