"""Groups of copies with a representative image."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.duplicates.exact_copies import ExactCopies
from likeness.duplicates.pairs import NearPairs
from likeness.errors import InputError

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class CopyGroups:
    """Groups of copies among `count` images. Each image is in one group at most.

    Attributes:
        rows: (m,) the images that are in groups, group by group, the best first, then by similarity to it.
        group: (m,) number of each one's group, from 0.
        similarities: (m,) to the group's best image, 1 for itself.
    """

    rows: Rows
    group: Rows
    similarities: NDArray[np.float32]
    count: int

    def __len__(self) -> int:
        return int(self.group[-1]) + 1 if len(self.group) else 0

    @property
    def best(self) -> Rows:
        """(groups,) the best image of each."""
        return self.rows[self._first]

    @property
    def dropped(self) -> Rows:
        """Ascending rows of copies: all in groups except the best."""
        return np.sort(self.rows[~self._first])

    @property
    def kept(self) -> Rows:
        """Ascending rows to keep: the best of each group, and all in no group."""
        return np.setdiff1d(np.arange(self.count), self.dropped)

    def frame(self, table: ImageTable | None = None) -> pd.DataFrame:
        """A row per image in a group: group, row, best, similarity, and with a table of images its path."""
        columns: dict[str, Any] = {"group": self.group, "row": self.rows, "best": self._first, "similarity": self.similarities}
        if table is not None and table.has_images:
            columns["path"] = table.frame["path"].to_numpy()[self.rows]
        return pd.DataFrame(columns)

    @property
    def _first(self) -> NDArray[np.bool_]:
        return np.append(True, self.group[1:] != self.group[:-1])[: len(self.group)]


def copy_groups(pairs: NearPairs, count: int, rank: Any = None) -> CopyGroups:
    """Stars around the best images: each image in a group reaches the threshold with the group's best.

    From best to worst, each image without a group starts one, which all its ungrouped copies join. Connected components would chain: the frames of a
    turning car are one component, although the first and the last have nothing in common. With stars, every dropped image is a copy of a kept one,
    and no two kept images are copies of each other, if all pairs are given.

    Args:
        pairs: within one space of `count` images.
        rank: (n,) the lower, the better, as `best_first` gives it; None: by number.

    Raises:
        InputError: ranks that are not one for each image.

    Example:
        >>> import numpy as np, likeness as lk
        >>> from likeness.duplicates import near_copies
        >>> space = lk.Space(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.01], [0.01, 1.0], [1.0, 1.0]]))
        >>> copy_groups(near_copies(space, 0.99), len(space)).frame()[["group", "row", "best"]].to_numpy().tolist()
        [[0, 0, True], [0, 2, False], [1, 1, True], [1, 3, False]]
    """
    places = _places(rank, count)
    both = np.concatenate([pairs.rows, pairs.rows[:, ::-1]])
    values = np.concatenate([pairs.similarities, pairs.similarities])
    order = np.lexsort((both[:, 1], -values, both[:, 0]))
    both, values = both[order], values[order]
    begins = np.searchsorted(both[:, 0], np.arange(count + 1))
    free = np.ones(count, bool)
    rows: list[Rows] = []
    near: list[NDArray[np.float32]] = []
    inside = np.unique(both[:, 0])
    for row in inside[np.lexsort((inside, places[inside]))]:
        if not free[row]:
            continue
        part = slice(begins[row], begins[row + 1])
        joins = free[both[part, 1]]
        members = both[part, 1][joins]
        free[row] = free[members] = False
        if len(members):
            rows.append(np.append(row, members))
            near.append(np.append(np.float32(1), values[part][joins]).astype(np.float32))
    return _as_groups(rows, near, count)


def equal_groups(copies: ExactCopies, count: int, rank: Any = None) -> CopyGroups:
    """The groups of equal files, each with its best image; arguments as for `copy_groups`."""
    places = _places(rank, count)
    rows = [each[np.argsort(places[each], kind="stable")] for each in copies.groups]
    return _as_groups(rows, [np.ones(len(each), np.float32) for each in rows], count)


def _places(rank: Any, count: int) -> Rows:
    places = np.arange(count) if rank is None else np.asarray(rank)
    if places.shape != (count,):
        raise InputError(f"The ranks have shape {places.shape} for {count} images; pass one for each.")
    return places


def _as_groups(rows: list[Rows], near: list[NDArray[np.float32]], count: int) -> CopyGroups:
    if not rows:
        return CopyGroups(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32), count)
    numbers = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    return CopyGroups(np.concatenate(rows), numbers.astype(np.int64), np.concatenate(near), count)
