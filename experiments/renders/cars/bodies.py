"""The six bodies: real proportions in meters, each told from the others by its outline and its details."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from experiments.renders.cars.cabin import Cabin
from experiments.renders.cars.details import cockpit, front_end, rear_end, side_details, spare_wheel
from experiments.renders.cars.hull import Hull
from experiments.renders.cars.mesh import CLEAR, Builder, Mesh


def _plan(rear: float, front: float, half: float, nose: float = 0.80) -> list[tuple[float, float]]:
    """Half width along x: rounded corners at both ends."""
    return [
        (rear, 0.86 * half),
        (rear + 0.16, 0.96 * half),
        (rear + 0.6, half),
        (front - 0.75, half),
        (front - 0.22, 0.94 * half),
        (front, nose * half),
    ]


def sedan() -> Builder:
    """Three boxes: bonnet, cabin, boot."""
    hull = Hull(
        top=[(-2.33, 0.86), (-2.25, 0.97), (-1.5, 1.00), (0.85, 0.95), (1.95, 0.80), (2.25, 0.72), (2.33, 0.66)],
        half_width=_plan(-2.33, 2.33, 0.90),
        sill=[(-2.33, 0.36), (-1.9, 0.24), (1.9, 0.22), (2.33, 0.27)],
        wheels=(-1.38, 1.40),
        radius=0.325,
    )
    cabin = Cabin((-1.72, 0.95), (-1.02, 0.12), (0.95, 1.45), (0.80, 0.60), [(0.12, 0.46, 0.14, 0.88), (0.50, 0.90, 0.14, 0.88)])
    builder = Builder()
    hull.build(builder)
    cabin.build(builder)
    front_end(builder, hull, (0.53, 0.66), (0.34, 0.48, 0.64))
    rear_end(builder, hull, (0.70, 0.86), inner=0.50)
    side_details(builder, hull, (-0.95, -0.12, 0.90), (0.55, 0.97), (-0.72, 0.12))
    return builder


def hatchback() -> Builder:
    """Two short boxes with a steep tail, round lamps and a roof spoiler."""
    hull = Hull(
        top=[(-1.88, 0.90), (-1.84, 0.98), (0.90, 0.97), (1.50, 0.88), (1.80, 0.78), (1.88, 0.70)],
        half_width=_plan(-1.88, 1.88, 0.86),
        sill=[(-1.88, 0.36), (-1.6, 0.25), (1.5, 0.23), (1.88, 0.28)],
        wheels=(-1.22, 1.22),
        radius=0.31,
        shoulder=0.12,
    )
    cabin = Cabin((-1.84, 1.05), (-1.50, 0.28), (0.96, 1.53), (0.78, 0.62), [(0.10, 0.40, 0.16, 0.88), (0.44, 0.90, 0.12, 0.88)])
    builder = Builder()
    hull.build(builder)
    cabin.build(builder)
    front_end(builder, hull, (0.55, 0.56), (0.24, 0.40, 0.50))
    builder.lamp(1.895, 0.50, 0.60, 0.125, "trim")
    builder.lamp(1.905, 0.50, 0.60, 0.10, "headlight")
    rear_end(builder, hull, (0.66, 0.95), inner=0.72)
    builder.box((-1.66, 0.0, 1.50), (-1.36, 0.58, 1.535), "paint")
    side_details(builder, hull, (-0.42, 0.88), (0.62, 0.98), (-0.20,))
    return builder


def suv() -> Builder:
    """Tall, long-roofed, on big wheels, with cladding, roof rails and the spare wheel on its tail."""
    hull = Hull(
        top=[(-2.15, 1.10), (-2.10, 1.18), (0.80, 1.17), (1.85, 1.08), (2.10, 1.00), (2.18, 0.92)],
        half_width=_plan(-2.15, 2.18, 0.96, nose=0.86),
        sill=[(-2.15, 0.48), (-1.8, 0.38), (1.8, 0.38), (2.18, 0.46)],
        wheels=(-1.33, 1.36),
        radius=0.40,
        cladding=0.20,
        shoulder=0.10,
    )
    windows = [(0.04, 0.26, 0.14, 0.86), (0.30, 0.58, 0.14, 0.86), (0.62, 0.92, 0.14, 0.86)]
    cabin = Cabin((-2.10, 0.92), (-1.98, 0.28), (1.15, 1.86), (0.88, 0.76), windows)
    builder = Builder()
    hull.build(builder)
    cabin.build(builder)
    front_end(builder, hull, (0.78, 0.93), (0.44, 0.66, 0.94))
    rear_end(builder, hull, (0.80, 1.08), inner=0.80, plate=0.50)
    side_details(builder, hull, (-1.05, -0.15, 0.82), (0.55, 1.20), (-0.85, 0.10))
    builder.box((-1.75, 0.60, 1.90), (0.15, 0.65, 1.95), "trim")
    for x in (-1.7, -0.8, 0.05):
        builder.box((x, 0.60, 1.82), (x + 0.08, 0.65, 1.92), "trim")
    spare_wheel(builder, -2.17, 1.02, 0.36)
    return builder


def pickup() -> Builder:
    """A short cabin before an open bed, tall and long."""
    hull = Hull(
        top=[(-2.68, 1.05), (-2.66, 1.08), (-0.35, 1.08), (1.05, 1.08), (2.25, 1.02), (2.55, 0.95), (2.62, 0.88)],
        half_width=_plan(-2.68, 2.62, 0.97, nose=0.88),
        sill=[(-2.68, 0.50), (-2.3, 0.44), (2.2, 0.40), (2.62, 0.44)],
        wheels=(-1.62, 1.72),
        radius=0.40,
        tub=(-2.62, -0.45, 0.62),
        shoulder=0.06,
        tuck=0.05,
    )
    cabin = Cabin((-0.42, 1.25), (-0.30, 0.62), (1.06, 1.80), (0.88, 0.72), [(0.06, 0.34, 0.16, 0.86), (0.38, 0.88, 0.12, 0.86)])
    builder = Builder()
    hull.build(builder)
    cabin.build(builder)
    front_end(builder, hull, (0.74, 0.90), (0.50, 0.62, 0.92), bar="chrome")
    rear_end(builder, hull, (0.70, 1.02), inner=0.84, plate=0.56)
    for x in (-2.3, -0.8):
        builder.box((x, 0.86, 1.06), (x + 0.06, 0.93, 1.10), "chrome")
    side_details(builder, hull, (-0.42, 0.05, 1.15), (0.80, 1.12), (0.25,))
    builder.box((0.55, 0.10, 1.78), (0.62, 0.16, 1.84), "indicator")
    builder.box((0.55, 0.34, 1.77), (0.62, 0.40, 1.83), "indicator")
    return builder


def van() -> Builder:
    """One tall box with a short nose: glass in front, closed sides, two rear doors."""
    hull = Hull(
        top=[(-2.50, 1.16), (-2.48, 1.20), (1.55, 1.20), (2.25, 1.06), (2.44, 0.96), (2.50, 0.86)],
        half_width=_plan(-2.50, 2.50, 0.98, nose=0.84),
        sill=[(-2.50, 0.40), (-2.2, 0.30), (2.1, 0.28), (2.50, 0.34)],
        wheels=(-1.55, 1.62),
        radius=0.34,
        shoulder=0.05,
        tuck=0.03,
    )
    cabin = Cabin(
        (-2.48, 1.98),
        (-2.42, 1.05),
        (1.16, 2.36),
        (0.94, 0.84),
        [(0.76, 0.95, 0.06, 0.62)],
        rear=(0.08, 0.80, 0.22, 0.72),
        front=(0.0, 0.93, 0.03, 0.80),
    )
    builder = Builder()
    hull.build(builder)
    cabin.build(builder)
    front_end(builder, hull, (0.66, 0.84), (0.40, 0.58, 0.76))
    rear_end(builder, hull, (0.78, 1.14), inner=0.84, plate=0.62)
    builder.mirrored([(-2.515, 0, 0.56), (-2.515, 0.014, 0.56), (-2.515, 0.014, 1.18), (-2.515, 0, 1.18)], "line")
    side = [(-2.48, 0.94, 1.16), (1.98, 0.94, 1.16), (1.05, 0.84, 2.31), (-2.42, 0.84, 2.31)]
    for u in (0.40, 0.725):
        builder.panel(side, (u, u + 0.006, 0.0, 0.94), "line")
    builder.panel(side, (0.04, 0.72, 0.02, 0.035), "line")
    side_details(builder, hull, (-0.70, 0.75, 1.72), (1.55, 1.22), (-0.45, 0.98))
    builder.box((1.50, 0.94, 1.20), (1.58, 1.10, 1.50), "trim")
    return builder


def convertible() -> Builder:
    """Low and open: long bonnet, a see-through windscreen, two seats with headrests, no roof."""
    hull = Hull(
        top=[(-2.03, 0.70), (-1.95, 0.82), (-1.2, 0.90), (0.55, 0.86), (1.55, 0.76), (1.95, 0.62), (2.03, 0.56)],
        half_width=_plan(-2.03, 2.03, 0.88),
        sill=[(-2.03, 0.32), (-1.6, 0.20), (1.6, 0.18), (2.03, 0.22)],
        wheels=(-1.22, 1.25),
        radius=0.315,
        tub=(-1.05, 0.50, 0.36),
        shoulder=0.10,
        tuck=0.12,
    )
    builder = Builder()
    hull.build(builder)
    front_end(builder, hull, (0.45, 0.55), (0.30, 0.38, 0.48))
    rear_end(builder, hull, (0.58, 0.70), inner=0.50, plate=0.46)
    side_details(builder, hull, (-0.72, 0.46), (0.38, 0.88), (-0.5,))
    cockpit(builder)
    return builder


BUILDERS: dict[str, Callable[[], Builder]] = {
    "sedan": sedan,
    "hatchback": hatchback,
    "suv": suv,
    "pickup": pickup,
    "van": van,
    "convertible": convertible,
}


@lru_cache(maxsize=len(BUILDERS))
def body_mesh(body_type: str) -> Mesh:
    """The mesh of a body type, see-through glass last."""
    mesh = BUILDERS[body_type]().mesh()
    order = np.argsort(mesh.material == CLEAR, kind="stable")
    return Mesh(mesh.triangles[order], mesh.material[order])
