"""From attributes to pixels and layouts."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.renders.cars.render import Camera, kernels, shade
from experiments.renders.poses.colors import shade_of
from experiments.renders.poses.shadow import projected, soft_shadow
from experiments.renders.poses.solids import joined
from experiments.renders.poses.surfaces import Lamp, Surface, paint
from experiments.renders.rooms.placing import Things, furnish
from experiments.renders.rooms.room import Finish, Room, room_camera, room_layout, room_surfaces
from experiments.renders.rooms.scene import LISTS, NOTHING, NUMBERS, WORDS, room_of
from likeness.errors import InputError
from likeness.progress import Progress

Bytes = npt.NDArray[np.uint8]
SUPERSAMPLING = 2
CALM = 0.38  # how far walls, floor and ceiling go from their color towards gray
DARKNESS = 0.5  # of the floor in the full shadow
_LIGHTS = np.array([(-0.35, -0.25, 1), (0.35, -0.2, 1), (0.0, 0.4, 1)])  # directions that blur the shadow
_UNITS = {"plain": 1.0, "stripes": 0.35, "planks": 0.16, "tiles": 0.45, "checks": 0.8, "bricks": 0.14, "dots": 0.35}


class Picture(NamedTuple):
    """pixels (size, size, 3), the layout (size, size) of the empty room in values of SURFACES, and where things hide it (size, size)."""

    pixels: Bytes
    layout: Bytes
    hidden: npt.NDArray[np.bool_]


def draw(row: Mapping[Any, Any], size: int = 128) -> Picture:
    """Renders one picture: a mapping with the columns of `scene.ATTRIBUTES`, of which surfaces and visible are not read.

    Shades, light and places have a generator of their own each, seeded by `variant`; so other colors leave the things where
    they are, and nothing but the room and its camera changes the layout.

    Raises:
        InputError: an unknown word, a number that is missing or not finite, a camera outside the room, a size below 1.
    """
    words, lists, room, variant = _checked(row, size)
    color_rng, place_rng, light_rng = (np.random.default_rng((variant, i)) for i in range(3))
    finishes = _finishes(words, color_rng)
    cloth, _ = shade_of(words["furniture_color"], color_rng)
    things = furnish(room, lists["furniture"], lists["fixtures"], cloth, place_rng)
    place = np.array([0.15 + 0.5 * light_rng.random(), 0.6 * (light_rng.random() - 0.5), 0.90]) * (room.depth, room.width, room.height)
    lamp = Lamp(place, 0.50 + 0.12 * light_rng.random(), 0.62, 2.2 + 2.5 * light_rng.random())
    pixels, hidden = _render(things, room_surfaces(room, finishes), room_camera(room, size * SUPERSAMPLING), lamp, size)
    return Picture(pixels, room_layout(room, size), hidden)


def _checked(row: Mapping[Any, Any], size: int) -> tuple[dict[str, str], dict[str, list[str]], Room, int]:
    """The words, the lists of things, the room and the variant of a picture."""
    words = {name: str(row.get(name)) for name in WORDS}
    lists = {name: [kind for kind in str(row.get(name)).split(", ") if kind != NOTHING] for name in LISTS}
    given = [(name, word, WORDS[name]) for name, word in words.items()] + [(name, kind, LISTS[name]) for name in LISTS for kind in lists[name]]
    for name, word, known in given:
        if word not in known:
            raise InputError(f'The {name} "{word}" is unknown: use one of {", ".join(dict.fromkeys(known))}.')
    bad = [name for name in NUMBERS if not np.isfinite(float(row.get(name, np.nan)))]
    if bad or size < 1:
        raise InputError(f"A picture of {size} px lacks a number for {bad or 'nothing'}: fill these columns and ask for at least 1 px.")
    room, variant = room_of(row), int(row["variant"])
    if not (abs(room.camera_side) < room.width / 2 and 0 < room.camera_height < room.height and room.depth > 0 and 0 < room.field < 180):
        raise InputError(f"The camera of {room} is not inside the room: move it between the walls and give a field of view below 180 degrees.")
    if variant < 0:
        raise InputError(f"The variant {variant} is negative: give a whole number of at least 0.")
    return words, lists, room, variant


def _finishes(words: Mapping[str, str], rng: np.random.Generator) -> dict[str, Finish]:
    """The finish of every surface; the center wall shares that of the side walls where their color words agree."""
    finishes = {}
    patterns = {"wall": words["wall_pattern"], "center_wall": "plain", "floor": words["floor_pattern"], "ceiling": "plain"}
    for name, pattern in patterns.items():
        color, _ = shade_of(words[f"{name}_color"], rng)
        color = color + CALM * (color.mean() - color)
        second = color + rng.uniform(0.15, 0.45) * (rng.random(3) - color)
        finishes[name] = Finish(pattern, _UNITS[pattern] * rng.uniform(0.7, 1.5), np.stack([color, second]))
    center = finishes["wall"] if words["center_wall_color"] == words["wall_color"] else finishes["center_wall"]
    sides = finishes["wall"]
    return {"center wall": center, "left wall": sides, "right wall": sides, "floor": finishes["floor"], "ceiling": finishes["ceiling"]}


def _render(things: Things, surfaces: list[Surface], camera: Camera, lamp: Lamp, size: int) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    rasterize, _, downsample = kernels()
    pixels = size * SUPERSAMPLING
    image, depth = np.empty((pixels, pixels, 3), np.float32), np.zeros((pixels, pixels), np.float32)
    covered = np.zeros((pixels, pixels), np.bool_)
    paint(surfaces, camera, lamp, soft_shadow(things.furniture, camera, _LIGHTS, DARKNESS, pixels), image)
    solid = joined([things.furniture, things.fixtures])
    # solids are lit from one direction, from the lamp to the middle of the floor before the camera, a little from the camera
    light = lamp.place * (0.4, 1.0, 1.3) + (-0.8, 0.0, 0.0)
    matt = np.full(len(solid.triangles), 0.15)
    colors = shade(solid.triangles, solid.colors, matt, light / np.sqrt(light @ light), camera.position)
    rasterize(projected(camera, solid.triangles), colors, np.ones(len(matt)), image, depth, covered)
    out, hidden = np.empty((size, size, 3), np.uint8), np.empty((size, size), np.bool_)
    downsample(image, covered, SUPERSAMPLING, out, hidden)
    return out, hidden


def render_rooms(frame: pd.DataFrame, size: int = 128, progress: Progress | None = None) -> Bytes:
    """Pixels (n, size, size, 3) of all rows; `progress(done, n)` is called after each."""
    out = np.empty((len(frame), size, size, 3), np.uint8)
    for i, row in enumerate(frame.to_dict("records")):
        out[i] = draw(row, size).pixels
        if progress:
            progress(i + 1, len(frame))
    return out
