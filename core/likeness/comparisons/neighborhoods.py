"""Find images whose nearest neighbors change between two spaces, with random projections as baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import row_slices, to_numpy
from likeness.comparisons.random_projections import check_same_images, random_projections
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.progress import Progress, report_progress
from likeness.search import expected_overlap
from likeness.space import Space

Rows = NDArray[np.int64]
_DEPTH = 10  # times k: as far as ranks are told apart
EVERY_UP_TO = 20_000  # images, all of which are looked at; of more, a sample is
SAMPLE = 5_000


@dataclass(frozen=True)
class NeighborhoodChanges:
    """How much the neighborhood of each image changes from space A to space B.

    Attributes:
        rows: compared images (m,), ascending.
        k: neighbors that count.
        kept: (m,), share of the k nearest in A that are among the k nearest in B.
        rank_after: (m,), median rank in B, from 1, of the k nearest in A; `depth` + 1 where it lies beyond `depth`.
        rank_before: (m,), median rank in A of the k nearest in B, likewise.
        similarity_after: (m,), mean cosine similarity in B to the k nearest in A.
        noise: (m, seeds), the share that each random projection keeps (`random_projections`).
        depth: largest distinguished rank.
        images: n, of which neighbors come.
        message: note on an approximate search; "" if exact.
    """

    rows: Rows
    k: int
    kept: NDArray[np.float64]
    rank_after: NDArray[np.float64]
    rank_before: NDArray[np.float64]
    similarity_after: NDArray[np.float64]
    noise: NDArray[np.float64]
    depth: int
    images: int
    message: str = ""

    @property
    def expected(self) -> float:
        """The expected share kept by two unrelated spaces."""
        return expected_overlap(self.images, self.k)

    @property
    def beyond_noise(self) -> NDArray[np.bool_]:
        """(m,): whether an image keeps fewer neighbors than in every random projection. Of images that change as much as in one of s projections,
        at most 1 in s + 1 does. All False without projections."""
        return np.asarray(self.kept < self.noise.min(axis=1)) if self.noise.shape[1] else np.zeros(len(self.rows), bool)

    def most_moved(self) -> Rows:
        """Positions in `rows`, most moved first: by the share kept, then by the sum of both ranks, then by the similarity to the former neighbors."""
        return np.lexsort((self.rows, self.similarity_after, -(self.rank_after + self.rank_before), self.kept))

    def frame(self, table: ImageTable | None = None) -> pd.DataFrame:
        """A row per image, most moved first: row, path, kept, noise (mean over seeds), beyond_noise, rank_after, rank_before, similarity_after."""
        order = self.most_moved()
        rows = self.rows[order]
        found = rows_with_paths(rows, table) | {"kept": self.kept[order]}
        if self.noise.shape[1]:
            found |= {"noise": self.noise.mean(axis=1)[order], "beyond_noise": self.beyond_noise[order]}
        last = ("rank_after", "rank_before", "similarity_after")
        return pd.DataFrame(found | {name: getattr(self, name)[order] for name in last})


def neighborhood_changes(
    a: Space, b: Space, k: int = 10, *, rows: Any = None, seeds: Sequence[int] = (0, 1, 2), progress: Progress | None = None
) -> NeighborhoodChanges:
    """Neighborhood change of each image between two spaces, with random projections of the wider one to equal dimensions as baseline.

    Exact for spaces without an index; with one, neighbors come from its search, and `message` says how much of them it finds. InputError: spaces of
    other images, or k out of range.

    Args:
        k: neighbors that count, 1 to n - 1; ranks are told apart up to 10 k.
        rows: images to look at (m,); None: all up to 20,000, of more 5,000 drawn at random. Neighbors always come from all n.
        seeds: of the random projections; empty: no baseline.

    Example:
        >>> import likeness as lk
        >>> raw = lk.embed(lk.read("cars"), "cars")
        >>> same = neighborhood_changes(raw, raw, k=5, rows=[0, 7], seeds=[])
        >>> same.kept.tolist(), same.rank_after.tolist()
        ([1.0, 1.0], [3.0, 3.0])
    """
    check_same_images(a, b)
    n = len(a)
    if not 1 <= k < n:
        raise InputError(f"k is {k}, but each of the {n} images has {n - 1} others; choose k from 1 to that.")
    items, depth = chosen_rows(n, rows), min(_DEPTH * k, n - 1)
    steps, done = 2 + len(seeds), 0

    def found(space: Space, count: int) -> Rows:
        nonlocal done
        result: Rows = space.nearest(space.vectors[items], count, exclude=items).rows
        done += 1
        report_progress(progress, done, steps)
        return result

    far_a, far_b = found(a, depth), found(b, depth)
    near_a, near_b = far_a[:, :k], far_b[:, :k]
    noise = np.empty((len(items), len(seeds)))
    wide_is_a = a.vectors.shape[1] >= b.vectors.shape[1]
    for column, projected in enumerate(random_projections(a, b, seeds)):
        noise[:, column] = shared(near_a if wide_is_a else near_b, found(projected, k))
    approximate = [space.search.message for space in (a, b) if space.search is not None and not space.search.exact]
    return NeighborhoodChanges(
        rows=items,
        k=k,
        kept=shared(near_a, near_b),
        rank_after=_median_rank(near_a, far_b),
        rank_before=_median_rank(near_b, far_a),
        similarity_after=_mean_similarity(b, items, near_a),
        noise=noise,
        depth=depth,
        images=n,
        message=" ".join(dict.fromkeys(approximate)),
    )


def rows_with_paths(rows: Rows, table: ImageTable | None) -> dict[str, Any]:
    """Columns row and, where the table has images, path."""
    return {"row": rows} | ({"path": table.frame["path"].to_numpy()[rows]} if table is not None and table.has_images else {})


def chosen_rows(n: int, rows: Any = None) -> Rows:
    """Distinct ascending rows to compare: the given ones, all of few, or a sample of many. Raises InputError for unknown rows."""
    if rows is None:
        return np.arange(n) if n <= EVERY_UP_TO else np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))
    given = np.atleast_1d(to_numpy(rows))
    if given.ndim != 1 or given.dtype.kind not in "iu" or not len(given) or given.min() < 0 or given.max() >= n:
        raise InputError(f"rows must be numbers of images, 0 to {n - 1}; got {rows!r:.80}.")
    return np.unique(given).astype(np.int64)


def shared(one: Rows, other: Rows) -> NDArray[np.float64]:
    """Share (m,) of the rows of `one` (m, k) that are in `other` (m, k)."""
    both = np.sort(np.hstack([one, other]), axis=1)
    return np.asarray((both[:, 1:] == both[:, :-1]).sum(axis=1) / one.shape[1])


def _median_rank(near: Rows, far: Rows) -> NDArray[np.float64]:
    """Median (m,) of the ranks, from 1, at which the rows of `near` (m, k) stand in `far` (m, depth); one more than depth for those that do not."""
    ranks = np.empty(near.shape)
    for part in row_slices(len(near), near.shape[1] * far.shape[1]):
        hits = near[part, :, None] == far[part, None, :]
        ranks[part] = np.where(hits.any(axis=2), hits.argmax(axis=2) + 1, far.shape[1] + 1)
    return np.asarray(np.median(ranks, axis=1))


def _mean_similarity(space: Space, items: Rows, near: Rows) -> NDArray[np.float64]:
    """Mean similarity (m,) of each item to the rows of `near` (m, k)."""
    found = np.empty(len(items))
    for part in row_slices(len(items), space.vectors.shape[1]):
        places = space.vectors[items[part]]
        found[part] = np.mean([np.einsum("ij,ij->i", places, space.vectors[column]) for column in near[part].T], axis=0)
    return found
