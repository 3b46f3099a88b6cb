"""The images nearest to a composed query: those of a neighborhood through the index, or candidates by one vector, ranked exactly."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import products_with_few, row_slices
from likeness.errors import InputError
from likeness.search.neighbors import Neighbors, scan
from likeness.search.notion_view import best
from likeness.search.term_fusion import TermStatistics, all_hold, term_statistics

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
FindCandidates = Callable[[Floats, int], Rows]  # unit vectors (v, d) and a number -> rows, some perhaps twice
LookAround = Callable[[Floats, Floats, int], tuple[Rows, Floats]]  # unit vectors (v, d), terms (t, d), a number -> rows (r,), similarities (t, r)

CANDIDATES = 2_000
ALL_RANKED = 20_000  # images; up to so many are all ranked, which takes some milliseconds
REFERENCE = 4_096  # images that tell how similar images are to a term in the mean


def search_composed(
    vectors: Floats,
    places: Floats,
    weights: Sequence[float],
    k: int,
    *,
    reference: Floats | None = None,
    left_out: Any = (),
    allowed: NDArray[np.bool_] | None = None,
    find: FindCandidates | None = None,
    around: LookAround | None = None,
) -> Neighbors:
    """The k images of which all terms of a composed query hold best (`likeness.search.all_hold`).

    Up to 20,000 images are all ranked. Of more, candidates are: the 2,000 nearest to the sum of the terms' places, each by its weight and by the
    standard deviation of the similarities to it, and where terms have weights below 0, the 2,000 nearest to the sum without these. That is one linear
    query, or two, so that an index answers it in a notion's space, too. An index of cells gives all images of the cells nearest to these sums, with
    their similarities. Candidates are ranked exactly.

    Args:
        vectors: (n, d) unit rows of the images.
        places: (t, d) of the terms in the same space.
        weights: (t,), not 0.
        k: how many.
        reference: (r, d), images that tell lowest, mean and deviation of the similarities to each term; None: `reference_rows`.
        left_out: rows that are not found.
        allowed: mask (n,) of the rows that may be found.
        find: where candidates come from, such as an index; None: `scan`. With it candidates are taken however few images there are.
        around: in place of `find`, an index that also tells how similar candidates are to each term (`likeness.search.LocalSearch`).

    Returns:
        Rows (1, k), and as similarities (1, k) how well all terms hold, from 0 to 1; fewer than k where fewer are left.

    Raises:
        InputError: k below 1, no image is left, or candidates are needed and the terms cancel each other out.
    """
    if k < 1:
        raise InputError(f"k is {k}; ask for at least 1 image.")
    signed, out = np.asarray(weights, np.float32), np.unique(np.asarray(left_out, np.int64))
    statistics = _statistics(vectors, places, reference)
    if find is None and around is None and len(vectors) <= ALL_RANKED:
        rows = np.arange(len(vectors)) if allowed is None else np.flatnonzero(allowed)
        similarities = None
    else:
        rows, similarities = _candidates(vectors, places, signed, statistics, max(CANDIDATES, 4 * k) + len(out), allowed, find, around)
    left = ~np.isin(rows, out)
    rows = rows[left]
    if not len(rows):
        raise InputError("No image is left to be found; take back a filter.")
    similarities = _similarities(vectors, places, rows) if similarities is None else similarities[:, left]
    rows, scores = best(rows, all_hold(similarities, statistics, signed.tolist()), k)
    return Neighbors(rows[None], scores[None])


def _statistics(vectors: Floats, places: Floats, reference: Floats | None) -> TermStatistics:
    rows = reference_rows(vectors) if reference is None else reference
    # of so many images that not all are ranked, a product on one thread; it differs from `@` by rounding
    return term_statistics(places @ rows.T if len(vectors) <= ALL_RANKED else np.ascontiguousarray(products_with_few(rows, places).T))


def _candidates(
    vectors: Floats,
    places: Floats,
    weights: Floats,
    statistics: TermStatistics,
    count: int,
    allowed: NDArray[np.bool_] | None,
    find: FindCandidates | None,
    around: LookAround | None,
) -> tuple[Rows, Floats | None]:
    """Rows (r,), each once, and their similarities (t, r) to the terms where they are known."""
    near = candidate_vectors(places, weights, statistics.deviation)
    if around is not None:
        return around(near, places, count)
    return np.unique(scan(vectors, near, count, allowed=allowed).rows if find is None else find(near, count)), None


def _similarities(vectors: Floats, places: Floats, rows: Rows) -> Floats:
    """Of some images to the terms (t, r)."""
    return np.hstack([places @ vectors[rows[part]].T for part in row_slices(len(rows), vectors.shape[1])])


def reference_rows(vectors: Floats) -> Floats:
    """Some 4,000 rows (r, d) at equal distances; all where there are no more."""
    return np.ascontiguousarray(vectors[:: -(-len(vectors) // REFERENCE)])


def candidate_vectors(places: Floats, weights: Floats, deviation: Floats) -> Floats:
    """Unit vectors (v, d), v = 1 or 2, whose nearest are candidates: the sum of the terms' places (t, d), and the sum of those that shall hold.

    Raises:
        InputError: nothing is left of the sum.
    """
    parts = weights[:, None] * places / deviation
    sums = [parts.sum(axis=0)] + ([parts[weights > 0].sum(axis=0)] if 0 < (weights > 0).sum() < len(weights) else [])
    least = 1e-4 * np.linalg.norm(parts, axis=1).max()
    kept = [each / np.linalg.norm(each) for each in sums if np.linalg.norm(each) > least]
    if not kept:
        raise InputError("The terms of the query cancel each other out in this space; take one away or weigh them differently.")
    return np.asarray(kept, np.float32)
