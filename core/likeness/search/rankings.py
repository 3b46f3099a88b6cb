"""Rankings by more or less than cosines: k-reciprocal re-ranking, alpha query expansion, and codes of 8 bits or one bit per dimension."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices, unit_rows
from likeness.errors import InputError
from likeness.io import parse_json
from likeness.options import Option, check_options
from likeness.search.neighbors import CHUNK_BYTES, Neighbors, reach, scan
from likeness.search.notion_view import Floats

Rows = NDArray[np.int64]
Blocks = Iterator[tuple[slice, NDArray[Any]]]  # slices of the queries, and their similarities (b, n) to the gallery

PRECISIONS = ("float32", "int8", "binary")
MOST_COMPARED = 10_000  # images that a search compares with each other; of more, those nearest to the query
_SAME = 1e-6  # squared distance of equal unit rows in single precision


def k_reciprocal(gallery: Floats, queries: Floats, own: Rows, k1: int = 20, k2: int = 6, weight: float = 0.3) -> Blocks:
    """k-reciprocal re-ranking (Zhong et al., CVPR 2017): images are alike if they share mutual neighbors.

    Yields 1 - d* of unit rows (q, d) and (n, d), in blocks of 32 MB. d* = (1 - weight) d_J + weight d (Eq. 12, their lambda): the Jaccard distance
    (Eq. 10) of Gaussian-weighted encodings (Eq. 7) of expanded k1-reciprocal sets (Eq. 5; the authors' code has > for >=), averaged over k2 neighbors
    (Eq. 11). As in that code, d is the squared distance by the largest of its row, encodings sum to 1, and neighbors are among images and new
    queries, the own first. `own` (q,): the gallery row of each query, -1 for a new one.
    """
    new = own < 0
    pool, rows = np.vstack([gallery, queries[new]]), np.where(new, len(gallery) - 1 + np.cumsum(new), own)
    farthest = 2 + 2 * scan(pool, -pool, 1).similarities[:, 0]
    farthest[farthest < _SAME] = 1
    codes = _encodings(pool, farthest, k1, k2)
    columns = codes.T.tocsr()
    counts = np.diff(columns.indptr).astype(np.int64)
    for part in _blocks(len(rows), 8 * len(pool) + 32 * int(counts @ counts) // len(pool)):
        shared = _shared(codes[rows[part]], columns)
        distances = np.maximum(2 - 2 * pool[rows[part]] @ pool.T, 0) / farthest[rows[part], None]
        yield part, (1 - (1 - weight) * (1 - shared / (2 - shared)) - weight * distances)[:, : len(gallery)]


def alpha_expansion(gallery: Floats, queries: Floats, own: Rows, n: int = 10, alpha: float = 3.0, database: bool = False) -> Blocks:
    """Alpha query expansion (Radenovic et al., TPAMI 2019): a query moves toward its nearest images; with `database`, images move likewise.

    Yields cosines with q + sum of (q.x)^alpha x over the n nearest x, below 0 counted as 0; the paper's n is 50. Otherwise as `k_reciprocal`.
    """

    def expanded(rows: Floats, own: Rows) -> Floats:
        if len(gallery) == 1 and (own >= 0).any():
            return rows
        near = scan(gallery, rows, n, exclude=own)
        weights = np.maximum(near.similarities, 0) ** np.float32(alpha)
        return unit_rows(rows + _sparse(near.rows, weights, len(gallery)) @ gallery, "The queries", zeros=True)

    changed, images = expanded(queries, own), expanded(gallery, np.arange(len(gallery))) if database else gallery
    for part in _blocks(len(queries), 4 * len(gallery)):
        yield part, changed[part] @ images.T


def code_index(parts: Callable[[], Iterable[Floats]], dim: int, precision: str) -> Any:
    """The faiss index of rows (n, dim), which come in parts.

    "float32": IndexFlatIP. "int8": IndexScalarQuantizer, 8 bits per dimension, from its least to its largest value (the parts are read twice).
    "binary": IndexBinaryFlat of `np.packbits(rows > 0, axis=1)`, searched by the number of bits that differ.
    """
    import faiss

    if precision == "binary":
        index: Any = faiss.IndexBinaryFlat(8 * -(-dim // 8))
    elif precision == "int8":
        index = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
        index.train(np.vstack([(part.min(axis=0), part.max(axis=0)) for part in parts()]))
    else:
        index = faiss.IndexFlatIP(dim)
    for part in parts():
        index.add(np.packbits(part > 0, axis=1) if precision == "binary" else part)
    return index


def int8(gallery: Floats, queries: Floats, own: Rows) -> Blocks:
    """Images of 8 bits per dimension, as IndexScalarQuantizer of faiss has them. Otherwise as `k_reciprocal`."""
    images = np.asarray(code_index(lambda: [gallery], gallery.shape[1], "int8").reconstruct_n(0, len(gallery)))  # torch, if faiss knows it
    for part in _blocks(len(queries), 4 * len(gallery)):
        yield part, queries[part] @ images.T


def binary(gallery: Floats, queries: Floats, own: Rows, candidates: int = 100) -> Blocks:
    """Images and queries of one bit per dimension, as IndexBinaryFlat of faiss has them; the first `candidates` are compared by cosines.

    The others have less than -1, by the number of bits that differ. Otherwise as `k_reciprocal`.
    """
    index = code_index(lambda: [gallery], gallery.shape[1], "binary")
    for part in _blocks(len(queries), 8 * len(gallery) + 4 * min(candidates, len(gallery)) * gallery.shape[1]):
        differing, rows = index.search(np.packbits(queries[part] > 0, axis=1), len(gallery))
        found = np.empty(rows.shape, np.float32)
        np.put_along_axis(found, rows, -2 - differing.astype(np.float32), axis=1)
        best = np.argsort(-found, axis=1, kind="stable")[:, :candidates]
        np.put_along_axis(found, best, np.einsum("qd,qcd->qc", queries[part], gallery[best]), axis=1)
        yield part, found


RANKINGS: dict[str, tuple[Any, dict[str, Option]]] = {
    "k-reciprocal": (k_reciprocal, {"k1": Option(20, "", 1), "k2": Option(6, "", 1), "weight": Option(0.3, "", 0, 1)}),
    "alpha-qe": (alpha_expansion, {"n": Option(10, "", 1), "alpha": Option(3.0, "", 0, 100), "database": Option(False, "")}),
    "int8": (int8, {}),
    "binary": (binary, {"candidates": Option(100, "", 0)}),
}


def find_ranking(name: str) -> "partial[Blocks]":
    """The ranking of a name, with options if any, as in "k-reciprocal:k1=10,weight=0.5". InputError: an unknown name or option.

    Example:
        >>> find_ranking("alpha-qe:n=5,database=true").keywords
        {'n': 5, 'database': True}
    """
    kind, _, rest = str(name).partition(":")
    if kind not in RANKINGS:
        raise InputError(f"There is no ranking '{kind}'; choose from cosine, {', '.join(RANKINGS)}.")
    pairs = [part.partition("=") for part in rest.split(",") if part]
    given = {key.strip(): parse_json(value, f"The option '{key}' of '{kind}'") for key, _, value in pairs}
    if problem := check_options(f"The ranking '{kind}'", RANKINGS[kind][1], given, kind):
        raise InputError(problem)
    return partial(RANKINGS[kind][0], **given)


def rank(name: str, vectors: Floats, queries: Floats, k: int, *, exclude: Any = None, allowed: Any = None) -> Neighbors:
    """The k best by a ranking, exact, among the allowed images alone; arguments as of `scan`. A query equal to the row that it excludes is that
    image. Only the 10,000 images nearest to each query are compared with each other.
    """
    method, within = find_ranking(name), reach(len(vectors), len(queries), exclude, allowed)
    count, rows = within.count(k), np.arange(len(vectors)) if within.allowed is None else np.flatnonzero(within.allowed)
    if len(rows) > MOST_COMPARED and (method.func is k_reciprocal or method.keywords.get("database")):
        rows = np.unique(scan(vectors, queries, MOST_COMPARED, allowed=within.allowed).rows)
    places = np.full(len(vectors) + 1, -1)
    places[rows] = np.arange(len(rows))
    left_out, found = places[within.excluded], []
    count = min(count, len(rows) - int((left_out >= 0).any()))
    own = np.where((vectors[within.excluded] == queries).all(axis=1), left_out, -1)
    for part, similarities in method(np.asarray(vectors[rows]), queries, own):
        hidden = np.flatnonzero(left_out[part] >= 0)
        similarities[hidden, left_out[part][hidden]] = -np.inf
        best = np.argsort(-similarities, axis=1, kind="stable")[:, :count]
        found.append((rows[best], np.take_along_axis(similarities, best, axis=1).astype(np.float32)))
    return Neighbors(*(np.concatenate(each) for each in zip(*found, strict=True)))


def _blocks(rows: int, row_bytes: int) -> list[slice]:
    size = max(1, CHUNK_BYTES // row_bytes)
    return [slice(begin, min(begin + size, rows)) for begin in range(0, rows, size)]


def _encodings(pool: Floats, farthest: Floats, k1: int, k2: int) -> Any:
    """Sparse (n, n), whose rows sum to 1."""
    from scipy.sparse import csr_array

    order = np.arange(len(pool))[:, None]
    if len(pool) > 1:
        order = np.hstack([order, scan(pool, pool, max(k1, k2 - 1), exclude=order[:, 0]).rows])
    near, half, local = (_sparse(order[:, :k], np.ones_like(order[:, :k]), len(pool)) for k in (k1 + 1, round(k1 / 2) + 1, k2))
    near, half = near.multiply(near.T), half.multiply(half.T)
    common = (near @ half).multiply(near).tocoo()
    enough = 3 * common.data >= 2 * half.sum(axis=1)[common.col]
    added = csr_array((common.data[enough], (common.row[enough], common.col[enough])), near.shape)
    found = (near + added @ half).tocoo()
    weights = np.empty(found.nnz)
    for part in row_slices(found.nnz, pool.shape[1]):
        cosines = np.einsum("ij,ij->i", pool[found.row[part]], pool[found.col[part]])
        weights[part] = np.exp((np.minimum(cosines, 1) * 2 - 2) / farthest[found.row[part]])
    weights /= np.bincount(found.row, weights)[found.row]
    return local @ csr_array((weights, (found.row, found.col)), found.shape) / min(k2, len(pool))


def _sparse(columns: Rows, values: NDArray[Any], n: int) -> Any:
    """Sparse (m, n) with values (m, k) in columns (m, k)."""
    from scipy.sparse import csr_array

    return csr_array((values.ravel(), columns.ravel(), np.arange(0, columns.size + 1, columns.shape[1])), (len(columns), n))


def _shared(rows: Any, columns: Any) -> Any:
    """Sums (b, n) over j of min(x_j, y_j), for sparse rows x (b, n) and all rows y, given by their columns (n, n)."""
    (b, n), entries = rows.shape, rows.tocoo()
    counts = np.diff(columns.indptr)[entries.col]
    each = np.repeat(columns.indptr[entries.col] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    smaller = np.minimum(np.repeat(entries.data, counts), columns.data[each])
    return np.bincount(np.repeat(entries.row.astype(np.int64) * n, counts) + columns.indices[each], smaller, b * n).reshape(b, n)
