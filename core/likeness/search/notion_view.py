"""View of an index in a notion's space: rank its cells by nearness to a query, and compare its vectors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, products_with_few, unit_rows
from likeness.errors import InputError

Floats = NDArray[np.float32]

# Cells looked through where nothing is known of the notion: with 16 dimensions or more they hold some .95 of the nearest among a million.
PROBES = 64


@dataclass(frozen=True)
class Cells:
    """Vectors (n, d) of images in cells, those of a cell beside each other: unit centers (cells, d), where each cell begins and ends (cells + 1,),
    and the number of each vector's image (n,), ascending within a cell. They may be memory-mapped, so that only needed parts are read.
    """

    centers: Floats
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    vectors: Floats

    def cell(self, number: int) -> slice:
        """The slice of the cell in `rows` and `vectors`."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


class NotionView:
    """The map x -> U'x / |U'x| of a notion (InDiReCT, Kobs et al., WACV 2023, Eq. 5 and 6) on the vectors of an index.

    cos(U'q, U'x) = (UU'q . x) / (|U'q| |U'x|): with |U'x| known, images are compared in the notion's space through one product with the vectors as
    they are stored. The centers (cells, d) are read through the notion as well, so that the cells most like the query come first whatever the notion
    is. (Taking the largest UU'q . x alone, as an index of inner products does, prefers images of which much lies in the notion's space to those that
    are like the query.) U is (d, m), None for the encoder's own space; InputError where it does not fit.
    """

    def __init__(self, centers: Floats, U: Any = None) -> None:
        self.U = None if U is None else checked_rows(U, "U")
        if self.U is not None and len(self.U) != centers.shape[1]:
            raise InputError(f"The notion was fitted in {len(self.U)} dimensions, the index has {centers.shape[1]}; use the same encoder for both.")
        self._centers = self.codes(centers)[0]

    def codes(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Unit rows (r, m) of the notion's space, and the lengths |U'x| (r,) that they had.

        A vector orthogonal to U gets a zero row and infinite length, so that its similarities are zero.
        """
        codes: Floats = vectors if self.U is None else vectors @ self.U
        lengths: Floats = np.sqrt(np.einsum("ij,ij->i", codes, codes))
        # below rounding a length is noise: dividing by infinity gives a zero row instead of a random direction
        lengths[lengths <= np.finfo(np.float32).eps * (1 if self.U is None else np.linalg.norm(self.U))] = np.inf
        return codes / lengths[:, None], lengths

    def toward(self, codes: Floats) -> Floats:
        """Uc (q, d) of queries c in the notion's space (q, m): its product with x, over |U'x|, is their cosine."""
        return codes if self.U is None else codes @ self.U.T

    def order(self, codes: Floats) -> NDArray[np.int64]:
        """Cells (q, cells), those nearest to each query of the notion's space (q, m) first."""
        return np.argsort(-(codes @ self._centers.T), axis=1, kind="stable")

    def order_by_any(self, codes: Floats) -> NDArray[np.int64]:
        """Cells (cells,), those nearest to any of a few points (v, m) of the notion's space first."""
        return np.argsort(-products_with_few(self._centers, codes).max(axis=1), kind="stable")

    def checked(self, queries: Any, k: int) -> Floats:
        """Queries in the notion's space as unit rows (q, m); raises InputError for mismatched rows, or k below 1."""
        rows = checked_rows(queries, "The queries")
        if rows.shape[1] != self._centers.shape[1]:
            raise InputError(f"The queries have {rows.shape[1]} dimensions, the space {self._centers.shape[1]}; transform them with the same notion.")
        if k < 1:
            raise InputError(f"k is {k}, but at least 1 neighbor must be asked for.")
        return unit_rows(rows, "The queries")


def best(rows: NDArray[np.int64], values: Floats, k: int) -> tuple[NDArray[np.int64], Floats]:
    """The k largest values with their rows, ties by row."""
    if len(values) > k:
        # includes ties with the k-th value, which the sort below resolves by row number
        reached = np.flatnonzero(values >= np.partition(values, len(values) - k)[len(values) - k])
        rows, values = rows[reached], values[reached]
    order = np.lexsort((rows, -values))[:k]
    return rows[order], values[order]
