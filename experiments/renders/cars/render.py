"""Pinhole camera and z-buffer rasterizer.

World and car coordinates are the same (see `mesh`). The camera looks at a target above the car's middle; image x goes right,
image y down, both in pixels of the supersampled frame.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from likeness.arrays import Float64s

AMBIENT, SKY, DIFFUSE, SPECULAR, SHININESS = 0.61, 0.06, 0.42, 0.22, 18.0
LIFT = 0.04  # even black paint returns some light, so that its shape and its shadow can be seen
SHADOW = 0.50  # brightness of the ground in the shadow
CLEAR_ALPHA = 0.35


class Camera(NamedTuple):
    """matrix (3, 4) takes (x, y, z, 1) to (u w, v w, w): pixel column, pixel row, depth in meters; position (3) in meters."""

    matrix: Float64s
    position: Float64s


def look_at(target: Float64s, yaw: float, elevation: float, distance: float, half_field: float, pixels: int, shift: Float64s) -> Camera:
    """A camera `distance` meters from `target`, at azimuth `yaw` and `elevation` (degrees).

    `half_field` is the tangent of half the field of view, `pixels` the frame's width and height, `shift` (2) moves the
    picture right and down by a share of half the frame.
    """
    a, e = np.radians(yaw), np.radians(elevation)
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.cross(back, right)
    position = target + distance * back
    axes = np.stack([right, -up, -back])
    view = np.column_stack([axes, -axes @ position])
    half = pixels / 2
    lens = np.array([[half / half_field, 0, half * (1 + shift[0])], [0, half / half_field, half * (1 + shift[1])], [0, 0, 1]])
    return Camera(lens @ view, position)


def project(camera: Camera, points: Float64s) -> Float64s:
    """Homogeneous pixels (..., 3) of points (..., 3): divide the first two by the third, the depth."""
    result: Float64s = points @ camera.matrix[:, :3].T + camera.matrix[:, 3]
    return result


def sun_direction(yaw: float, azimuth: float, elevation: float) -> Float64s:
    """Unit vector (3) towards the sun; its azimuth is relative to the camera's at `yaw` (degrees)."""
    a, e = np.radians(yaw + azimuth), np.radians(elevation)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def shade(triangles: Float64s, colors: Float64s, gloss: Float64s, sun: Float64s, eye: Float64s) -> Float64s:
    """Lambert color (t, 3) of flat triangles (t, 3, 3): color * (AMBIENT + SKY n.z + DIFFUSE max(0, n.l)), and a Phong highlight.

    Faces are two-sided: the normal is turned towards the eye (3). `gloss` (t) scales the white highlight. Light values are
    applied to sRGB as they stand, so that a paint keeps its hue and saturation in all lights.
    """
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.sqrt((normal**2).sum(axis=1, keepdims=True)) + 1e-12
    view = eye - triangles.mean(axis=1)
    view /= np.sqrt((view**2).sum(axis=1, keepdims=True))
    normal *= np.where((normal * view).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    lit = np.maximum(normal @ sun, 0.0)
    mirror = 2 * lit[:, None] * normal - sun
    highlight = np.where(lit > 0, np.maximum((mirror * view).sum(axis=1), 0.0) ** SHININESS, 0.0)
    shaded: Float64s = np.clip(colors * (AMBIENT + SKY * normal[:, 2] + DIFFUSE * lit)[:, None] + (SPECULAR * gloss * highlight)[:, None], 0, 1)
    return shaded


def cast_on_ground(triangles: Float64s, sun: Float64s) -> Float64s:
    """Shadow triangles (t, 3, 3) on the plane z = 0, along the rays from the sun."""
    shadow: Float64s = triangles - sun * (triangles[..., 2:] / sun[2])
    return shadow


@lru_cache(maxsize=1)
def kernels() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """The compiled (rasterize, backdrop, downsample) of `raster`; the first call of a machine compiles them."""
    from experiments.renders.cars import raster

    return raster.rasterize, raster.backdrop, raster.downsample
