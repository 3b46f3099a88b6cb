"""Triangle meshes of cars and the strokes that build them: lofted hulls, panels, boxes, wheels.

Car coordinates, in meters: x forward, y to the car's own left, z up, the ground at z = 0.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from likeness.arrays import Float64s

Point = tuple[float, float, float]

# sRGB of every material but the paint, which each picture sets. CLEAR is see-through glass.
MATERIALS: dict[str, tuple[int, int, int]] = {
    "paint": (0, 0, 0),
    "glass": (52, 68, 84),
    "tire": (24, 24, 26),
    "rim": (176, 178, 182),
    "hub": (96, 98, 104),
    "trim": (40, 41, 44),
    "under": (22, 22, 24),
    "chrome": (205, 208, 212),
    "headlight": (255, 250, 214),
    "taillight": (214, 12, 22),
    "indicator": (250, 150, 30),
    "plate": (244, 244, 236),
    "seat": (150, 104, 66),
    "line": (30, 30, 32),
    "clear": (150, 185, 205),
}
MATERIAL_INDEX = {name: i for i, name in enumerate(MATERIALS)}
PAINT, CLEAR = MATERIAL_INDEX["paint"], MATERIAL_INDEX["clear"]


class Mesh(NamedTuple):
    """Triangles (t, 3, 3) of corner points in meters, and the material (t) of each."""

    triangles: Float64s
    material: np.ndarray


class Builder:
    """Collects the polygons of one car; `mesh()` ends it."""

    def __init__(self) -> None:
        self._triangles: list[Sequence[Point]] = []
        self._material: list[int] = []

    def polygon(self, points: Sequence[Point], material: str) -> None:
        """A convex flat polygon, as a fan."""
        for i in range(1, len(points) - 1):
            self._triangles.append((points[0], points[i], points[i + 1]))
            self._material.append(MATERIAL_INDEX[material])

    def mirrored(self, points: Sequence[Point], material: str) -> None:
        """The polygon and its mirror image on the car's other side."""
        self.polygon(points, material)
        self.polygon([(x, -y, z) for x, y, z in points], material)

    def panel(self, quad: Sequence[Point], window: tuple[float, float, float, float], material: str, lift: float = 0.012) -> None:
        """A quadrilateral laid on another, and its mirror image.

        `window` is (u0, u1, v0, v1) in 0..1 of `quad`, whose corners go (0, 0), (1, 0), (1, 1), (0, 1); `lift` meters off it,
        away from the car's middle.
        """
        a, b, c, d = np.array(quad, dtype=float)
        normal = np.cross(b - a, d - a) + np.cross(b - c, d - c)
        normal = normal / (np.linalg.norm(normal) + 1e-12)
        middle = (a + b + c + d) / 4
        if normal @ (middle - (0.0, 0.0, 0.7)) < 0:
            normal = -normal
        u0, u1, v0, v1 = window
        corners = [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]
        points = [a * (1 - u) * (1 - v) + b * u * (1 - v) + c * u * v + d * (1 - u) * v + lift * normal for u, v in corners]
        self.mirrored([(float(p[0]), float(p[1]), float(p[2])) for p in points], material)

    def box(self, low: Point, high: Point, material: str) -> None:
        """An upright box between two opposite corners, and its mirror image."""
        (x0, y0, z0), (x1, y1, z1) = low, high
        self.prism([(x0, z0), (x1, z0), (x1, z1), (x0, z1)], y0, y1, material)

    def prism(self, profile: Sequence[tuple[float, float]], y0: float, y1: float, material: str) -> None:
        """A convex (x, z) profile stretched from y0 to y1, and its mirror image."""
        for y in (y0, y1):
            self.mirrored([(x, y, z) for x, z in profile], material)
        for (xa, za), (xb, zb) in zip(profile, [*profile[1:], profile[0]], strict=True):
            self.mirrored([(xa, y0, za), (xb, y0, zb), (xb, y1, zb), (xa, y1, za)], material)

    def wheel(self, x: float, y: float, radius: float, width: float = 0.22, spokes: int = 5) -> None:
        """A wheel standing on the ground, its outer face at y, and its mirror image."""
        ring = [(x + radius * np.cos(a), radius + radius * np.sin(a)) for a in np.arange(16) * np.pi / 8]
        self.prism(ring, y - width, y, "tire")
        self._disc(x, y + 0.008, radius, 0.66 * radius, 16, "rim")
        self._disc(x, y + 0.020, radius, 0.20 * radius, 8, "hub")
        for i in range(spokes):
            a = 2 * np.pi * (i + 0.5) / spokes + np.pi / 2
            corner = [(0.28, -0.25), (0.56, -0.36), (0.56, 0.36), (0.28, 0.25)]
            hole = [(x + radius * r * np.cos(a + t), y + 0.014, radius + radius * r * np.sin(a + t)) for r, t in corner]
            self.mirrored(hole, "trim")

    def _disc(self, x: float, y: float, z: float, radius: float, sides: int, material: str) -> None:
        turn = np.arange(sides) * 2 * np.pi / sides
        self.mirrored([(x + radius * np.cos(a), y, z + radius * np.sin(a)) for a in turn], material)

    def lamp(self, x: float, y: float, z: float, radius: float, material: str) -> None:
        """A round lamp facing along x, and its mirror image."""
        turn = np.arange(12) * np.pi / 6
        self.mirrored([(x, y + radius * np.cos(a), z + radius * np.sin(a)) for a in turn], material)

    def mesh(self) -> Mesh:
        return Mesh(np.array(self._triangles, dtype=np.float64), np.array(self._material, dtype=np.int64))
