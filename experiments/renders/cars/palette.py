"""Colors of cars and backgrounds: uniform in HSV, then mildly rebalanced over the CSS 2.1 names.

Uniform HSV is 29 % black and 20 % gray, while red, blue, orange, yellow and fuchsia have less than 1 % each. The share of
every name is therefore moved into 3.5..11 %. Within a name, a draw near a naming border is kept with a probability that
falls linearly to 0 at the border, since no person would agree on its name.

The nearest of 17 names can still be far: salmon is nearest to maroon, pale pink to silver. Only colors are drawn that look
like their name: the nearest name is the same in CIELAB and by CIEDE2000, and its color is at most CLEAR away.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from experiments.renders.color_distances import css_distances, perceived_css_distances, rgb_to_lab
from likeness.arrays import Float64s
from likeness.data import CSS_COLORS, hsv_to_rgb

POOL_SIZE = 200_000
SHARE_RANGE = (0.035, 0.11)
SURE_MARGIN = 12.0  # CIELAB: second-nearest minus nearest distance from which a name is taken as certain
CLEAR = 9.0  # CIEDE2000: farthest from the color of its name that a color is still called so
MIN_CONTRAST = 25.0  # CIELAB distance below which a car vanishes in its background


class Palette(NamedTuple):
    """A fixed pool of colors and how likely each is: hsv (m, 3), lab (m, 3), name (m) into CSS_COLORS, cumulative (m)."""

    hsv: Float64s
    lab: Float64s
    name: np.ndarray
    cumulative: Float64s

    def pick(self, uniform: Float64s) -> np.ndarray:
        """Pool indices (n) for uniform numbers (n) in 0..1."""
        return np.minimum(np.searchsorted(self.cumulative, uniform, side="right"), len(self.cumulative) - 1)


def balanced_shares(shares: Float64s) -> Float64s:
    """Shares (k) moved into SHARE_RANGE, still summing to 1."""
    low, high = SHARE_RANGE
    balanced = shares / shares.sum()
    for _ in range(50):
        balanced = np.clip(balanced / balanced.sum(), low, high)
    result: Float64s = balanced / balanced.sum()
    return result


@lru_cache(maxsize=2)
def palette(clear: float | None = CLEAR) -> Palette:
    """The pool every scene draws from; the same in every process.

    Args:
        clear: how far a color may look from that of its name; None: every color, by the nearest name.
    """
    hsv = np.random.default_rng(0).random((POOL_SIZE, 3)).round(4)
    rgb = hsv_to_rgb(hsv)
    distances = css_distances(rgb)
    name = distances.argmin(axis=1)
    nearest = np.partition(distances, 1, axis=1)[:, :2]
    sure = np.minimum((nearest[:, 1] - nearest[:, 0]) / SURE_MARGIN, 1.0)
    if clear is not None:
        perceived = perceived_css_distances(rgb)
        sure *= (perceived.argmin(axis=1) == name) & (perceived.min(axis=1) <= clear)
    shares = np.bincount(name, minlength=len(CSS_COLORS)) / POOL_SIZE
    weight = sure * (balanced_shares(shares) / np.bincount(name, sure, len(CSS_COLORS)))[name]
    return Palette(hsv, rgb_to_lab(rgb), name, np.cumsum(weight))


def pick_pairs(uniforms: Float64s) -> tuple[np.ndarray, np.ndarray]:
    """Pool indices (n) of the car color and of the background color, from uniform numbers (n, 1 + tries).

    The two are independent, but for this: the background is the first of the tries that lies at least MIN_CONTRAST from the
    car color (the last try where none does).
    """
    pool = palette()
    car = pool.pick(uniforms[:, 0])
    tries = pool.pick(uniforms[:, 1:])
    far = np.linalg.norm(pool.lab[tries] - pool.lab[car][:, None], axis=2) >= MIN_CONTRAST
    first = np.where(far.any(axis=1), far.argmax(axis=1), tries.shape[1] - 1)
    return car, tries[np.arange(len(car)), first]
