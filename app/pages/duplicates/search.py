"""Background searches of the page: shared by equal requests, stoppable by anyone; the latest results stay in memory."""

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
from likeness.space import Space
from server.jobs import Job, Stage, jobs
from state import Rows

_KEPT = 4  # results
_MOST_PAIRS = 2_000_000  # kept with one result: 40 MB
_WIDER = 1.5  # how much farther than the threshold pairs are searched, since pairs just below it are shown, too


@dataclass(frozen=True, eq=False)
class Copies:
    """The result of a search.

    Attributes:
        rows: (m,) the images that have a copy, ascending.
        sizes: (m, 3) width, height and bytes of each.
        pairs: near duplicates; None for equal files.
        equal: groups of equal files; None for near duplicates.
    """

    rows: Rows
    sizes: Rows
    pairs: NearPairs | None = None
    equal: CopyGroups | None = None

    def sizes_of(self, rows: Rows) -> Rows:
        return self.sizes[np.searchsorted(self.rows, rows)]

    def among(self, hidden: NDArray[np.bool_] | None) -> "Copies":
        """The result for the images that the filters leave; `hidden` (n,) as in `View`."""
        if hidden is None:
            return self
        if self.equal is not None:  # groups with at least two visible images, led by the best of these
            group, left = self.equal.group, ~hidden[self.equal.rows]
            left &= np.bincount(group[left], minlength=len(self.equal))[group] > 1
            numbers = np.unique(group[left], return_inverse=True)[1].astype(np.int64)
            return replace(self, equal=CopyGroups(self.equal.rows[left], numbers, self.equal.similarities[left], self.equal.count))
        assert self.pairs is not None
        left = ~hidden[self.pairs.rows].any(axis=1)
        return replace(self, pairs=replace(self.pairs, rows=self.pairs.rows[left], similarities=self.pairs.similarities[left]))

    def groups(self, threshold: float, count: int) -> CopyGroups:
        """Groups from a threshold on, at least that of the search; all groups of equal files."""
        if self.equal is not None:
            return self.equal
        assert self.pairs is not None
        return copy_groups(self.pairs.above(threshold), count, ranks_by_size(self.rows, self.sizes, count))


def equal_files(dataset: str, table: ImageTable) -> Job:
    """The job that finds equal files; its result is `Copies`."""

    def work(job: Job) -> Copies:
        copies = exact_copies(table, progress=job.report_stage)
        rows = np.unique(np.concatenate([*copies.groups, np.empty(0, np.int64)]))
        sizes = image_sizes(table, rows, job.report_stage)
        return Copies(rows, sizes, equal=equal_groups(copies, len(table), ranks_by_size(rows, sizes, len(table))))

    return jobs().run("copies", (dataset, len(table)), "Equal files", work, max_finished=_KEPT)


def near(dataset: str, space: Space, threshold: float, below: bool = True) -> Job:
    """The job that finds pairs from a threshold on; its result is `Copies`.

    Args:
        below: also finds pairs somewhat below the threshold, so that moving it a little needs no new search; the result is None
            if there are too many.
    """
    floor = _floor(threshold) if below else threshold

    def work(job: Job) -> Copies | None:
        try:
            pairs = near_copies(space, floor, progress=job.report_stage, most=_MOST_PAIRS).of_images(space.image_numbers)
        except TooManyPairsError:
            if below:
                return None
            raise
        rows = np.unique(pairs.rows)
        return Copies(rows, image_sizes(space.table, rows, job.report_stage), pairs)

    return jobs().run("copies", (dataset, space.key, floor), "Near duplicates", work, max_finished=_KEPT)


def measure_threshold(space: Space) -> Job:
    """The job that suggests a threshold for a space, as `SuggestedThreshold`; stored on disk."""

    def work(job: Job) -> SuggestedThreshold:
        job.stage = Stage("Loading the encoder", 0, 0)
        return known_threshold(space, progress=job.report_stage)

    return jobs().run("copy_threshold", space.key, "Measuring a suggested threshold", work)


def _floor(threshold: float) -> float:
    """The next lower similarity level, twice as far from 1, which leaves room for the pairs shown below the threshold."""
    distance = max(1 - threshold, 1e-6) * _WIDER
    return max(0.01, 1 - 2.0 ** np.ceil(np.log2(distance)))
