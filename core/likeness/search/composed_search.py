"""Search with composed queries: rank all images, or candidates from an index, by how well all terms hold."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import products_with_few, row_slices
from likeness.errors import InputError
from likeness.search.neighbors import Neighbors, checked_mask
from likeness.search.notion_view import best
from likeness.search.term_fusion import TermStatistics, all_hold, may_be_best, term_statistics

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
LookAround = Callable[[Floats, Floats, int], tuple[Rows, Floats]]  # unit vectors (v, d), terms (t, d), a number -> rows (r,), similarities (t, r)

CANDIDATES = 2_000
ALL_RANKED = 20_000  # images; of more, those that cannot be among the best are dropped before they are ranked
_NARROWEST = 64  # dimensions; rows of fewer are taken as if they had so many, so that their similarities stay in the processor's cache
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
    around: LookAround | None = None,
) -> Neighbors:
    """The k images for which all terms of a composed query hold best (`likeness.search.all_hold`).

    Without an index all images are ranked. With one, candidates are all images, at least 2,000, of the cells nearest to the sum of the terms' places,
    each by its weight and by the standard deviation of the similarities to it, and where terms have weights below 0, to the sum without these. That
    is one linear query, or two, so that an index answers it in a notion's space, too. Candidates are ranked exactly.

    Args:
        vectors: (n, d) unit rows of the images.
        places, weights: (t, d) of the terms in the same space, and (t,), not 0.
        reference: (r, d), images that tell lowest, mean and deviation of the similarities to each term; None: `reference_rows`.
        left_out, allowed: rows that are not found, and a mask (n,) of those that may be found.
        around: of an index (`likeness.search.IndexedSearch`): gives candidates, and how similar they are to each term; None: all images.

    Returns:
        Rows (1, k), and as similarities (1, k) how well all terms hold, from 0 to 1; fewer than k where fewer are left.

    Raises:
        InputError: k below 1, no image is left, or with an index, the terms cancel each other out.
    """
    if k < 1:
        raise InputError(f"k is {k}; ask for at least 1 image.")
    signed, out = np.asarray(weights, np.float32), np.unique(np.asarray(left_out, np.int64))
    statistics = _statistics(vectors, places, reference)
    sums, count = partial(candidate_vectors, places, signed, statistics.deviation), max(CANDIDATES, 4 * k) + len(out)
    if around is not None:
        rows, similarities = around(sums(), places, count)
        left = ~np.isin(rows, out)
        rows, similarities = rows[left], similarities[:, left]
    else:
        rows = _all_rows(len(vectors), allowed)
        rows = rows[~np.isin(rows, out)]
        similarities = _similarities(vectors, places, rows)
    if not len(rows):
        raise InputError("No image is left to search; remove a filter.")
    if len(rows) > ALL_RANKED:
        kept = may_be_best(similarities, statistics, signed.tolist(), k)
        rows, similarities = rows[kept], similarities[:, kept]
    rows, scores = best(rows, all_hold(similarities, statistics, signed.tolist()), k)
    return Neighbors(rows[None], scores[None])


def _statistics(vectors: Floats, places: Floats, reference: Floats | None) -> TermStatistics:
    rows = reference_rows(vectors) if reference is None else reference
    # `@` waits for several threads, which is not felt with few images alone; it differs from a product on one thread by rounding
    return term_statistics(places @ rows.T if len(vectors) <= ALL_RANKED else np.ascontiguousarray(products_with_few(rows, places).T))


def _all_rows(n: int, allowed: NDArray[np.bool_] | None) -> Rows:
    mask = checked_mask(allowed, n)
    return np.arange(n) if mask is None else np.flatnonzero(mask)


def _similarities(vectors: Floats, places: Floats, rows: Rows) -> Floats:
    """Similarities (t, r) of the terms to some images, in ascending order."""
    if len(rows) <= ALL_RANKED:
        parts = row_slices(len(rows), vectors.shape[1])
        return np.hstack([np.empty((len(places), 0), np.float32), *(places @ vectors[rows[part]].T for part in parts)])
    found = np.empty((len(places), len(rows)), np.float32)
    for part in row_slices(len(vectors), max(vectors.shape[1], _NARROWEST)):
        begin, end = np.searchsorted(rows, [part.start, part.stop])
        # of many rows, this order takes a third of the time; so few that are left out are not worth a copy of the others
        products = vectors[part] @ places.T
        found[:, begin:end] = (products if end - begin == len(products) else products[rows[begin:end] - part.start]).T
    return found


def reference_rows(vectors: Floats) -> Floats:
    """About 4,000 evenly spaced rows (r, d), or all."""
    return np.ascontiguousarray(vectors[:: -(-len(vectors) // REFERENCE)])


def candidate_vectors(places: Floats, weights: Floats, deviation: Floats) -> Floats:
    """Unit vectors (v, d), v = 1 or 2, whose nearest are candidates: the sum of the terms' places (t, d), and the sum of those that shall hold.

    Raises InputError if the sum is zero.
    """
    parts = weights[:, None] * places / deviation
    sums = [parts.sum(axis=0)] + ([parts[weights > 0].sum(axis=0)] if 0 < (weights > 0).sum() < len(weights) else [])
    # relative to the longest term: below that, the direction of the sum is rounding error
    least = 1e-4 * np.linalg.norm(parts, axis=1).max()
    kept = [each / np.linalg.norm(each) for each in sums if np.linalg.norm(each) > least]
    if not kept:
        raise InputError("The terms of the query cancel each other out in this space; remove one or change the weights.")
    return np.asarray(kept, np.float32)
