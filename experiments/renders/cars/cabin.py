"""The glass house on top of a hull: windscreen, side windows, rear window, pillars and roof."""

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.renders.cars.hull import flat
from experiments.renders.cars.mesh import Builder, Point

Window = tuple[float, float, float, float]


@dataclass(frozen=True)
class Cabin:
    """A cabin by its corners, in meters; it narrows from `y[0]` at the belt to `y[1]` at the roof.

    Attributes:
        base: x of the rear and front end at the belt.
        roof: x of the rear and front end at the roof.
        z: height of the belt and of the roof.
        y: half width at the belt and at the roof.
        sides: windows on each side as (u0, u1, v0, v1), u from rear to front, v from belt to roof.
        rear: window of the rear end, likewise over half its width, u from the middle outwards, or None.
        front: the windscreen, likewise.
    """

    base: tuple[float, float]
    roof: tuple[float, float]
    z: tuple[float, float]
    y: tuple[float, float]
    sides: Sequence[Window] = ()
    rear: Window | None = (0.0, 0.88, 0.10, 0.92)
    front: Window | None = (0.0, 0.92, 0.04, 0.95)

    def build(self, builder: Builder) -> None:
        """Adds painted faces with dark glass on them and a rounded roof edge."""
        (r0, f0), (r1, f1), (z0, z1), (y0, y1) = self.base, self.roof, self.z, self.y
        drop, inset = 0.05, 0.13
        edge = z1 - drop
        corners: list[Point] = [(r0, y0, z0), (f0, y0, z0), (f1, y1, edge), (r1, y1, edge)]
        builder.mirrored(corners, "paint")
        for window in self.sides:
            builder.panel(corners, window, "glass")
        ends = (corners[0], corners[3], self.rear), (corners[1], corners[2], self.front)
        for low, high, glass in ends:
            flat(builder, low, high, "paint")
            if glass:
                builder.panel([(low[0], 0.0, low[2]), low, high, (high[0], 0.0, high[2])], glass, "glass")
        rear_top, front_top = (r1 + inset, y1 - inset, z1), (f1 - inset, y1 - inset, z1)
        builder.mirrored([corners[3], corners[2], front_top, rear_top], "paint")
        flat(builder, corners[2], front_top, "paint")
        flat(builder, corners[3], rear_top, "paint")
        flat(builder, rear_top, front_top, "paint")
