"""What one picture shows: the attributes, how they are drawn, and the names their values go by."""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.renders.cars.palette import palette, pick_pairs
from likeness.data import CSS_COLORS
from likeness.errors import InputError

BODY_TYPES = ("sedan", "hatchback", "suv", "pickup", "van", "convertible")
VIEWPOINTS = ("front", "front left", "left", "rear left", "rear", "rear right", "right", "front right")
CAMERA_HEIGHTS = ("low", "medium", "high")
DISTANCES = ("near", "middle", "far")
SUN_SIDES = ("front", "right", "back", "left")
SUN_HEIGHTS = ("low", "high")

BODY_SIZES = {  # length, width, height in meters, mirrors and rails included
    "sedan": (4.72, 2.02, 1.46),
    "hatchback": (3.80, 1.94, 1.55),
    "suv": (4.72, 2.18, 1.96),
    "pickup": (5.45, 2.24, 1.92),
    "van": (5.15, 2.24, 2.40),
    "convertible": (4.10, 1.98, 1.24),
}
ELEVATION_EDGES = (3.0, 12.0, 32.0, 45.0)  # degrees: low, medium, high
SUN_EDGES = (20.0, 45.0, 75.0)  # degrees: low, high
FARTHEST = 1.5  # in units of the nearest distance at which the car fits the frame
HALF_FIELD = 0.325  # tangent of half the camera's field of view (36 degrees)
FILL = 0.98  # share of the frame that the nearest car's bounding box takes
SIDE_SHARE = 0.5  # how far the nearest distance follows the car's longest side rather than the side in view
_DRAWS = 40


@dataclass(frozen=True)
class Scene:
    """All attributes of one picture; angles in degrees, distance in meters, colors in HSV 0..1.

    yaw 0 looks at the car's front, 90 at its own left side; sun_azimuth 0 is a sun behind the camera, 90 one at the image's
    right. distance_name says how far the camera stands relative to the nearest distance at which the car fits the frame from
    there (thirds of its logarithm), so that it says how large the car is in the picture for every body and viewpoint.
    """

    body_type: str
    car_color: str
    background_color: str
    viewpoint: str
    camera_height: str
    distance_name: str
    sun_side: str
    sun_height: str
    yaw: float
    elevation: float
    distance: float
    sun_azimuth: float
    sun_elevation: float
    car_hue: float
    car_saturation: float
    car_value: float
    background_hue: float
    background_saturation: float
    background_value: float


ATTRIBUTES = tuple(field.name for field in fields(Scene))
NUMBERS = tuple(field.name for field in fields(Scene) if field.type is float)


def viewpoint_name(yaw: float) -> str:
    """The 45-degree bin of a yaw in degrees; the bins are centered on 0, 45, ..."""
    return VIEWPOINTS[int(((yaw + 22.5) % 360) // 45)]


def sun_side_name(azimuth: float) -> str:
    """The 90-degree bin of a sun azimuth in degrees; the bins are centered on 0, 90, ..."""
    return SUN_SIDES[int(((azimuth + 45) % 360) // 90)]


def nearest_distance(body_type: str, yaw: npt.ArrayLike, elevation: npt.ArrayLike) -> np.ndarray:
    """Distance (n) in meters from which a body's bounding box fills FILL of the frame, for yaw (n) and elevation (n) in degrees.

    A frontal view is narrow; its distance goes SIDE_SHARE of the way (in the logarithm) to that of the widest view, so that a
    car seen from the front still looks smaller than the same car seen from the side.
    """
    up = np.radians(np.asarray(elevation, dtype=float))
    here = _fit(body_type, np.radians(np.asarray(yaw, dtype=float)), up)
    widest = _fit(body_type, np.full_like(up, np.pi / 2), up)
    nearest: np.ndarray = np.maximum(here, here ** (1 - SIDE_SHARE) * widest**SIDE_SHARE)
    return nearest


def _fit(body_type: str, yaw: np.ndarray, up: np.ndarray) -> np.ndarray:
    length, width, height = BODY_SIZES[body_type]
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (length / 2, width / 2, height / 2)
    x, y, z = corners.T[:, :, None]
    toward = x * np.cos(yaw) + y * np.sin(yaw)
    right = -x * np.sin(yaw) + y * np.cos(yaw)
    depth = toward * np.cos(up) + z * np.sin(up)
    rise = z * np.cos(up) - toward * np.sin(up)
    fit: np.ndarray = (depth + np.maximum(abs(right), abs(rise)) / (FILL * HALF_FIELD)).max(axis=0)
    return fit


def sample_scenes(n: int, seed: int = 0) -> pd.DataFrame:
    """Attributes of `n` scenes, one row each, columns `ATTRIBUTES`; scene i of a seed is the same for every `n`.

    Bodies, yaw and sun azimuth are uniform; camera height, distance and sun height are uniform over their names and inside
    each; colors come from `palette`. Numbers have 4 decimals, so a table read back from CSV renders the same pixels.
    With 100,000 scenes the commonest car color has 11 % and the rarest 3.5 %.

    Raises:
        InputError: n < 1 or seed < 0.
    """
    if n < 1 or seed < 0:
        raise InputError(f"{n} scenes with seed {seed} cannot be drawn: ask for at least 1 scene and a seed of at least 0.")
    draws = np.stack([np.random.default_rng((seed, i)).random(_DRAWS) for i in range(n)])
    frame = pd.DataFrame({"body_type": np.array(BODY_TYPES)[(draws[:, 0] * len(BODY_TYPES)).astype(int)]})
    frame["yaw"] = (360 * draws[:, 1]).round(4) % 360
    frame["elevation"] = _in_bins(draws[:, 2], ELEVATION_EDGES)
    factor = FARTHEST ** draws[:, 3]
    frame["distance"] = 0.0
    for body_type, rows in frame.groupby("body_type").groups.items():
        nearest = nearest_distance(str(body_type), frame.loc[rows, "yaw"], frame.loc[rows, "elevation"])
        frame.loc[rows, "distance"] = (nearest * factor[rows]).round(4)
    frame["sun_azimuth"] = (360 * draws[:, 4]).round(4) % 360
    frame["sun_elevation"] = _in_bins(draws[:, 5], SUN_EDGES)
    _add_colors(frame, draws[:, 6:])
    frame["distance_name"] = np.array(DISTANCES)[np.minimum((3 * draws[:, 3]).astype(int), 2)]
    frame["viewpoint"] = frame["yaw"].map(viewpoint_name)
    frame["sun_side"] = frame["sun_azimuth"].map(sun_side_name)
    frame["camera_height"] = np.array(CAMERA_HEIGHTS)[np.searchsorted(ELEVATION_EDGES[1:3], frame["elevation"])]
    frame["sun_height"] = np.array(SUN_HEIGHTS)[np.searchsorted(SUN_EDGES[1:2], frame["sun_elevation"])]
    return frame[list(ATTRIBUTES)]


def _in_bins(uniform: np.ndarray, edges: tuple[float, ...]) -> np.ndarray:
    """Uniform numbers (n) in 0..1 to values (n): every bin between two edges is as likely as the others."""
    values: np.ndarray = np.interp(uniform, np.linspace(0, 1, len(edges)), edges).round(4)
    return values


def _add_colors(frame: pd.DataFrame, uniforms: np.ndarray) -> None:
    pool = palette()
    for who, index in zip(("car", "background"), pick_pairs(uniforms), strict=True):
        frame[f"{who}_color"] = np.array(CSS_COLORS)[pool.name[index]]
        for column, part in enumerate(("hue", "saturation", "value")):
            frame[f"{who}_{part}"] = pool.hsv[index, column]
