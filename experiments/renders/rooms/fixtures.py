"""What hangs on the walls: windows, doors, pictures, mirrors, curtains.

Coordinates as in `furniture`: x along the wall, y into the room, z up, the wall at y = 0.
"""

import numpy as np

from experiments.renders.poses.solids import Solid, joined
from experiments.renders.rooms.furniture import Build, block
from likeness.arrays import Float64s

_FRAME, _SKY = np.array([0.94, 0.94, 0.92]), np.array([0.68, 0.84, 0.97])


def window(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, tall, low = 0.8 + 1.0 * u[0], 0.8 + 0.5 * u[1], 0.75 + 0.25 * u[2]
    bars = [block(0, 0.05, low, (0.05, 0.03, tall), _FRAME), block(0, 0.05, low + tall / 2, (wide, 0.03, 0.05), _FRAME)]
    sill = block(0, 0.08, low - 0.08, (wide + 0.2, 0.16, 0.04), _FRAME)
    pane = block(0, 0.02, low, (wide, 0.04, tall), _SKY * (0.75 + 0.3 * u[3]).clip(0, 1))
    return joined([block(0, 0.015, low - 0.06, (wide + 0.12, 0.03, tall + 0.12), _FRAME), pane, *bars, sill])


def curtain(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide = 0.35 + 0.35 * u[0]
    folds = [
        block(x * wide, 0.07, 0.08, (0.24 * wide, 0.06 + 0.05 * (i % 2), 2.02), cloth * (1 - 0.12 * (i % 2)))
        for i, x in enumerate(np.linspace(-0.5, 0.5, 5))
    ]
    return joined([block(0, 0.08, 2.10, (wide + 0.5, 0.04, 0.04), wood), *folds])


def door(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, tall, color = 0.8 + 0.15 * u[0], 2.0 + 0.08 * u[1], _FRAME if u[2] < 0.5 else wood
    panels = [block(0, 0.045, z, (0.6 * wide, 0.02, 0.6), 0.86 * color) for z in (0.25, 1.1)]
    knob = block(0.4 * wide, 0.07, 1.0, (0.05, 0.06, 0.05), np.array([0.75, 0.65, 0.3]))
    return joined([block(0, 0.015, 0, (wide + 0.16, 0.03, tall + 0.08), 0.8 * color), block(0, 0.025, 0, (wide, 0.05, tall), color), *panels, knob])


def picture(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, tall, low = 0.4 + 0.8 * u[0], 0.35 + 0.5 * u[1], 1.15 + 0.3 * u[2]
    tones = np.random.default_rng(int(1e6 * u[3])).random((3, 3))
    spot = block(0.1 * wide, 0.04, low + 0.15 * tall, (0.35 * wide, 0.02, 0.45 * tall), tones[1])
    canvas = block(0, 0.03, low, (wide, 0.03, tall), tones[0])
    return joined([block(0, 0.015, low - 0.05, (wide + 0.1, 0.03, tall + 0.1), wood if u[3] < 0.6 else tones[2]), canvas, spot])


def mirror(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, tall, low = 0.35 + 0.3 * u[0], 0.7 + 0.6 * u[1], 0.6 + 0.4 * u[2]
    glass = block(0, 0.03, low, (wide, 0.03, tall), np.array([0.80, 0.86, 0.88]))
    return joined([block(0, 0.015, low - 0.04, (wide + 0.08, 0.03, tall + 0.08), wood), glass])


FIXTURES: dict[str, Build] = {"window": window, "door": door, "picture": picture, "curtain": curtain, "mirror": mirror}
