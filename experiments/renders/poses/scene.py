"""What one picture shows: the attributes, their values, and how they are drawn."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from experiments.renders.cars.palette import palette
from experiments.renders.poses.activities import ACTIVITIES
from experiments.renders.poses.figure import HAIRS, SHIRTS, TROUSERS
from experiments.renders.poses.surfaces import PATTERNS
from likeness.data import CSS_COLORS
from likeness.errors import InputError

HAIR_RGB = {
    "black": (0.10, 0.08, 0.08),
    "brown": (0.33, 0.20, 0.11),
    "blond": (0.86, 0.70, 0.38),
    "red": (0.64, 0.27, 0.10),
    "gray": (0.66, 0.65, 0.64),
}
SKIN_RGB = {"light": (0.96, 0.78, 0.67), "tan": (0.83, 0.62, 0.47), "brown": (0.58, 0.38, 0.26), "dark": (0.38, 0.24, 0.17)}
# no neon: what fills half of a picture comes in the calmer colors
WALL_COLORS = ("gray", "silver", "white", "olive", "teal", "navy", "maroon", "green", "purple", "aqua", "orange")
GROUND_COLORS = ("gray", "silver", "white", "olive", "teal", "navy", "maroon", "green", "black")
WORDS: dict[str, tuple[str, ...]] = {
    "activity": ACTIVITIES,
    "shirt": SHIRTS,
    "shirt_color": CSS_COLORS,
    "trousers": TROUSERS,
    "trousers_color": CSS_COLORS,
    "shoes_color": CSS_COLORS,
    "hair": HAIRS,
    "hair_color": tuple(HAIR_RGB),
    "skin": tuple(SKIN_RGB),
    "wall": PATTERNS,
    "background_color": WALL_COLORS,
    "ground": PATTERNS,
    "ground_color": GROUND_COLORS,
}
RANGES = {"yaw": (0.0, 360.0), "elevation": (0.0, 28.0), "fill": (0.62, 0.90), "sun_azimuth": (0.0, 360.0), "sun_elevation": (35.0, 75.0)}


@dataclass(frozen=True)
class Scene:
    """All attributes of one picture; angles in degrees.

    yaw 0 looks at the figure's front, 90 at its own left side; sun_azimuth 0 is a sun behind the camera, 90 one at the image's
    right. fill is the share of the frame that the longer side of the figure takes. variant is the number from which all that
    has no name is drawn: the posture within its activity, the body, the shades of the colors, the clutter.
    activity names the base that the posture was drawn around; one drawn far towards another may look more like that one.
    """

    activity: str
    shirt: str
    shirt_color: str
    trousers: str
    trousers_color: str
    shoes_color: str
    hair: str
    hair_color: str
    skin: str
    wall: str
    background_color: str
    ground: str
    ground_color: str
    yaw: float
    elevation: float
    fill: float
    sun_azimuth: float
    sun_elevation: float
    variant: int


ATTRIBUTES = tuple(field.name for field in fields(Scene))
NUMBERS = (*RANGES, "variant")


def sample_poses(n: int, seed: int = 0) -> pd.DataFrame:
    """Attributes of `n` pictures, one row each, columns `ATTRIBUTES`; row i of a seed is the same for every `n`.

    All are independent of each other: colors come from the palette of Synthetic Cars, all else is uniform. Numbers have 4
    decimals, so a table read back from CSV draws the same pixels.

    Raises:
        InputError: n < 1 or seed < 0.
    """
    if n < 1 or seed < 0:
        raise InputError(f"{n} poses with seed {seed} cannot be drawn: ask for at least 1 pose and a seed of at least 0.")
    draws = np.stack([np.random.default_rng((seed, i)).random(len(ATTRIBUTES)) for i in range(n)])
    frame = pd.DataFrame(index=range(n))
    for name, uniform in zip(ATTRIBUTES, draws.T, strict=True):
        if name in WORDS:
            frame[name] = pick_words(WORDS[name], uniform)
        elif name in RANGES:
            low, high = RANGES[name]
            frame[name] = (low + (high - low) * uniform).round(4) % 360
        else:
            frame[name] = (uniform * 2**31).astype(np.int64)
    return frame


def pick_words(words: tuple[str, ...], uniform: np.ndarray) -> np.ndarray:
    """One of `words` (n) for uniform numbers (n): of colors as often as in the palette, of others equally often."""
    if words == CSS_COLORS:
        pool = palette()
        index = pool.name[pool.pick(uniform)]
    else:
        index = np.minimum((uniform * len(words)).astype(int), len(words) - 1)
    picked: np.ndarray = np.array(words)[index]
    return picked
