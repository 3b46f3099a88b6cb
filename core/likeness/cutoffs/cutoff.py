"""What is known about a cut-off, in figures and in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Estimate(NamedTuple):
    """A share from 0 to 1: the mean, and the ends of an interval that holds it in 90 of 100 cases where the model is right."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Promise:
    """That at most a share `fdr` of some images is wrong, proved by answers on images drawn at random.

    Attributes:
        rows: (p,) the images, the best first, without those that are known not to match; none where nothing can be promised.
        confidence: chance that a promise is not made wrongly.
        recall: estimated share of all matches that are among them.
        needed: how many more answers a promise takes at least, all of them matches; 0 where there is one, None where none is in sight.
        reason: why nothing can be promised, or "".
    """

    rows: NDArray[np.int64]
    fdr: float
    confidence: float
    recall: Estimate | None
    needed: int | None
    reason: str

    def __bool__(self) -> bool:
        return len(self.rows) > 0

    @property
    def sentence(self) -> str:
        """For people."""
        if not self:
            more = f" It takes at least {self.needed} more answer{'' if self.needed == 1 else 's'}." if self.needed else ""
            return f"No set can be promised to have at most {self.fdr:.0%} wrong: {self.reason}.{more}"
        share = "" if self.recall is None else f"; about {self.recall.mean:.0%} of all matches are among them"
        return f"Promised: of the first {len(self.rows):,}, at most {self.fdr:.0%} are wrong (confidence {self.confidence:.0%}){share}."


@dataclass(frozen=True)
class Cutoff:
    """The best cut-off by what is known: images whose score is at least the threshold match.

    Attributes:
        rows: (m,) images that match, the best first, by the threshold alone, whatever was answered.
        threshold: the lowest score among them (`likeness.cutoffs.match_scores`).
        precision, recall, f1: share of these that are right, share of all matches that are among them, and the harmonic mean of both.
        matches: expected number of matches among all images, those beyond the cut-off as well.
        answers: how many there were.
        promise: the largest set that can be promised.
    """

    rows: NDArray[np.int64]
    threshold: float
    precision: Estimate
    recall: Estimate
    f1: Estimate
    matches: float
    answers: int
    promise: Promise

    def corrected(self, answers: Mapping[int, bool]) -> NDArray[np.int64]:
        """(m,) `rows` after answers: without those that do not match, and with those beyond the cut-off that do, at the end."""
        kept = [row for row in self.rows.tolist() if answers.get(row, True)]
        beyond = set(self.rows.tolist())
        return np.array(kept + [row for row, match in answers.items() if match and row not in beyond], np.int64)

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{len(self.rows):,} match. {self.estimate} {self.promise.sentence}"

    @property
    def estimate(self) -> str:
        """For people: how many of those that match are right, and how many are missed, by what is known."""
        right, found = self.precision, self.recall
        modest = "" if self.answers else " This is a guess from the scores alone; a few answers make it better."
        return (
            f"About {right.mean:.0%} of them are right ({right.low:.0%} to {right.high:.0%}), and about {found.mean:.0%} "
            f"of all matches are among them ({found.low:.0%} to {found.high:.0%}).{modest}"
        )
