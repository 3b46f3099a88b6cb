"""The searches behind the page, in the background: shared by all with the same request, stopped by anyone, the last ones kept."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.duplicates import (
    CopyGroups,
    NearPairs,
    SuggestedThreshold,
    TooManyPairsError,
    copy_groups,
    equal_groups,
    exact_copies,
    image_sizes,
    known_threshold,
    near_copies,
    ranks_by_size,
)
from likeness.progress import Progress
from likeness.space import Space
from server.jobs import Job, Stage, Stopped, jobs
from state import Rows

_KEPT = 4  # results
_MOST_PAIRS = 2_000_000  # kept with one result: 40 MB
_WIDER = 1.5  # the distance up to which pairs are looked for, of that which counts as a copy: pairs below it are shown, too


@dataclass(frozen=True, eq=False)
class Copies:
    """What a search found.

    Attributes:
        rows: (m,) ascending, the images that have a copy, as far as pairs were looked for.
        sizes: (m, 3) width, height and bytes of each.
        pairs: of near copies; None for equal files.
        equal: groups of equal files; None for near copies.
    """

    rows: Rows
    sizes: Rows
    pairs: NearPairs | None = None
    equal: CopyGroups | None = None

    def sizes_of(self, rows: Rows) -> Rows:
        """Sizes (k, 3) of some of the images."""
        return self.sizes[np.searchsorted(self.rows, rows)]

    def among(self, hidden: NDArray[np.bool_] | None) -> "Copies":
        """What was found among the images that filters leave; `hidden` (n,) as in `View`."""
        if hidden is None:
            return self
        if self.equal is not None:  # what is left of groups where two or more are; the best of those stands for them
            group, left = self.equal.group, ~hidden[self.equal.rows]
            left &= np.bincount(group[left], minlength=len(self.equal))[group] > 1
            numbers = np.unique(group[left], return_inverse=True)[1].astype(np.int64)
            return replace(self, equal=CopyGroups(self.equal.rows[left], numbers, self.equal.similarities[left], self.equal.count))
        assert self.pairs is not None
        left = ~hidden[self.pairs.rows].any(axis=1)
        return replace(self, pairs=replace(self.pairs, rows=self.pairs.rows[left], similarities=self.pairs.similarities[left]))

    def groups(self, threshold: float, count: int) -> CopyGroups:
        """Groups from a threshold on, which is not below that of the search; of equal files all."""
        if self.equal is not None:
            return self.equal
        assert self.pairs is not None
        return copy_groups(self.pairs.above(threshold), count, ranks_by_size(self.rows, self.sizes, count))


def equal_files(dataset: str, table: ImageTable) -> Job:
    """The job whose result is `Copies` of equal files."""

    def work(job: Job) -> Copies:
        copies = exact_copies(table, progress=_reporter(job))
        rows = np.unique(np.concatenate([*copies.groups, np.empty(0, np.int64)]))
        sizes = image_sizes(table, rows, _reporter(job))
        return Copies(rows, sizes, equal=equal_groups(copies, len(table), ranks_by_size(rows, sizes, len(table))))

    return jobs().run("copies", (dataset, len(table)), "Equal files", work, max_finished=_KEPT)


def near(dataset: str, space: Space, threshold: float, below: bool = True) -> Job:
    """The job whose result is `Copies` of the pairs from a threshold on.

    Args:
        below: pairs are looked for down to somewhat below it, so that moving it a little needs no new search; the result is then None
            where these are more than there is room for.
    """
    floor = _floor(threshold) if below else threshold

    def work(job: Job) -> Copies | None:
        try:
            pairs = near_copies(space, floor, progress=_reporter(job), most=_MOST_PAIRS).of_images(space.image_numbers)
        except TooManyPairsError:
            if below:
                return None
            raise
        rows = np.unique(pairs.rows)
        return Copies(rows, image_sizes(space.table, rows, _reporter(job)), pairs)

    return jobs().run("copies", (dataset, space.key, floor), "Near duplicates", work, max_finished=_KEPT)


def measure_threshold(space: Space) -> Job:
    """The job whose result is the `SuggestedThreshold` of a space; it is kept on the disk."""

    def work(job: Job) -> SuggestedThreshold:
        job.stage = Stage("Loading the encoder", 0, 0)
        return known_threshold(space, progress=_reporter(job))

    return jobs().run("copy_threshold", space.key, "Measuring a suggested threshold", work)


def _floor(threshold: float) -> float:
    """The next of some similarities, twice as far from 1 each, which leaves room for the pairs that are shown below the threshold."""
    distance = max(1 - threshold, 1e-6) * _WIDER
    return max(0.01, 1 - 2.0 ** np.ceil(np.log2(distance)))


def _reporter(job: Job) -> Progress:
    """For core: says how far each stage is, and ends the work once a stop was requested."""

    def report(done: int, total: int, stage: str = "") -> None:
        job.stage = Stage(stage, done, total)
        if job.should_stop():
            raise Stopped

    return report
