"""From attributes to pixels, joints and masks."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.renders.cars.render import Camera, kernels, look_at, project, shade, sun_direction
from experiments.renders.poses.activities import sample_posture
from experiments.renders.poses.angles import ANGLES
from experiments.renders.poses.colors import shade_of
from experiments.renders.poses.figure import MATERIALS, Clothes, Figure, dress
from experiments.renders.poses.scene import HAIR_RGB, NUMBERS, SKIN_RGB, WORDS
from experiments.renders.poses.shadow import projected, soft_shadow
from experiments.renders.poses.skeleton import Body, pose, sample_body
from experiments.renders.poses.solids import Solid, joined
from experiments.renders.poses.stage import clutter, ground_and_wall, stool
from experiments.renders.poses.surfaces import Lamp, Surface, paint
from likeness.arrays import Float64s
from likeness.errors import InputError
from likeness.progress import Progress

Bytes = npt.NDArray[np.uint8]
SUPERSAMPLING = 2
HALF_FIELD = 0.30  # tangent of half the camera's field of view (33 degrees)
SHIFT = 0.06  # the figure stands off the frame's middle by up to this share of half the frame
SMALLEST = 0.42  # a crouched figure is framed as if half its longer side were at least this share of its height
DARKNESS = 0.55  # of the ground in the full shadow
SUN_RADIUS = 0.05  # of the sun's disc, as a tangent; it blurs the shadow
GLOSS = 0.12  # of skin, cloth and clutter
CALM = 0.25  # how far ground and wall go from their color towards gray, so that they do not outshine the clothes
_SUNS = np.array([(-1.0, -0.4), (0.0, 0.8), (1.0, -0.4)]) * SUN_RADIUS


class Actor(NamedTuple):
    """A figure standing in the world: joints (14, 3) in meters, its mesh, its body, and its seat if it has one."""

    joints: Float64s
    figure: Figure
    body: Body
    seat: Float64s | None


class Picture(NamedTuple):
    """pixels (size, size, 3), joints (14, 2) as column and row in pixels, and where the figure is (size, size)."""

    pixels: Bytes
    joints: Float64s
    mask: npt.NDArray[np.bool_]


def draw(row: Mapping[Any, Any], size: int = 128) -> Picture:
    """Renders one picture: a mapping with the columns of `scene.ATTRIBUTES`.

    Posture, body, shades and clutter have a generator of their own each, seeded by `variant`; so other clothes, another
    background or another camera leave the posture as it is. (0, 0) is the outer corner of the upper left pixel.

    Raises:
        InputError: an unknown word, a number that is missing or not finite, a size below 1.
    """
    words, view = _checked(row, size)
    pose_rng, body_rng, color_rng, stage_rng, camera_rng = (np.random.default_rng((int(view["variant"]), i)) for i in range(5))
    actor = act(words, sample_posture(words["activity"], pose_rng), sample_body(body_rng), bool(body_rng.random() < 0.25))
    camera = aim(actor, view, size * SUPERSAMPLING, SHIFT * camera_rng.uniform(-1, 1, 2))
    colors, grounds = _colors(words, color_rng)
    surfaces = ground_and_wall((words["ground"], words["wall"]), grounds, view["yaw"], stage_rng)
    things = clutter(surfaces[1], view["yaw"], color_rng.random((5, 3)), stage_rng)
    if actor.seat is not None:
        things = joined([things, stool(actor.seat, 0.24 * actor.body.height, color_rng.random(3))])
    sun = sun_direction(view["yaw"], view["sun_azimuth"], view["sun_elevation"])
    figure = Solid(actor.figure.triangles, colors[actor.figure.material])
    pixels, mask = _render(figure, things, surfaces, camera, sun, size)
    places = project(camera, actor.joints)
    return Picture(pixels, places[:, :2] / places[:, 2:] / SUPERSAMPLING, mask)


def _checked(row: Mapping[Any, Any], size: int) -> tuple[dict[str, str], dict[str, float]]:
    """The words and the numbers of a picture."""
    words = {name: str(row.get(name)) for name in WORDS}
    for name, word in words.items():
        if word not in WORDS[name]:
            raise InputError(f'The {name} "{word}" is unknown: use one of {", ".join(WORDS[name])}.')
    view = {name: float(row.get(name, np.nan)) for name in NUMBERS}
    bad = [name for name, value in view.items() if not np.isfinite(value)]
    if bad or size < 1:
        raise InputError(f"A picture of {size} px lacks a number for {bad or 'nothing'}: fill these columns and ask for at least 1 px.")
    if view["variant"] < 0:
        raise InputError(f"The variant {view['variant']:.0f} is negative: give a whole number of at least 0.")
    return words, view


def act(words: Mapping[str, str], angles: Float64s, body: Body, striped: bool) -> Actor:
    """The dressed figure in a posture, angles (24), put on the ground with its lowest point or lifted off it."""
    posed = pose(body, angles)
    figure = dress(body, posed, Clothes(words["shirt"], words["trousers"], words["hair"], striped))
    lift = float(angles[ANGLES.index("lift")])
    foot = np.append(-posed.joints[:, :2].mean(axis=0), lift - figure.triangles[..., 2].min())
    seat = foot - (0.0, 0.0, 0.055 * body.height * body.girth) if words["activity"] == "sitting" else None
    return Actor(posed.joints + foot, Figure(figure.triangles + foot, figure.material), body, seat)


def aim(actor: Actor, view: Mapping[str, float], pixels: int, shift: Float64s) -> Camera:
    """A camera before the middle of the joints' box, so far that the box's longer side takes the share `fill` of the frame."""
    a, e = np.radians(view["yaw"]), np.radians(view["elevation"])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    back = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    axes = np.stack([right, np.cross(back, right), back])
    places = actor.joints @ axes.T
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    across, up, toward = (places - middle).T
    share = view["fill"] * HALF_FIELD
    fit = (toward + np.maximum(abs(across), abs(up)) / share).max()
    distance = max(float(fit), SMALLEST * actor.body.height / share)
    return look_at(middle @ axes, view["yaw"], view["elevation"], distance, HALF_FIELD, pixels, shift)


def _colors(words: Mapping[str, str], rng: np.random.Generator) -> tuple[Float64s, Float64s]:
    """RGB of the figure's materials (7, 3), and of ground and wall the two colors of each (2, 2, 3)."""
    wall, wall_lab = shade_of(words["background_color"], rng)
    ground, _ = shade_of(words["ground_color"], rng)
    shirt, shirt_lab = shade_of(words["shirt_color"], rng, unlike=wall_lab)
    trousers, _ = shade_of(words["trousers_color"], rng, unlike=wall_lab)
    shoes, _ = shade_of(words["shoes_color"], rng)
    stripe, _ = shade_of(words["trousers_color"], rng, unlike=shirt_lab)
    tone = 1 + 0.08 * rng.uniform(-1, 1, 2)
    skin, hair = np.clip(tone[0] * np.array(SKIN_RGB[words["skin"]]), 0, 1), tone[1] * np.array(HAIR_RGB[words["hair_color"]])
    named = {"skin": skin, "hair": hair, "shirt": shirt, "stripe": stripe, "trousers": trousers, "shoes": shoes, "eyes": np.full(3, 0.08)}
    first, share = np.stack([ground, wall]), rng.uniform(0.15, 0.6, (2, 1))
    first += CALM * (first.mean(axis=1, keepdims=True) - first)
    second = (1 - share) * first + share * rng.random((2, 3))
    return np.stack([named[name] for name in MATERIALS]), np.stack([first, second], axis=1)


def _render(figure: Solid, things: Solid, surfaces: list[Surface], camera: Camera, sun: Float64s, size: int) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    rasterize, _, downsample = kernels()
    pixels = size * SUPERSAMPLING
    image, depth = np.empty((pixels, pixels, 3), np.float32), np.zeros((pixels, pixels), np.float32)
    covered, hidden = np.zeros((2, pixels, pixels), np.bool_)
    solids, first = joined([things, figure]), len(things.triangles)
    lights = sun + _SUNS[:, :1] * (-sun[1], sun[0], 0.0) + _SUNS[:, 1:] * (0.0, 0.0, 1.0)
    shadow = soft_shadow(solids, camera, lights, DARKNESS, pixels)
    paint(surfaces, camera, Lamp(25 * sun, 0.66, 0.75, 30.0), shadow, image)
    alpha, matt = np.ones(len(solids.triangles)), np.full(len(solids.triangles), GLOSS)
    corners, colors = projected(camera, solids.triangles), shade(solids.triangles, solids.colors, matt, sun, camera.position)
    rasterize(corners[:first], colors[:first], alpha, image, depth, hidden)
    rasterize(corners[first:], colors[first:], alpha, image, depth, covered)
    out, mask = np.empty((size, size, 3), np.uint8), np.empty((size, size), np.bool_)
    downsample(image, covered, SUPERSAMPLING, out, mask)
    return out, mask


def render_poses(frame: pd.DataFrame, size: int = 128, progress: Progress | None = None) -> Bytes:
    """Pixels (n, size, size, 3) of all rows; `progress(done, n)` is called after each."""
    out = np.empty((len(frame), size, size, 3), np.uint8)
    for i, row in enumerate(frame.to_dict("records")):
        out[i] = draw(row, size).pixels
        if progress:
            progress(i + 1, len(frame))
    return out
