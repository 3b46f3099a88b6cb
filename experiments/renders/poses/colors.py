"""Shades: a color word becomes one of the many colors that go by it."""

from functools import lru_cache

import numpy as np

from experiments.renders.cars.palette import MIN_CONTRAST, palette
from likeness.arrays import Float64s
from likeness.data import CSS_COLORS, hsv_to_rgb

LIFT = 0.05  # even black cloth returns some light
_TRIES = 6


@lru_cache(maxsize=1)
def _shades() -> tuple[list[np.ndarray], Float64s, Float64s]:
    """Indices of each word's colors in the palette's pool, the chance of each to be kept, and all colors' RGB (m, 3)."""
    pool = palette(clear=None)  # a green shirt has to stand out before a green wall
    weight = np.diff(pool.cumulative, prepend=0.0)
    largest = np.array([weight[pool.name == name].max() for name in range(len(CSS_COLORS))])
    sure = weight / largest[pool.name] > 0.6  # away from the naming borders
    return [np.flatnonzero(sure & (pool.name == name)) for name in range(len(CSS_COLORS))], pool.lab, hsv_to_rgb(pool.hsv)


def shade_of(word: str, rng: np.random.Generator, unlike: Float64s | None = None) -> tuple[Float64s, Float64s]:
    """A color by that word, as RGB (3) in 0..1 lifted off black, and its CIELAB (3).

    With `unlike`, a CIELAB color (3), the first of six that lies at least MIN_CONTRAST from it, or the farthest.
    """
    members, lab, rgb = _shades()
    tries = members[CSS_COLORS.index(word)]
    tries = tries[(rng.random(_TRIES) * len(tries)).astype(int)]
    pick = 0
    if unlike is not None:
        gaps = np.sqrt(((lab[tries] - unlike) ** 2).sum(axis=1))
        pick = int((gaps >= MIN_CONTRAST).argmax() if gaps.max() >= MIN_CONTRAST else gaps.argmax())
    return LIFT + (1 - LIFT) * rgb[tries[pick]], lab[tries[pick]]
