"""Detect without labels which aspects occur in images."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Rows = NDArray[np.float32]

_FEWEST = 2  # aspects, without which nothing varies
_IMAGES = 5_000  # for what is due to chance


class Occurrence(NamedTuple):
    """Of how many images each aspect (k,) is the best match, of how many a word without a meaning would be, in its place, and whether the first is
    more than the second; so it is of two aspects at least.
    """

    images: NDArray[np.int64]
    chance: NDArray[np.float64]
    occurs: NDArray[np.bool_]


def occurring(images: Rows, aspects: Rows) -> Occurrence:
    """Finds the aspects that are the best match of more images than a meaningless word would be.

    A word without a meaning is an aspect whose difference a_j - m from the mean m of the aspects is turned into a random direction of d dimensions.
    Its similarity to image x is then normal with mean <x, m> and standard deviation |a_j - m| / sqrt(d), so that it is expected to be the best match
    of the sum over x of P(it is above the best of the other aspects) images. No label, no drawing, no threshold to choose.

    Args:
        images: unit rows (n, d); what is due to chance is estimated from 5,000 of them, evenly spaced, where there are more.
        aspects: unit rows (k, d), k at least 2.

    Example:
        >>> images = np.eye(4, 64, dtype=np.float32)[[0, 0, 0, 1, 1]]
        >>> occurring(images, np.eye(4, 64, dtype=np.float32)[:3]).occurs
        array([ True,  True, False])
    """
    counts = np.bincount(_best_two(images, aspects)[0], minlength=len(aspects))
    sample = images[:: -(-len(images) // _IMAGES)] if len(images) else images
    chance = _by_chance(sample, aspects) * (len(images) / max(len(sample), 1))
    occurs = counts > chance
    occurs[np.argsort(chance - counts, kind="stable")[:_FEWEST]] = True
    return Occurrence(counts, chance, occurs)


def _by_chance(images: Rows, aspects: Rows) -> NDArray[np.float64]:
    mean = aspects.mean(axis=0, dtype=np.float64)
    lengths = np.linalg.norm(aspects - mean, axis=1)
    best, first, second = _best_two(images, aspects)
    level = np.asarray(images @ mean, np.float64)
    found = np.empty(len(aspects))
    for place, length in enumerate(lengths):
        others = np.where(best == place, second, first)  # the best of the other aspects
        found[place] = ndtr((level - others) * np.sqrt(images.shape[1]) / max(length, np.finfo(np.float32).tiny)).sum()
    return found


def _best_two(images: Rows, aspects: Rows) -> tuple[NDArray[np.int64], Rows, Rows]:
    """Of each image the place of its best aspect, the similarity to it, and to the second best."""
    similarities = images @ aspects.T
    best = similarities.argmax(axis=1)
    first = similarities[np.arange(len(images)), best]
    similarities[np.arange(len(images)), best] = -np.inf
    return best.astype(np.int64), first, similarities.max(axis=1)
