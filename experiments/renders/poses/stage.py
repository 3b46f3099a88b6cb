"""Where the figure stands: ground, wall, and clutter that is never in front of it."""

import numpy as np

from experiments.renders.poses.solids import Solid, ball, box, joined, post
from experiments.renders.poses.surfaces import Surface
from likeness.arrays import Float64s

WALL_DISTANCES = (1.6, 9.0)  # meters behind the figure
CLEARANCE = 1.35  # meters behind the figure where clutter begins
MOST_CLUTTER = 6
_WALL_TURN = np.radians(22)
_UNITS = {"plain": 1.0, "stripes": 0.5, "planks": 0.2, "tiles": 0.45, "checks": 0.7, "bricks": 0.16, "dots": 0.5}


def ground_and_wall(words: tuple[str, str], colors: Float64s, yaw: float, rng: np.random.Generator) -> list[Surface]:
    """The ground (first) and a wall behind the figure as seen from azimuth `yaw` in degrees.

    `words` are the patterns of ground and wall, `colors` (2, 2, 3) the two colors of each.
    """
    near, turn, wide, tall = rng.random(4)
    low, high = WALL_DISTANCES
    azimuth = np.radians(yaw) + _WALL_TURN * (2 * turn - 1)
    away, along = -np.array([np.cos(azimuth), np.sin(azimuth), 0.0]), np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    ground, wall = (_UNITS[word] * scale for word, scale in zip(words, (0.7 + 0.8 * wide, 0.7 + 0.8 * tall), strict=True))
    return [
        Surface(-up, 0.0, along, away, words[0], ground, colors[0]),
        Surface(away, low * (high / low) ** near, along, up, words[1], wall, colors[1]),
    ]


def clutter(wall: Surface, yaw: float, palette: Float64s, rng: np.random.Generator) -> Solid:
    """Up to MOST_CLUTTER things behind the figure and before the wall, in colors (k, 3) of the palette."""
    a = np.radians(yaw)
    away, right = -np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
    things = []
    for _ in range(rng.integers(MOST_CLUTTER + 1)):
        u = rng.random(8)
        if u[0] < 0.3:
            things.append(_panel(wall, u[1:6], palette[int(u[6] * len(palette))]))
            continue
        behind = CLEARANCE + u[1] * max(min(wall.offset, 6.0) - CLEARANCE - 0.6, 0.0)
        place = behind * away + (2 * u[2] - 1) * (0.4 * behind + 1.2) * right
        if wall.normal @ place < wall.offset - 0.5:
            things.append(_thing(place, u[3:], palette))
    return joined(things)


def _thing(place: Float64s, u: Float64s, palette: Float64s) -> Solid:
    """One of five kinds of things on the ground."""
    first, second = palette[int(u[1] * len(palette))], palette[int(u[2] * len(palette))]
    size = 0.5 + u[3]
    if u[0] < 0.35:
        return box(place, (0.6 * size, 0.8 * size, (0.3 + u[4]) * size), first, 3 * u[2])
    if u[0] < 0.5:
        return post(place, 0.05 * size, 0.05 * size, 1.0 + 1.6 * u[4], first)
    if u[0] < 0.65:
        return post(place, 0.22 * size, 0.02, 0.7 * size, first, 10)
    up = size * np.array([0.0, 0.0, 1.0])
    if u[0] < 0.8:
        return ball(place + 0.28 * up, (0.28 * size,) * 3, first)
    crown = (0.45 * size, 0.45 * size, 0.55 * size)
    return joined([post(place, 0.07, 0.05, 1.2 * size, second), ball(place + 1.6 * up, crown, first)])


def _panel(wall: Surface, u: Float64s, color: Float64s) -> Solid:
    """A flat rectangle on the wall."""
    middle = (wall.offset - 0.015) * wall.normal + (2 * u[0] - 1) * (0.4 * wall.offset + 1.2) * wall.s + (0.3 + 2.0 * u[1]) * wall.t
    wide, tall = (0.2 + 0.6 * u[2]) * wall.s, (0.2 + 0.6 * u[3]) * wall.t
    corners = middle + np.stack([-wide - tall, wide - tall, wide + tall, -wide + tall])
    return Solid(corners[[[0, 1, 2], [0, 2, 3]]], np.stack([color, color]))


def stool(seat: Float64s, width: float, color: Float64s) -> Solid:
    """A block whose top is at `seat` (3)."""
    return box(np.array([seat[0], seat[1], 0.0]), (width, width, float(seat[2])), color)
