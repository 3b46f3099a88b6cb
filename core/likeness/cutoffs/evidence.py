"""Sequential test that few of a set are wrong: a betting martingale against "more than this share is wrong", sampling without replacement."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

# Shares of the stake: on no error at all, which needs the fewest answers, and on a third of the errors that would be too many.
_STAKES = ((0.85, 0.0), (0.15, 1 / 3))
MOST_NEEDED = 400  # answers, of which the number that is needed is told


class Bet:
    """A stake against "more than the share `fdr` of a set is wrong", which grows with every match that is drawn from the set.

    A set has `confirmed` images that are known to match and `unknown` others, of which some are drawn at random, one after the other, and answered.
    Suppose that K of the unknown, more than fdr (unknown + confirmed), are wrong. Then the next is wrong by a chance of at least
    p = (K - errors so far) / (those left). The stake grows by (1 - q) / (1 - p) for a match and by q / p for an error, with q < p, so that in the
    mean it does not grow. By Ville's inequality it ever reaches 1 / risk with a probability of at most `risk`, however long one asks and whenever one
    stops (Waudby-Smith and Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020; with q = 0 and no error its inverse is the
    p-value of Fisher's exact test). Known errors are taken out of the set; what is left has at most the share `fdr` too.

    Args:
        unknown: images of the set that were not known before drawing.
        confirmed: those known to match.
        fdr: from 0 to 1.

    Attributes:
        best: logarithm of the largest stake so far, from 0; infinite where no answer is needed.

    Example:
        >>> bet = Bet(1000, 0, 0.1)
        >>> for _ in range(24):
        ...     bet.add(True)
        >>> bool(bet.best > np.log(1 / 0.1))
        True
    """

    def __init__(self, unknown: int, confirmed: int, fdr: float) -> None:
        self.unknown, self.bound = unknown, int(_too_many(unknown, confirmed, fdr))
        self.drawn = self.errors = 0
        self.best = np.inf if self.bound > unknown else 0.0
        self._logs = [float(np.log(share)) for share, _ in _STAKES]

    def add(self, match: bool) -> None:
        """Adds an answer; raises InputError for more answers than unknown images."""
        if self.drawn >= self.unknown:
            raise InputError(f"There are more answers than the {self.unknown} images; pass one for each.")
        # the least favorable number of errors, K = bound, gives the smallest chance of an error and so the smallest stake
        chance = min(1.0, max(0.0, (self.bound - self.errors) / (self.unknown - self.drawn)))
        self.drawn, self.errors = self.drawn + 1, self.errors + (not match)
        if match and chance == 1:  # that many errors are not left
            self.best = np.inf
            return
        self._logs = [log + _gain(match, chance, part) for log, (_, part) in zip(self._logs, _STAKES, strict=True)]
        self.best = max(self.best, float(np.logaddexp.reduce(self._logs)))


def _too_many(unknown: Any, confirmed: Any, fdr: float) -> Any:
    """The smallest number of errors that is more than the share."""
    # 1e-9: a product such as 0.1 * 30 may be just below the integer
    return np.floor(fdr * (unknown + confirmed) + 1e-9) + 1


def _gain(match: bool, chance: float, part: float) -> float:
    if match:
        return float(np.log1p(-part * chance) - np.log1p(-chance))
    return float(np.log(part)) if part and chance else -np.inf


def answers_needed(unknown: NDArray[np.int64], confirmed: NDArray[np.int64], fdr: float, risk: float) -> NDArray[np.int64]:
    """(b,) how many answers, all of them matches, prove for sets of so many images (`Bet`) that at most the share `fdr` is wrong, with the risk of a
    wrong proof; at most 400.
    """
    bound = _too_many(unknown, confirmed, fdr)
    needed = np.where(bound > unknown, 0, MOST_NEEDED)
    logs = np.repeat(np.log([[share] for share, _ in _STAKES]), len(unknown), axis=1)
    parts = np.array([[part] for _, part in _STAKES])
    for drawn in range(MOST_NEEDED):
        if not (needed == MOST_NEEDED).any():
            break
        # at 1 the logarithm below would be infinite; one more match then proves it
        chance = np.clip(bound / np.maximum(unknown - drawn, 1), 0, 1 - 1e-12)
        logs = logs + np.log1p(-parts * chance) - np.log1p(-chance)
        proved = (needed == MOST_NEEDED) & (np.logaddexp.reduce(logs, axis=0) >= -np.log(risk))
        needed[proved] = drawn + 1
    return needed
