"""What is mounted on a body: lamps, grille, plates, wheels, mirrors, seams, spare wheel, cockpit."""

from itertools import pairwise

import numpy as np

from experiments.renders.cars.hull import Hull
from experiments.renders.cars.mesh import Builder


def front_end(builder: Builder, hull: Hull, lights: tuple[float, float], grille: tuple[float, float, float], bar: str = "trim") -> None:
    """Headlights, grille, bumper intake and number plate.

    `lights` is the z range of the headlights, `grille` the half width and z range of the grille.
    """
    x = hull.top[-1][0]
    y = hull.at(hull.half_width, x)
    corner = hull.at(hull.half_width, x - 0.22)
    z0, z1 = lights
    builder.mirrored([(x + 0.012, 0.54 * y, z0), (x + 0.012, y - 0.01, z0), (x + 0.012, y - 0.03, z1), (x + 0.012, 0.60 * y, z1)], "headlight")
    wrap = [(x, y + 0.012, z0), (x - 0.20, corner + 0.012, z0 + 0.03), (x - 0.20, corner + 0.006, z1), (x, y + 0.006, z1)]
    builder.mirrored(wrap, "headlight")
    width, g0, g1 = grille
    builder.mirrored([(x + 0.012, 0, g0), (x + 0.012, width, g0), (x + 0.012, width + 0.03, g1), (x + 0.012, 0, g1)], "trim")
    for k in (1, 2):
        z = g0 + (g1 - g0) * k / 3
        builder.mirrored([(x + 0.02, 0, z - 0.012), (x + 0.02, width, z - 0.012), (x + 0.02, width, z + 0.012), (x + 0.02, 0, z + 0.012)], "chrome")
    low = hull.at(hull.sill, x)
    builder.mirrored([(x + 0.012, 0, low), (x + 0.012, 0.9 * y, low), (x + 0.012, 0.8 * y, low + 0.13), (x + 0.012, 0, low + 0.13)], bar)
    number_plate(builder, x + 0.03, low + 0.13)


def rear_end(builder: Builder, hull: Hull, lights: tuple[float, float], inner: float = 0.52, plate: float = 0.62) -> None:
    """Taillights (z range, from `inner` share of the width outwards), bumper strip, number plate at height `plate`."""
    x = hull.top[0][0]
    y = hull.at(hull.half_width, x)
    corner = hull.at(hull.half_width, x + 0.16)
    z0, z1 = lights
    builder.mirrored([(x - 0.012, inner * y, z0), (x - 0.012, y - 0.01, z0), (x - 0.012, y - 0.03, z1), (x - 0.012, inner * y, z1)], "taillight")
    wrap = [(x, y + 0.012, z0), (x + 0.15, corner + 0.012, z0), (x + 0.15, corner + 0.006, z1), (x, y + 0.006, z1)]
    builder.mirrored(wrap, "taillight")
    low = hull.at(hull.sill, x)
    builder.mirrored([(x - 0.012, 0, low), (x - 0.012, 0.96 * y, low), (x - 0.012, 0.96 * y, low + 0.14), (x - 0.012, 0, low + 0.14)], "trim")
    number_plate(builder, x - 0.03, plate)


def number_plate(builder: Builder, x: float, z: float) -> None:
    """A white plate facing along x, its lower edge at z."""
    builder.mirrored([(x, 0, z), (x, 0.26, z), (x, 0.26, z + 0.12), (x, 0, z + 0.12)], "plate")


def side_details(builder: Builder, hull: Hull, seams: tuple[float, ...], mirror: tuple[float, float], handles: tuple[float, ...] = ()) -> None:
    """Wheels, door seams at x, door handles, and mirrors at (x, z)."""
    for x in hull.wheels:
        builder.wheel(x, hull.at(hull.half_width, x) - 0.005, hull.radius)
    for x in seams:
        points = [(p[0], p[1] + 0.012, p[2]) for p in hull.section(x)]
        for low, high in pairwise(points[1:]):
            builder.mirrored([(x - 0.014, *low[1:]), (x + 0.014, *low[1:]), (x + 0.014, *high[1:]), (x - 0.014, *high[1:])], "line")
    for x in handles:
        y, z = hull.at(hull.half_width, x) + 0.012, hull.at(hull.top, x) - 1.5 * hull.shoulder
        builder.box((x - 0.09, y - 0.04, z - 0.018), (x + 0.09, y, z + 0.018), "chrome")
    x, z = mirror
    y = hull.at(hull.half_width, x)
    builder.box((x - 0.06, y - 0.12, z), (x + 0.06, y + 0.09, z + 0.13), "paint")


def spare_wheel(builder: Builder, x: float, z: float, radius: float) -> None:
    """The spare wheel, hung on the tail at height z."""
    ring = [(radius * np.cos(a), z + radius * np.sin(a)) for a in np.arange(16) * np.pi / 8]
    builder.polygon([(x - 0.2, y, h) for y, h in ring], "tire")
    for (ya, za), (yb, zb) in zip(ring, [*ring[1:], ring[0]], strict=True):
        builder.polygon([(x, ya, za), (x, yb, zb), (x - 0.2, yb, zb), (x - 0.2, ya, za)], "tire")
    builder.polygon([(x - 0.21, 0.62 * y, z + 0.62 * (h - z)) for y, h in ring], "rim")
    builder.polygon([(x - 0.22, 0.22 * y, z + 0.22 * (h - z)) for y, h in ring], "hub")


def cockpit(builder: Builder) -> None:
    """Seats, roll bars, steering wheel (left-hand drive), dashboard and windscreen of the convertible."""
    builder.prism([(-0.70, 0.42), (-0.10, 0.50), (-0.10, 0.58), (-0.62, 0.58)], 0.12, 0.60, "seat")
    builder.prism([(-0.72, 0.50), (-0.56, 0.50), (-0.74, 1.02), (-0.88, 1.02)], 0.12, 0.60, "seat")
    builder.prism([(-0.88, 1.02), (-0.76, 1.02), (-0.80, 1.18), (-0.90, 1.18)], 0.22, 0.50, "seat")
    builder.prism([(-1.00, 0.85), (-0.94, 0.85), (-0.98, 1.12), (-1.02, 1.12)], 0.16, 0.56, "chrome")
    builder.prism([(0.16, 0.66), (0.48, 0.66), (0.48, 0.87), (0.22, 0.84)], 0.0, 0.70, "trim")
    builder.polygon([(0.02, 0.20, 0.74), (0.02, 0.52, 0.74), (-0.08, 0.52, 0.96), (-0.08, 0.20, 0.96)], "trim")
    low, high = (0.56, 0.70, 0.84), (0.10, 0.58, 1.22)
    frame = [(0.56, 0.0, 0.84), low, high, (0.10, 0.0, 1.22)]
    for window in ((0.90, 1.0, 0.0, 1.0), (0.0, 1.0, 0.90, 1.0)):
        builder.panel(frame, window, "trim", lift=0.0)
    builder.panel(frame, (0.0, 0.90, 0.0, 0.90), "clear", lift=0.0)
