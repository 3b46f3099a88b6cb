"""Prove by answers on random images that few of a set are wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

import numpy as np

from likeness.cutoffs.match_model import Rows

MOST_NEEDED = 400  # answers, of which the number that is needed is told
_NO_ERROR, _MORE_ERRORS = 0.9, 0.1  # of the risk, 0.9 is for a proof without an error, and for each further error a tenth of that before


@dataclass(frozen=True, eq=False)
class CheckedSet:
    """The best `size` images. Those that were not known when the check began are drawn in one random order, `draw` (n,), fixed beforehand.

    Suppose that more than the share `fdr` is wrong. The chance that so many draws have at most e errors is then at most that of a hypergeometric
    distribution; if it is at most 0.9 * 0.1^e of `risk`, e errors prove the opposite. These parts of the risk add up to it, so a false proof has a
    probability of at most `risk`, however long one asks and whenever one stops. The order does not depend on the data, so the answers on its
    beginning are a random sample, whichever other images were answered, also for every larger set in the same order. `known` has earlier answers, by
    place; errors among them are taken out of the set, and what is left has at most the share `fdr`, too.
    """

    size: int
    known: Mapping[int, bool]
    draw: Rows
    fdr: float
    risk: float

    @property
    def unknown(self) -> int:
        """Images that were not known."""
        return self.size - sum(place < self.size for place in self.known)

    @property
    def bound(self) -> int:
        """The smallest number of errors among them that is too many."""
        confirmed = sum(match for place, match in self.known.items() if place < self.size)
        return int(_too_many(self.unknown, confirmed, self.fdr))

    def drawn(self, answers: Mapping[int, bool]) -> list[bool]:
        """The answers on the beginning of the order, up to the first image that has none."""
        return [answers[place] for place in takewhile(answers.__contains__, self._order())]

    def next(self, answers: Mapping[int, bool], count: int) -> list[int]:
        """Places of the first images in the order that have no answer."""
        return list(islice((place for place in self._order() if place not in answers), count))

    def proved(self, answers: Mapping[int, bool]) -> bool:
        """True if the answers prove that at most the share is wrong; revoked if later ones, drawn or not, show more errors."""
        from scipy.stats import hypergeom

        if self.bound > self.unknown:
            return True
        if sum(not match for place, match in answers.items() if place < self.size and place not in self.known) >= self.bound:
            return False
        drawn = self.drawn(answers)
        before_next = np.append(np.flatnonzero(~np.array(drawn, bool)), len(drawn))  # draws before the first error, the second and so on, and all
        errors = np.arange(len(before_next))
        return bool((hypergeom.cdf(errors, self.unknown, self.bound, before_next) <= _share(self.risk, errors)).any())

    def still_needed(self, answers: Mapping[int, bool]) -> int:
        """Number of further answers that prove it if all are matches; at most `MOST_NEEDED`."""
        from scipy.stats import hypergeom

        if self.proved(answers):
            return 0
        drawn = self.drawn(answers)
        errors = drawn.count(False)
        counts = np.arange(len(drawn), min(len(drawn) + MOST_NEEDED, self.unknown) + 1)
        enough = hypergeom.cdf(errors, self.unknown, self.bound, counts) <= _share(self.risk, errors)
        return int(enough.argmax()) if enough.any() else MOST_NEEDED

    def _order(self) -> Iterator[int]:
        return (place for place in map(int, self.draw[self.draw < self.size]) if place not in self.known)


def answers_needed(unknown: Rows, confirmed: Rows, fdr: float, risk: float) -> Rows:
    """(b,) how many answers, all of them matches, prove for sets of so many images that at most the share `fdr` is wrong; at most `MOST_NEEDED`."""
    bound = _too_many(unknown, confirmed, fdr)[:, None]
    left = np.maximum(unknown[:, None] - np.arange(MOST_NEEDED), 1)
    chances = np.cumprod(1 - np.clip(bound / left, 0, 1), axis=1)  # that 1, 2, ... draws have no error
    needed = np.minimum((chances > _share(risk, 0)).sum(axis=1) + 1, MOST_NEEDED)
    return np.where(bound[:, 0] > unknown, 0, needed)


def _too_many(unknown: Any, confirmed: Any, fdr: float) -> Any:
    """The smallest number of errors that is more than the share."""
    # 1e-9: a product such as 0.1 * 30 may be just below the integer
    return np.floor(fdr * (unknown + confirmed) + 1e-9) + 1


def _share(risk: float, errors: Any) -> Any:
    return risk * _NO_ERROR * _MORE_ERRORS**errors
