"""The lower body of a car: cross-sections lofted along its length, with cut-out wheel arches and open tubs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from experiments.renders.cars.mesh import Builder, Point


@dataclass(frozen=True)
class Hull:
    """Profiles over x (knots in meters, interpolated linearly) that define a lower body.

    Attributes:
        top: (x, z) of the bonnet, belt and boot line, from rear to front.
        half_width: (x, y) in plan.
        sill: (x, z) of the lower edge.
        wheels: x of the two axles.
        radius: wheel radius.
        tub: x range and floor z of an opening in the top (a cargo bed, a cockpit), or None.
        cladding: height of dark cladding on the lower sides; 0 for none.
        shoulder: height of the sloping strip between side and top.
        tuck: how much narrower the top edge is than the widest point, on each side.
    """

    top: Sequence[tuple[float, float]]
    half_width: Sequence[tuple[float, float]]
    sill: Sequence[tuple[float, float]]
    wheels: tuple[float, float]
    radius: float
    tub: tuple[float, float, float] | None = None
    cladding: float = 0.0
    shoulder: float = 0.10
    tuck: float = 0.10

    def at(self, profile: Sequence[tuple[float, float]], x: float) -> float:
        """The value of a profile at x."""
        return float(np.interp(x, [p[0] for p in profile], [p[1] for p in profile]))

    def bottom(self, x: float) -> float:
        """Lower edge at x: the sill, or the wheel arch above it."""
        reach = self.radius * 1.16
        edges = [self.radius + np.sqrt(max(reach**2 - (x - w) ** 2, 0.0)) for w in self.wheels if abs(x - w) < reach]
        return float(max([self.at(self.sill, x), *edges]))

    def section(self, x: float) -> list[Point]:
        """Points of the left half of the section at x, from the lower edge to the inner edge of the top."""
        y, top, bottom = self.at(self.half_width, x), self.at(self.top, x), self.bottom(x)
        low, high = self.at(self.sill, x), top - self.shoulder
        waist = low + 0.55 * (high - low)
        mid = max(waist, bottom + 0.02)
        clad = max(low + self.cladding, bottom + (0.07 if self.cladding else 0.0))
        return [
            (x, y - 0.02, bottom),
            (x, y - 0.01, min(clad, mid)),
            (x, y, mid),
            (x, y - 0.25 * self.tuck, max(high, mid + 0.01)),
            (x, y - self.tuck, top),
        ]

    def stations(self) -> list[float]:
        """x of all sections: every knot, the arches in fine steps, the ends of the tub."""
        knots = {p[0] for profile in (self.top, self.half_width, self.sill) for p in profile}
        arch = {w + 1.16 * self.radius * np.sin(a) for w in self.wheels for a in np.linspace(-np.pi / 2, np.pi / 2, 9)}
        ends = set(self.tub[:2]) if self.tub else set()
        rear, front = self.top[0][0], self.top[-1][0]
        return sorted(x for x in knots | arch | ends if rear <= x <= front)

    def build(self, builder: Builder) -> None:
        """Adds sides, top, ends, tub, dark wheel wells and underside."""
        xs = self.stations()
        sections = [self.section(x) for x in xs]
        for here, there in pairwise(sections):
            for k in range(4):
                material = "trim" if k == 0 and self.cladding else "paint"
                builder.mirrored([here[k], there[k], there[k + 1], here[k + 1]], material)
            middle = (here[0][0] + there[0][0]) / 2
            if self.tub is None or not self.tub[0] < middle < self.tub[1]:
                flat(builder, here[4], there[4], "paint")
        for section in (sections[0], sections[-1]):
            builder.polygon(section + [(x, -y, z) for x, y, z in reversed(section)], "paint")
        self._under(builder, xs)
        if self.tub:
            self._tub(builder, *self.tub)

    def _under(self, builder: Builder, xs: list[float]) -> None:
        """A dark block behind the wheel arches; where it stands above the floor of a tub, it is the floor one sees."""
        inner = min(y for _, y in self.half_width) - 0.06
        low, high = min(z for _, z in self.sill) + 0.03, max(2.05 * self.radius, 0.6)
        builder.box((xs[0] + 0.12, 0.0, low), (xs[-1] - 0.12, min(inner, self.half_width[1][1] - 0.26), high), "under")

    def _tub(self, builder: Builder, rear: float, front: float, floor: float) -> None:
        wall = 0.07
        a, b = self.section(rear)[4], self.section(front)[4]
        inner = [(a[0] + wall, a[1] - wall, a[2]), (b[0] - wall, b[1] - wall, b[2])]
        builder.mirrored([a, b, inner[1], inner[0]], "paint")
        for outer, edge in ((a, inner[0]), (b, inner[1])):
            builder.polygon([outer, edge, (edge[0], -edge[1], edge[2]), (outer[0], -outer[1], outer[2])], "paint")
        base = [(x, y, floor) for x, y, _ in inner]
        builder.mirrored([inner[0], inner[1], base[1], base[0]], "trim")
        flat(builder, base[0], base[1], "under")
        for edge, foot in zip(inner, base, strict=True):
            builder.polygon([edge, foot, (foot[0], -foot[1], foot[2]), (edge[0], -edge[1], edge[2])], "trim")


def flat(builder: Builder, a: Point, b: Point, material: str) -> None:
    """The strip between two points and their mirror images."""
    builder.polygon([a, b, (b[0], -b[1], b[2]), (a[0], -a[1], a[2])], material)
