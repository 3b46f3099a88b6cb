"""Results about a cut-off, as numbers and sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Estimate(NamedTuple):
    """A share from 0 to 1: mean and 90 % interval, if the model is correct."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Promise:
    """A guarantee that at most a share `fdr` of some images is wrong, proved by answers on randomly drawn images.

    Attributes:
        rows: (p,) the images, best first, without known non-matches; empty if nothing can be guaranteed.
        confidence: probability that the guarantee is correct.
        recall: estimated share of all matches that are among them.
        needed: minimum number of further answers, all of them matches; 0 if guaranteed, None if not in sight.
        reason: why nothing can be guaranteed, or "".
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
    """The best cut-off so far: images with a score of at least the threshold match.

    Attributes:
        rows: (m,) images that match, the best first, by the threshold alone, whatever was answered.
        threshold: the lowest score among them (`likeness.cutoffs.match_scores`).
        precision, recall: share of these that are right, and share of all matches that are among them.
        matches: expected number of matches among all images, including those beyond the cut-off.
        answers: how many there were.
        promise: the largest set that can be promised.
    """

    rows: NDArray[np.int64]
    threshold: float
    precision: Estimate
    recall: Estimate
    matches: float
    answers: int
    promise: Promise

    def corrected(self, answers: Mapping[int, bool]) -> NDArray[np.int64]:
        """(m,) `rows` corrected by answers: without known non-matches, and with known matches beyond the cut-off at the end."""
        kept = [row for row in self.rows.tolist() if answers.get(row, True)]
        beyond = set(self.rows.tolist())
        return np.array(kept + [row for row, match in answers.items() if match and row not in beyond], np.int64)

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{len(self.rows):,} match. {self.estimate} {self.promise.sentence}"

    @property
    def estimate(self) -> str:
        """A sentence on estimated precision and recall."""
        right, found = self.precision, self.recall
        modest = "" if self.answers else " This is a guess from the scores only; a few answers improve it."
        return (
            f"About {right.mean:.0%} of them are right ({right.low:.0%} to {right.high:.0%}), and about {found.mean:.0%} "
            f"of all matches are among them ({found.low:.0%} to {found.high:.0%}).{modest}"
        )
