"""Check the precision of sets of top images by labels on random samples, until one can be guaranteed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from likeness.cutoffs.evidence import MOST_NEEDED, Bet, answers_needed
from likeness.cutoffs.match_model import Floats, MatchModel, Rows

_MOST_DRAWN = 1_000  # images of a set that are looked at
_LOCATING = 5  # answers before the first check
_FIRST_RISK, _LATER_RISK = 0.8, 0.2  # the first check takes 0.8 of the risk, each further one 0.2 of that of the one before
_LEAST_HOPE = 0.2  # chance of a proof, below which no check begins
_GROWTH = 1.08  # from a proved set to the next larger one
_MOST_GROWN = 60
_UNLIKELY = 1e-4
_WORTH = 0.75  # of the best set's worth that one with better chances must have; it grows afterwards


@dataclass(frozen=True, eq=False)
class CheckedSet:
    """The best `size` images. Those that were not known when the check began are drawn in one random order, `draw` (n,), fixed beforehand.

    The order is independent of the data, so that the answers on its beginning are a random sample, whichever other images were answered, also for
    every larger set in the same order. `known` has earlier answers, by place; `fdr` is the allowed share of errors, `risk` the probability of a false
    proof.
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
        return [answers[place] for place in takewhile(answers.__contains__, self._order())]

    def next(self, answers: Mapping[int, bool], count: int) -> list[int]:
        """Places of the first images in the order that have no answer."""
        return [place for place in self._order() if place not in answers][:count]

    def bet(self, answers: Mapping[int, bool]) -> Bet:
        """What the answers prove."""
        bet = Bet(self.unknown, self.confirmed, self.fdr)
        for match in self.drawn(answers):
            bet.add(match)
        return bet

    def proved(self, answers: Mapping[int, bool]) -> bool:
        """True if the answers prove that at most the share is wrong; revoked if later ones, drawn or not, show more errors."""
        wrong = sum(not match for place, match in answers.items() if place < self.size and place not in self.known)
        bet = self.bet(answers)
        return wrong < bet.bound and bool(bet.best >= -np.log(self.risk))

    def still_needed(self, answers: Mapping[int, bool]) -> int:
        """Number of further answers that prove it if all are matches; at most `MOST_NEEDED`."""
        bet = self.bet(answers)
        for more in range(min(MOST_NEEDED, self.unknown - bet.drawn)):
            if bet.best >= -np.log(self.risk):
                return more
            bet.add(True)
        return MOST_NEEDED

    def _order(self) -> list[int]:
        return [int(place) for place in self.draw[self.draw < self.size][: _MOST_DRAWN + len(self.known)] if int(place) not in self.known]


@dataclass(frozen=True, eq=False)
class Checks:
    """State of the checks of a query.

    The first set is chosen by the first five answers. A set is given up after errors, where a smaller one takes fewer answers; the next check has a
    fifth of the risk of the one before, so that all together risk no more than is allowed. A proved set grows by 8 % at a time as long as the larger
    one is proved as well: tests in a fixed order need no correction, since the first that is wrong ends them (Angelopoulos et al., "Learn then test",
    2021, section 3.2).

    Attributes:
        current: the set that is checked; None where none is in reach.
        least: answers that a promise takes at least, None where none is in reach.
    """

    current: CheckedSet | None
    least: int | None

    @classmethod
    def after(
        cls,
        known: Mapping[int, bool],
        model: MatchModel,
        weights: Callable[[Mapping[int, bool]], Floats],
        draw: Callable[[int], Rows],
        fdr: float,
        risk: float,
    ) -> "Checks":
        """Follows the answers `known`, place -> match, one by one: the same in the same order lead to the same checks. `weights` gives those of the
        model's curves after answers, `draw` by the number of a check all places (n,) in its random order; `risk` is of all checks together.
        """
        current, number, before = None, 0, dict[int, bool]()
        for place, match in known.items():
            before[place] = match
            if len(before) < _LOCATING or (current is not None and (match or place >= current.size or current.proved(before))):
                continue
            chosen = _best_set(model, weights(before), before, draw(number), fdr, _risk(risk, number))
            if chosen is not None and (current is None or chosen.still_needed({}) < current.still_needed(before)):
                current, number = chosen, number + 1
        if current is not None:
            return cls(current, current.still_needed(before))
        least = _best_set(model, weights(before), before, draw(0), fdr, _risk(risk, 0))
        return cls(None, None if least is None else max(0, _LOCATING - len(before)) + least.still_needed({}))

    def promised(self, known: Mapping[int, bool]) -> int:
        """Number of top images that can be guaranteed; 0 for none."""
        size = 0
        for each in self._growing():
            if not each.proved(known):
                break
            size = each.size
        return size

    def next(self, known: Mapping[int, bool], count: int) -> list[int]:
        """Places of up to `count` images to be drawn next for the set that is not proved yet."""
        for each in self._growing():
            if not each.proved(known):
                return each.next(known, count) if each.still_needed(known) < MOST_NEEDED else []
        return []

    def _growing(self) -> list[CheckedSet]:
        if self.current is None:
            return []
        sizes = np.unique((self.current.size * _GROWTH ** np.arange(_MOST_GROWN)).astype(np.int64))
        return [replace(self.current, size=int(size)) for size in sizes if size <= len(self.current.draw)]


def _best_set(model: MatchModel, weights: Floats, known: Mapping[int, bool], draw: Rows, fdr: float, risk: float) -> CheckedSet | None:
    """The set of which, as the model expects, most of all matches are promised, by the chance that all answers that it takes are matches (None where
    it is small for all); of those that promise nearly as much, the likeliest. At least half of its images need no answer.
    """
    ends = model.bins.ends
    places = np.fromiter(known, np.int64, len(known))
    matching = np.array([place for place, match in known.items() if match], np.int64)
    unknown = ends - np.searchsorted(np.sort(places), ends)
    confirmed = np.searchsorted(np.sort(matching), ends)
    needed = answers_needed(unknown, confirmed, fdr, risk)
    possible = np.flatnonzero((unknown >= 2 * needed) & (needed > 0) & (needed < MOST_NEEDED))
    likely = np.flatnonzero(weights > _UNLIKELY * weights.max())
    chance = model.precision[np.ix_(likely, possible)] ** needed[possible].astype(np.float32)
    hope = weights[likely] @ chance
    worth = np.where(hope >= _LEAST_HOPE, weights[likely] @ (chance * model.recall[np.ix_(likely, possible)]), 0)
    if not worth.any():
        return None
    best = possible[np.where(worth >= max(_WORTH * worth.max(), _UNLIKELY), hope, -1).argmax()]
    return CheckedSet(int(ends[best]), dict(known), draw, fdr, risk)


def _risk(risk: float, number: int) -> float:
    """That of a check by its number from 0; in sum at most `risk`."""
    # a geometric series, so that the risks of all checks together stay below `risk` (union bound)
    return risk * _FIRST_RISK * _LATER_RISK**number
