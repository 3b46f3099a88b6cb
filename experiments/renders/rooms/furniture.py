"""Furniture that hides the layout, built from boxes, posts and balls.

Each piece stands in coordinates of its own, in meters: x along the wall it leans on, y into the room, z up, its back at y = 0.
`cloth` (3) is the color of the room's fabrics, `wood` (3) that of its boards; `u` (4) are numbers in 0..1 that vary the piece.
"""

from collections.abc import Callable

import numpy as np

from experiments.renders.poses.solids import Solid, ball, box, joined, post
from likeness.arrays import Float64s

Build = Callable[[Float64s, Float64s, Float64s], Solid]

_WHITE, _DARK = np.array([0.93, 0.92, 0.89]), np.array([0.10, 0.10, 0.12])


def block(x: float, y: float, z: float, size: tuple[float, float, float], color: Float64s) -> Solid:
    """A box whose lower face has its middle at x, y, z."""
    return box(np.array([x, y, z]), size, color)


def bed(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, long = 1.0 + 0.8 * u[0], 1.95 + 0.15 * u[1]
    pillows = [block(x * wide, 0.30, 0.52, (0.38 * wide, 0.36, 0.13), _WHITE) for x in (-0.24, 0.24)]
    return joined(
        [
            block(0, 0.03, 0, (wide + 0.1, 0.06, 0.8 + 0.4 * u[2]), wood),
            block(0, 0.06 + long / 2, 0.08, (wide, long, 0.22), wood),
            block(0, 0.06 + long / 2, 0.30, (wide - 0.04, long - 0.04, 0.22), _WHITE),
            block(0, 0.10 + 0.64 * long, 0.30, (wide + 0.02, 0.68 * long, 0.25), cloth),
            *pillows,
        ]
    )


def sofa(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, deep = 1.3 + 0.9 * u[0], 0.85
    seats = [block(x * wide, 0.55, 0.40, (0.40 * wide, 0.62, 0.12), 0.92 * cloth) for x in (-0.205, 0.205)]
    arms = [block(x * (wide / 2 - 0.09), deep / 2, 0.08, (0.18, deep, 0.52), cloth) for x in (-1, 1)]
    return joined([block(0, deep / 2, 0.08, (wide, deep, 0.32), cloth), block(0, 0.13, 0.08, (wide, 0.26, 0.72 + 0.1 * u[1]), cloth), *arms, *seats])


def _legs(x: float, y0: float, y1: float, height: float, thick: float, color: Float64s) -> list[Solid]:
    return [block(side * x, y, 0, (thick, thick, height), color) for side in (-1, 1) for y in (y0, y1)]


def table(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, deep, tall = 0.9 + 0.8 * u[0], 0.6 + 0.4 * u[1], 0.45 + 0.3 * round(float(u[2]))
    gap = 0.1 + 0.8 * u[3]
    legs = _legs(wide / 2 - 0.06, gap + 0.06, gap + deep - 0.06, tall, 0.06, wood)
    return joined(
        [
            *legs,
            block(0, gap + deep / 2, tall, (wide, deep, 0.05), wood),
            post(np.array([0.2 * wide, gap + 0.3, tall + 0.05]), 0.05, 0.08, 0.18, cloth),
        ]
    )


def chair(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    gap = 0.1 + 0.9 * u[0]
    back = block(0, gap + 0.03, 0.45, (0.44, 0.05, 0.40 + 0.15 * u[1]), cloth if u[2] < 0.5 else wood)
    return joined([*_legs(0.19, gap + 0.03, gap + 0.42, 0.42, 0.045, wood), block(0, gap + 0.23, 0.42, (0.46, 0.46, 0.05), cloth), back])


def wardrobe(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, deep, tall = 0.9 + 0.8 * u[0], 0.58, 1.7 + 0.4 * u[1]
    knobs = [block(x, deep + 0.02, 0.5 * tall, (0.03, 0.04, 0.16), _DARK) for x in (-0.06, 0.06)]
    return joined([block(0, deep / 2, 0, (wide, deep, tall), wood), block(0, deep, 0.06, (0.012, 0.012, tall - 0.1), 0.4 * wood), *knobs])


def shelf(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, deep, rows = 0.7 + 0.6 * u[0], 0.3, 3 + int(2.99 * u[1])
    sides = [block(side * wide / 2, deep / 2, 0, (0.04, deep, 0.36 * rows + 0.04), wood) for side in (-1, 1)]
    boards = [block(0, deep / 2, 0.36 * row, (wide, deep, 0.04), wood) for row in range(rows + 1)]
    tones = np.random.default_rng(int(1e6 * u[2])).random((rows, 5))
    books = [
        block((tone[0] - 0.5) * 0.4 * wide, deep / 2, 0.36 * row + 0.04, ((0.3 + 0.25 * tone[1]) * wide, 0.2, 0.2 + 0.1 * tone[1]), tone[2:])
        for row, tone in enumerate(tones)
    ]
    return joined([block(0, 0.01, 0, (wide, 0.02, 0.36 * rows), 0.7 * wood), *sides, *boards, *books])


def lamp(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    tall, foot = 1.25 + 0.5 * u[0], np.array([0.0, 0.3, 0.0])
    shade = post(foot + np.array([0, 0, tall]), 0.22, 0.13, 0.28, 0.4 * _WHITE + 0.6 * np.array([1.0, 0.93, 0.72]), 10)
    return joined([post(foot, 0.15, 0.15, 0.03, _DARK), post(foot, 0.018, 0.018, tall + 0.1, _DARK, 5), shade])


def plant(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    size, foot, green = 0.7 + 0.6 * u[0], np.array([0.0, 0.32, 0.0]), np.array([0.10 + 0.2 * u[1], 0.32 + 0.2 * u[2], 0.14])
    leaves = [
        ball(foot + size * np.array(place), (0.22 * size,) * 3, green * tone)
        for place, tone in (((0, 0, 1.0), 1), ((0.13, 0.05, 0.75), 0.85), ((-0.14, 0, 0.8), 1.1))
    ]
    return joined([post(foot, 0.12 * size, 0.17 * size, 0.32 * size, cloth), post(foot, 0.02, 0.02, 0.8 * size, wood, 5), *leaves])


def television(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide = 1.0 + 0.6 * u[0]
    screen = block(0, 0.24, 0.52, (0.8 * wide, 0.05, 0.46 * wide), _DARK)
    return joined([block(0, 0.22, 0, (wide, 0.44, 0.45), wood), block(0, 0.22, 0.45, (0.3 * wide, 0.2, 0.07), _DARK), screen])


def rug(cloth: Float64s, wood: Float64s, u: Float64s) -> Solid:
    wide, deep, gap = 1.2 + 1.2 * u[0], 0.9 + 0.9 * u[1], 0.3 + 0.7 * u[2]
    return joined(
        [block(0, gap + deep / 2, 0, (wide, deep, 0.012), cloth), block(0, gap + deep / 2, 0.012, (wide - 0.3, deep - 0.3, 0.004), 0.4 + 0.6 * cloth)]
    )


FURNITURE: dict[str, Build] = {
    "bed": bed,
    "sofa": sofa,
    "wardrobe": wardrobe,
    "shelf": shelf,
    "table": table,
    "chair": chair,
    "television": television,
    "lamp": lamp,
    "plant": plant,
    "rug": rug,
}
