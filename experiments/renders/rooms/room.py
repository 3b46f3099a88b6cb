"""An empty box of a room seen from inside: its surfaces, its camera, and the layout of a picture.

Room coordinates, in meters: x towards the center wall, y to the left, z up. The floor is z = 0, the side walls are at
y = +-width / 2, the center wall is at x = depth; the camera stands at x = 0 with its back to the rest of the room.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.renders.cars.render import Camera, look_at
from experiments.renders.poses.surfaces import Surface, nearest_surface
from likeness.arrays import Float64s

# The values of a layout, numbered as in tools for the LSUN room layout challenge: walls first. Where LSUN calls the walls of a
# picture with a single corner left and right, here the wall that faces the camera stays the center wall, so that a layout
# changes continuously as the camera turns. The two side walls change names when a picture is flipped.
SURFACES = {"center wall": 1, "left wall": 2, "right wall": 3, "floor": 4, "ceiling": 5}
_ORDER = ("floor", "center wall", "left wall", "right wall", "ceiling")  # the floor first, for its shadows
_VALUES = np.array([SURFACES[name] for name in _ORDER], np.uint8)
LEAST_SHARE = 0.005  # a surface counts as visible from this share of the picture
_GRID = 64

X, Y, Z = np.eye(3)


class Room(NamedTuple):
    """Sizes in meters, camera_side the camera's y; yaw to the left and pitch upward in degrees; field the angle of view in degrees."""

    width: float
    depth: float
    height: float
    camera_side: float
    camera_height: float
    camera_yaw: float
    camera_pitch: float
    field: float


class Finish(NamedTuple):
    """How a surface looks: a pattern, one repeat of it in meters, and its two colors (2, 3)."""

    pattern: str
    unit: float
    colors: Float64s


def room_camera(room: Room, pixels: int) -> Camera:
    """The camera of a room for a square frame of that many pixels."""
    yaw, pitch = np.radians(room.camera_yaw), np.radians(room.camera_pitch)
    ahead = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
    place = np.array([0.0, room.camera_side, room.camera_height])
    half_field = float(np.tan(np.radians(room.field) / 2))
    return look_at(place + ahead, 180 + room.camera_yaw, -room.camera_pitch, 1.0, half_field, pixels, np.zeros(2))


def room_surfaces(room: Room, finishes: dict[str, Finish]) -> list[Surface]:
    """Floor, center, left and right wall and ceiling of a room, with the finish of each name of SURFACES."""
    planes = {
        "floor": (-Z, 0.0, X, Y),
        "center wall": (X, room.depth, Y, Z),
        "left wall": (Y, room.width / 2, X, Z),
        "right wall": (-Y, room.width / 2, X, Z),
        "ceiling": (Z, room.height, X, Y),
    }
    return [Surface(*planes[name], *finishes[name]) for name in _ORDER]


def room_layout(room: Room, size: int) -> npt.NDArray[np.uint8]:
    """The layout (size, size) of the empty room: at every pixel's center the value of SURFACES of what is seen there."""
    plain = Finish("plain", 1.0, np.zeros((2, 3)))
    indices = nearest_surface(room_surfaces(room, dict.fromkeys(SURFACES, plain)), room_camera(room, size), size)
    layout: npt.NDArray[np.uint8] = _VALUES[indices]
    return layout


def visible_surfaces(room: Room) -> tuple[str, ...]:
    """Names of the surfaces that take at least LEAST_SHARE of the picture, in the order of SURFACES."""
    counts = np.bincount(room_layout(room, _GRID).ravel(), minlength=len(SURFACES) + 1)
    return tuple(name for name, value in SURFACES.items() if counts[value] >= LEAST_SHARE * _GRID**2)
