"""Labels of a few images spread to all in the background; the last ones are kept."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.space import Space
from likeness.spreading import spread_labels
from parts import cached
from server.jobs import Job, run_in_background

_KEPT = 4


@dataclass(frozen=True, eq=False)
class SpreadRequest:
    """What spreads: the values of an attribute that people gave, which a column of the table holds, in a space, by a method of `spread_labels`;
    `together` (n,) is equal for images that got theirs in one go."""

    space: Space
    name: str
    column: str
    method: str
    together: NDArray[np.int64]

    @property
    def classes(self) -> list[str]:
        """The values, sorted."""
        return sorted(self.space.table.frame[self.column].dropna().astype(str).unique())

    def begin(self) -> Job:
        """The job whose result is a `LabelSpread`."""
        column = self.space.table.frame[self.column]
        key = self.space.key, self.column, cached.content_of_column(self.space.table.frame, self.column), self.method, self.together.tobytes()

        def work(job: Job) -> object:
            given = column.astype(object).where(column.notna(), None)
            return spread_labels(self.space, given, self.method, together=self.together, progress=job.report)

        return run_in_background("label spreading", key, "Spreading the labels", work, max_finished=_KEPT, stoppable=False)


def without(rows: NDArray[np.int64], skipped: set[int]) -> NDArray[np.int64]:
    """Rows but those that were put off."""
    return rows[~np.isin(rows, list(skipped))] if skipped else rows
