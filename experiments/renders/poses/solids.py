"""Boxes, posts and balls: the things that stand about in a picture, as colored triangles in meters."""

from typing import NamedTuple

import numpy as np

from experiments.renders.poses.loft import ellipsoid, skin
from likeness.arrays import Float64s

_BOX = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 1.0)])
_FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
)


class Solid(NamedTuple):
    """Triangles (t, 3, 3) and the color (t, 3) in 0..1 of each."""

    triangles: Float64s
    colors: Float64s


def joined(solids: list[Solid]) -> Solid:
    """All triangles of some solids; of none, no triangles."""
    if not solids:
        return Solid(np.empty((0, 3, 3)), np.empty((0, 3)))
    return Solid(np.concatenate([solid.triangles for solid in solids]), np.concatenate([solid.colors for solid in solids]))


def painted(triangles: Float64s, color: Float64s) -> Solid:
    """Triangles (t, 3, 3) of one color (3)."""
    return Solid(triangles, np.broadcast_to(color, (len(triangles), 3)))


def box(foot: Float64s, size: tuple[float, float, float], color: Float64s, yaw: float = 0.0) -> Solid:
    """An upright box on the middle (3) of its lower face, `size` long along x, y and z before it is turned by `yaw` radians."""
    corners = _BOX * size
    if yaw:
        c, s = np.cos(yaw), np.sin(yaw)
        corners = corners @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    return painted((foot + corners)[_FACES], color)


def post(foot: Float64s, lower: float, upper: float, height: float, color: Float64s, sides: int = 8) -> Solid:
    """A round post or cone with its top closed, from the radius `lower` at its foot (3) to `upper` at its top."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1)
    low, high = foot + lower * ring, foot + upper * ring + (0, 0, height)
    after, top = np.roll(np.arange(sides), -1), np.broadcast_to(foot + np.array([0, 0, height]), (sides, 3))
    side = [np.stack([low, low[after], high], axis=1), np.stack([low[after], high[after], high], axis=1)]
    return painted(np.concatenate([*side, np.stack([high, high[after], top], axis=1)]), color)


def ball(center: Float64s, radii: tuple[float, float, float], color: Float64s) -> Solid:
    """An ellipsoid with upright axes about `center` (3)."""
    return painted(skin(ellipsoid(center, np.eye(3), radii)[None]), color)
