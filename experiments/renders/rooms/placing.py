"""Where furniture and fixtures stand: along the walls, clear of each other and of the camera."""

from typing import NamedTuple

import numpy as np

from experiments.renders.poses.solids import Solid, joined
from experiments.renders.rooms.fixtures import FIXTURES
from experiments.renders.rooms.furniture import FURNITURE
from experiments.renders.rooms.room import Room
from likeness.arrays import Float64s

TRIES = 6
NEAREST = 1.1  # meters between the camera and the nearest corner of a piece
GAP = 0.06  # meters between two pieces


class Things(NamedTuple):
    """What stands on the floor and what hangs on the walls, in room coordinates."""

    furniture: Solid
    fixtures: Solid


class Wall(NamedTuple):
    """A wall's frame: its origin (3) on the floor, the direction (3) along it and the one (3) into the room, and its usable stretch."""

    origin: Float64s
    along: Float64s
    into: Float64s
    stretch: tuple[float, float]


def walls(room: Room) -> list[Wall]:
    """The center, left and right wall; of the side walls only what lies before the camera is used."""
    half, start = room.width / 2, 0.5
    x, y = np.array([1.0, 0, 0]), np.array([0.0, 1, 0])
    return [
        Wall(room.depth * x, y, -x, (-half, half)),
        Wall(half * y, -x, -y, (-room.depth, -start)),
        Wall(-half * y, x, y, (start, room.depth)),
    ]


def furnish(room: Room, furniture: list[str], fixtures: list[str], cloth: Float64s, rng: np.random.Generator) -> Things:
    """The pieces of these kinds, each against a random wall; one for which there is no room after TRIES is left out."""
    taken: list[tuple[Float64s, Float64s]] = [(np.array([-9.0, room.camera_side - 0.4, 0]), np.array([NEAREST, room.camera_side + 0.4, 9]))]
    wood = np.array([0.55, 0.38, 0.24]) * (0.45 + 1.1 * rng.random()) + 0.12 * rng.random(3)
    placed: dict[str, list[Solid]] = {"furniture": [], "fixtures": []}
    for name, kinds, builders in (("furniture", furniture, FURNITURE), ("fixtures", fixtures, FIXTURES)):
        for kind in kinds:
            tone = cloth if rng.random() < 0.6 else rng.random(3)
            solid = builders[kind](tone, wood, rng.random(4))
            spots = walls(room)
            for choice, where in zip(rng.integers(len(spots), size=TRIES), rng.random(TRIES), strict=True):
                there = _against(solid, spots[choice], float(where))
                if there is not None and _free(there, room, taken, flat=kind == "rug"):
                    placed[name].append(there)
                    break
    return Things(joined(placed["furniture"]), joined(placed["fixtures"]))


def _against(solid: Solid, wall: Wall, where: float) -> Solid | None:
    """The piece at the share `where` of a wall, None where the wall is too short for it."""
    low, high = solid.triangles[..., 0].min(), solid.triangles[..., 0].max()
    first, last = wall.stretch[0] - low, wall.stretch[1] - high
    if first > last:
        return None
    frame = np.stack([wall.along, wall.into, np.array([0.0, 0, 1])])
    return Solid(solid.triangles @ frame + wall.origin + (first + where * (last - first)) * wall.along, solid.colors)


def _free(solid: Solid, room: Room, taken: list[tuple[Float64s, Float64s]], *, flat: bool) -> bool:
    """Whether the piece fits into the room and overlaps none that stands there; if so its box is taken (a flat one takes none)."""
    points = solid.triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    if high[2] > room.height - 0.05 or abs(points[:, 1]).max() > room.width / 2 + 1e-6 or high[0] > room.depth + 1e-6:
        return False
    blocking = taken[:1] if flat else taken
    if any(bool((low < top + GAP).all() and (high > bottom - GAP).all()) for bottom, top in blocking):
        return False
    if not flat:
        taken.append((low, high))
    return True
