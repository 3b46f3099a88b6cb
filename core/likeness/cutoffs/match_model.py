"""Probability of a match as an increasing function of the score: a posterior over curves, given scores and answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError

Floats = NDArray[np.float64]
Curves = NDArray[np.float32]
Rows = NDArray[np.int64]

_SINGLE = 40  # of the best images, each is a bin: there a cut-off may lie between any two
_BINS = 200
_CENTERS, _SLOPES = 56, 14
_STEEPNESS = (0.7, 30.0)  # log odds per standard deviation of the scores
_LAPSE = 0.01  # answers that have nothing to do with the score
_TRUST = 0.4  # the logarithm of the mixture's likelihood counts as that of n ** _TRUST images
_SHARE, _SHARE_DEVIATION = 0.03, 1.5  # of images that match a query: median, and deviation of the log odds
_ZERO_WIDTH = 0.5  # deviations between score 0 and even odds, where there are negative prompts
_LEAST_DEVIATION = 0.1  # of a group of scores
_TINY = 1e-6


class ScoreBins(NamedTuple):
    """Images by score in bins: `order` (n,) has the rows, the best first, equal scores by row, `places` (n,) the place of each row in it, `ends` (b,)
    how many images the bins up to each hold, the sizes that a cut-off may give, `counts` (b,) those in each, `z` (b,) the mean score of each in
    standard deviations of all scores above their mean, and `zero` is where the score 0 lies on that scale.
    """

    order: Rows
    places: Rows
    ends: Rows
    counts: Floats
    z: Floats
    zero: float

    def bin_of(self, places: Any) -> Rows:
        """The bins of images by their place in `order`."""
        return np.asarray(np.searchsorted(self.ends, places, side="right"))


def match_scores(similarities: Any, negatives: Any = None) -> Floats:
    """(n,) how much more similar each image is to a query than to the negative prompt (m, n) that it is most similar to; without these the
    similarities.

    InputError: fewer than 2 images, values that are not finite, or negatives of other images.
    """
    scores = np.asarray(to_numpy(similarities))
    if scores.ndim != 1 or len(scores) < 2 or scores.dtype.kind not in "fiu" or not np.isfinite(scores).all():
        raise InputError(f"The similarities have shape {scores.shape}; pass one finite number for each of at least 2 images.")
    scores = scores.astype(np.float64)
    if negatives is None:
        return scores
    others = np.atleast_2d(np.asarray(to_numpy(negatives)))
    if others.ndim != 2 or others.shape[1] != len(scores) or not len(others) or others.dtype.kind not in "fiu" or not np.isfinite(others).all():
        raise InputError(f"The similarities to negative prompts have shape {others.shape}; pass finite numbers, (prompts, {len(scores)}).")
    margins: Floats = scores - others.max(axis=0)
    return margins


def score_bins(scores: Floats) -> ScoreBins:
    """The bins of (n,) scores: the best 40 images are one each, sizes grow geometrically below.

    Example:
        >>> import numpy as np
        >>> score_bins(np.array([0.1, 0.9, 0.5])).order
        array([1, 2, 0])
    """
    n = len(scores)
    order = np.argsort(-scores, kind="stable")
    places = np.empty(n, np.int64)
    places[order] = np.arange(n)
    growing = np.geomspace(min(_SINGLE, n), n, _BINS - _SINGLE)
    ends = np.unique(np.concatenate([np.arange(1, min(_SINGLE, n) + 1), np.rint(growing).astype(np.int64)])).astype(np.int64)
    counts = np.diff(ends, prepend=0).astype(np.float64)
    mean, deviation = float(scores.mean()), float(scores.std())
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        return ScoreBins(order, places, ends, counts, np.zeros(len(ends)), 0.0)
    z = np.add.reduceat(scores[order], np.concatenate([[0], ends[:-1]])) / counts
    return ScoreBins(order, places, ends, counts, (z - mean) / deviation, -mean / deviation)


@dataclass(frozen=True, eq=False)
class MatchModel:
    """Curves P(match | score) = 1 / (1 + exp(-slope (z - center))) on a grid: the chance (g, b) that an image matches, by curve and bin, and as
    `prior` (g,) the logarithm of what speaks for each before any answer.
    """

    bins: ScoreBins
    chance: Curves
    prior: Floats

    def weights(self, bins: Iterable[int] = (), matches: Iterable[bool] = ()) -> Floats:
        """(g,) of the curves, in sum 1, after answers: the bins of images, and whether these match."""
        logs = self.prior.copy()
        for place, match in zip(bins, matches, strict=True):
            # a lapse rate: a single mistaken answer must not exclude a curve
            logs += np.log(_LAPSE + (1 - 2 * _LAPSE) * (self.chance[:, place] if match else 1 - self.chance[:, place]))
        # the maximum is subtracted so that not all weights underflow to zero
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    @cached_property
    def found(self) -> Curves:
        """(g, b) expected matches up to the end of each bin."""
        return np.asarray(np.cumsum(self.chance * self.bins.counts.astype(np.float32), axis=1))

    @cached_property
    def precision(self) -> Curves:
        """(g, b) share of matches among the images up to the end of each bin."""
        return np.asarray(self.found / self.bins.ends, np.float32)

    @cached_property
    def recall(self) -> Curves:
        """(g, b) share of the matches that are among these."""
        return np.asarray(self.found / np.maximum(self.found[:, -1:], _TINY), np.float32)

    @cached_property
    def f1(self) -> Curves:
        """(g, b) harmonic mean of both."""
        return np.asarray(2 * self.found / (self.bins.ends + self.found[:, -1:]), np.float32)

    @cached_property
    def entropy(self) -> Curves:
        """(g, b) of `chance`, in nats."""
        return entropy(self.chance)


def entropy(chance: NDArray[np.floating]) -> Curves:
    """Of yes or no with this probability, in nats."""
    inside = np.clip(chance, _TINY, 1 - _TINY).astype(np.float32)
    return np.asarray(-inside * np.log(inside) - (1 - inside) * np.log1p(-inside))


def match_model(bins: ScoreBins, zero: bool = False) -> MatchModel:
    """The model without answers.

    A curve splits the scores into those of matches and of others; with the share, mean and deviation of both, the likelihood of a mixture of two
    normal distributions follows. Scores are not normal, and their groups no clean ones, so that its logarithm counts as if there were few images:
    nothing that is plausible is excluded. Curves are also weighed by the share of images that match, of which 3 % is the median (from 0.2 to 37 % in
    95 of 100 cases), since a flat weight lets every second image match. With `zero` the scores are differences to negative prompts, so that even odds
    are expected near 0.
    """
    center, slope = (each.ravel() for each in np.meshgrid(_centers(bins), np.geomspace(*_STEEPNESS, _SLOPES), indexing="ij"))
    # beyond 40 the logistic function is within 1e-17 of 0 or 1, and exp would overflow for much larger values
    odds = np.clip(slope[:, None] * (bins.z - center[:, None]), -40, 40).astype(np.float32)
    chance: Curves = np.asarray(1 / (1 + np.exp(-odds)), np.float32)
    n = float(bins.ends[-1])
    share = np.clip(chance @ (bins.counts / n).astype(np.float32), 1e-12, 1 - _TINY).astype(np.float64)
    prior = n**_TRUST * _mixture_likelihood(bins, chance)
    prior -= 0.5 * ((np.log(share / (1 - share)) - np.log(_SHARE / (1 - _SHARE))) / _SHARE_DEVIATION) ** 2
    if zero:
        prior -= 0.5 * ((center - bins.zero) / _ZERO_WIDTH) ** 2
    return MatchModel(bins, chance, prior)


def _centers(bins: ScoreBins) -> Floats:
    """Scores at which the odds may be even: of images at places that grow geometrically, and some beyond the best, where none has even odds."""
    sizes = np.geomspace(1, bins.ends[-1], _CENTERS - 6)
    inside = np.interp(np.log(sizes), np.log(bins.ends), bins.z)
    return np.concatenate([bins.z[0] + np.linspace(3, 0.25, 6), inside])


def _mixture_likelihood(bins: ScoreBins, chance: Curves) -> Floats:
    """(g,) mean logarithm of the density of the scores, by curve."""
    share, z = (bins.counts / bins.counts.sum()).astype(np.float32), bins.z.astype(np.float32)
    density = np.zeros_like(chance)
    for part in (chance, 1 - chance):
        weight = np.maximum(part @ share, np.float32(1e-12))
        mean, square = (part @ (share * z)) / weight, (part @ (share * z**2)) / weight
        # a floor: a component of one image would have deviation zero and infinite density
        deviation = np.sqrt(np.maximum(square - mean**2, np.float32(_LEAST_DEVIATION**2)))
        density += (weight / deviation)[:, None] * np.exp(-0.5 * ((z - mean[:, None]) / deviation[:, None]) ** 2)
    return np.asarray(np.log(np.maximum(density, np.float32(1e-12))) @ share, np.float64)
