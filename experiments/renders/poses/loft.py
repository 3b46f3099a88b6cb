"""Skins over rings: every part of a figure is a stack of RINGS ellipses joined by triangles."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from likeness.arrays import Float64s

RINGS, SIDES = 10, 8
BANDS = RINGS - 1
INNER = np.array([0.0, 0.15, 0.35, 0.6, 0.82, 1.0])  # places of the middle rings along a limb; two more close each end
_CAP_PLACE, _CAP_RADIUS = np.array([0.9, 0.55]), np.array([0.35, 0.8])
_POLAR = np.radians(np.linspace(172, 8, RINGS))


def rings(centers: Float64s, forward: Float64s, left: Float64s) -> Float64s:
    """One part (RINGS, 3, 3): the center and the two half axes of every ring, each (RINGS, 3)."""
    return np.stack([centers, forward, left], axis=1)


def limb(start: Float64s, frame: Float64s, length: float, radii: Float64s, depth: float = 1.0) -> Float64s:
    """A part (RINGS, 3, 3) that goes `length` meters down its frame's z axis from `start` (3), with round ends.

    Radii (6) in meters stand at INNER, `depth` times as much along the frame's x axis as along y.
    """
    first, last = radii[0], radii[-1]
    along = np.concatenate([-_CAP_PLACE * first, INNER * length, length + _CAP_PLACE[::-1] * last])
    radius = np.concatenate([_CAP_RADIUS * first, radii, _CAP_RADIUS[::-1] * last])[:, None]
    return rings(start - along[:, None] * frame[:, 2], depth * radius * frame[:, 0], radius * frame[:, 1])


def ellipsoid(center: Float64s, frame: Float64s, radii: tuple[float, float, float]) -> Float64s:
    """A part (RINGS, 3, 3): the ellipsoid about `center` (3) with half axes `radii` along its frame's x, y and z."""
    ring = np.sin(_POLAR)[:, None]
    return rings(center + radii[2] * np.cos(_POLAR)[:, None] * frame[:, 2], radii[0] * ring * frame[:, 0], radii[1] * ring * frame[:, 1])


@lru_cache(maxsize=1)
def _corners() -> npt.NDArray[np.int64]:
    """Indices (BANDS * SIDES * 2, 3) of the triangles of one part into its RINGS * SIDES points, band by band."""
    band, side = np.meshgrid(np.arange(BANDS), np.arange(SIDES), indexing="ij")
    a, b = band * SIDES + side, band * SIDES + (side + 1) % SIDES
    pairs = np.stack([np.stack([a, b, a + SIDES], axis=-1), np.stack([b, b + SIDES, a + SIDES], axis=-1)], axis=2)
    return pairs.reshape(-1, 3)


def skin(parts: Float64s) -> Float64s:
    """Triangles (p * BANDS * SIDES * 2, 3, 3) of parts (p, RINGS, 3, 3)."""
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    spokes = np.stack([np.ones(SIDES), np.cos(angle), np.sin(angle)], axis=1)
    points = (spokes @ parts).reshape(len(parts), RINGS * SIDES, 3)
    triangles: Float64s = points[:, _corners()].reshape(-1, 3, 3)
    return triangles
