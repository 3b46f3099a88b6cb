"""What one picture shows: the room, its camera, the colors and the furniture, and how they are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from experiments.renders.poses.scene import pick_words
from experiments.renders.rooms.fixtures import FIXTURES
from experiments.renders.rooms.furniture import FURNITURE
from experiments.renders.rooms.room import Room, visible_surfaces
from likeness.data import CSS_COLORS
from likeness.errors import InputError

NOTHING = "nothing"
WALL_COLORS = ("white", "silver", "gray", "olive", "teal", "navy", "maroon", "green", "purple", "aqua", "orange", "yellow")
WORDS: dict[str, tuple[str, ...]] = {
    "wall_color": WALL_COLORS,
    "center_wall_color": WALL_COLORS,
    "floor_color": ("gray", "silver", "white", "olive", "maroon", "orange", "black", "teal", "navy"),
    "ceiling_color": ("white", "silver", "gray", "olive", "teal", "aqua"),
    "furniture_color": CSS_COLORS,
    "wall_pattern": ("plain", "plain", "plain", "stripes", "bricks", "dots", "tiles"),
    "floor_pattern": ("plain", "planks", "planks", "tiles", "checks"),
}
LISTS = {"furniture": tuple(FURNITURE), "fixtures": tuple(FIXTURES)}
RANGES = {
    "room_width": (2.7, 4.8),
    "room_depth": (2.8, 5.4),
    "room_height": (2.3, 3.3),
    "camera_height": (0.9, 1.9),
    "camera_yaw": (-18.0, 18.0),
    "camera_pitch": (-10.0, 6.0),
    "field": (66.0, 90.0),
}
MARGIN = 0.9  # meters between the camera and a side wall
ACCENT = 0.35  # share of the rooms whose center wall has a color of its own
MOST = {"furniture": 8, "fixtures": 4}


@dataclass(frozen=True)
class Scene:
    """All attributes of one picture; lengths in meters, angles in degrees (see `room`).

    surfaces counts what is visible of SURFACES and visible names it; furniture and fixtures name what may hide it, separated by
    commas. variant is the number from which all that has no name is drawn: the shades of the colors, the places of things.
    """

    surfaces: int
    visible: str
    furniture: str
    fixtures: str
    wall_color: str
    center_wall_color: str
    floor_color: str
    ceiling_color: str
    furniture_color: str
    wall_pattern: str
    floor_pattern: str
    room_width: float
    room_depth: float
    room_height: float
    camera_side: float
    camera_height: float
    camera_yaw: float
    camera_pitch: float
    field: float
    variant: int


ATTRIBUTES = tuple(field.name for field in fields(Scene))
NUMBERS = (*(field.name for field in fields(Scene) if field.type is float), "variant")
_DRAWN = ("camera_side", "variant", "accent", *WORDS, *RANGES)
_COUNT = len(_DRAWN) + sum(1 + len(kinds) for kinds in LISTS.values())


def sample_rooms(n: int, seed: int = 0) -> pd.DataFrame:
    """Attributes of `n` pictures, one row each, columns `ATTRIBUTES`; row i of a seed is the same for every `n`.

    Colors and furniture are independent of the room and of the camera. All are uniform in their ranges.
    Numbers have 4 decimals, so a table read back from CSV draws the same pixels.

    Raises:
        InputError: n < 1 or seed < 0.
    """
    if n < 1 or seed < 0:
        raise InputError(f"{n} rooms with seed {seed} cannot be drawn: ask for at least 1 room and a seed of at least 0.")
    draws = np.stack([np.random.default_rng((seed, i)).random(_COUNT) for i in range(n)])
    uniform = dict(zip(_DRAWN, draws.T, strict=False))
    frame = pd.DataFrame({name: pick_words(words, uniform[name]) for name, words in WORDS.items()})
    frame["center_wall_color"] = frame["center_wall_color"].where(uniform["accent"] < ACCENT, frame["wall_color"])
    for name, (low, high) in RANGES.items():
        frame[name] = (low + (high - low) * uniform[name]).round(4)
    frame["camera_side"] = ((frame["room_width"] / 2 - MARGIN) * (2 * uniform["camera_side"] - 1)).round(4)
    frame["variant"] = (uniform["variant"] * 2**31).astype(np.int64)
    first = len(_DRAWN)
    for name, kinds in LISTS.items():
        frame[name] = [_some(kinds, MOST[name], row) for row in draws[:, first : first + 1 + len(kinds)]]
        first += 1 + len(kinds)
    visible = [visible_surfaces(room_of(row)) for row in frame.to_dict("records")]
    frame["visible"], frame["surfaces"] = [", ".join(names) for names in visible], [len(names) for names in visible]
    return frame[list(ATTRIBUTES)]


def _some(kinds: tuple[str, ...], most: int, uniform: np.ndarray) -> str:
    """Up to `most` kinds, from uniform numbers (1 + kinds)."""
    count = int(uniform[0] * (most + 1))
    return ", ".join(kinds[i] for i in np.argsort(uniform[1:])[:count]) or NOTHING


def room_of(row: Mapping[Any, Any]) -> Room:
    """The room and the camera of a row."""
    width, depth, height = (float(row[f"room_{name}"]) for name in ("width", "depth", "height"))
    side, up, yaw, pitch = (float(row[f"camera_{name}"]) for name in ("side", "height", "yaw", "pitch"))
    return Room(width, depth, height, side, up, yaw, pitch, float(row["field"]))
