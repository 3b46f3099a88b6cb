"""A set of the best images whose precision is checked by answers on images drawn from it at random."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.cutoffs.evidence import MOST_NEEDED, Bet

Rows = NDArray[np.int64]

_MOST_DRAWN = 1_000  # images of a set that are looked at


@dataclass(frozen=True, eq=False)
class CheckedSet:
    """The best `size` images. Those that were not known when the check began are drawn in one random order that is fixed beforehand.

    The order depends on nothing that is seen, so that the answers on its beginning are those of a random sample, whichever other images were
    answered as well, and for every larger set too, drawn in the same order.

    Attributes:
        size: images from the best on.
        known: place -> match, of all images that were answered before the check began.
        draw: (n,) places of all images in the random order.
        fdr: the share that may be wrong.
        risk: chance of a proof that is wrong.
    """

    size: int
    known: Mapping[int, bool]
    draw: Rows
    fdr: float
    risk: float

    @property
    def confirmed(self) -> int:
        """Images that were known to match before."""
        return sum(match for place, match in self.known.items() if place < self.size)

    @property
    def unknown(self) -> int:
        """Images that were not known."""
        return self.size - sum(place < self.size for place in self.known)

    def drawn(self, answers: Mapping[int, bool]) -> list[bool]:
        """The answers on the beginning of the order, up to the first image that has none."""
        found: list[bool] = []
        for place in self._order():
            if place not in answers:
                break
            found.append(answers[place])
        return found

    def next(self, answers: Mapping[int, bool], count: int) -> list[int]:
        """Places of the first images in the order that have no answer."""
        found: list[int] = []
        for place in self._order():
            if place not in answers:
                found.append(place)
                if len(found) == count:
                    break
        return found

    def bet(self, answers: Mapping[int, bool]) -> Bet:
        """What the answers prove."""
        bet = Bet(self.unknown, self.confirmed, self.fdr)
        for match in self.drawn(answers):
            bet.add(match)
        return bet

    def proved(self, answers: Mapping[int, bool]) -> bool:
        """Whether the answers prove that at most the share is wrong; no more so where later ones, drawn or not, show that more is."""
        wrong = sum(not match for place, match in answers.items() if place < self.size and place not in self.known)
        bet = self.bet(answers)
        return wrong < bet.bound and bool(bet.best >= -np.log(self.risk))

    def still_needed(self, answers: Mapping[int, bool]) -> int:
        """How many more answers prove it where all of them are matches; at most `MOST_NEEDED`."""
        bet = self.bet(answers)
        for more in range(min(MOST_NEEDED, self.unknown - bet.drawn)):
            if bet.best >= -np.log(self.risk):
                return more
            bet.add(True)
        return MOST_NEEDED

    def grown(self, size: int) -> "CheckedSet":
        """The set of so many images, checked by the same order."""
        return CheckedSet(size, self.known, self.draw, self.fdr, self.risk)

    def _order(self) -> list[int]:
        return [int(place) for place in self.draw[self.draw < self.size][: _MOST_DRAWN + len(self.known)] if int(place) not in self.known]
