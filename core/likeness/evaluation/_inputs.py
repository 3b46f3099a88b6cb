"""Checks embeddings and labels, and scales them for ranking."""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike, NDArray

from likeness.arrays import check_directions, row_slices, to_numpy, unit_rows
from likeness.data import has_label
from likeness.errors import InputError
from likeness.search import RANKINGS, find_ranking

DistanceMetric = str  # one of DISTANCES, or a ranking of `likeness.search.find_ranking`, of cosines
DISTANCES = ("cosine", "euclidean")
MOST_SQUARE = 1e36
MOST_IN_MEMORY = 300_000_000  # larger temporary arrays go to a scratch file


def checked_metric(metric: str) -> None:
    """InputError: unknown metric."""
    if str(metric).partition(":")[0] in RANKINGS:
        find_ranking(metric)
    elif metric not in DISTANCES:
        raise InputError(f"The metric '{metric}' is unknown; choose 'cosine', 'euclidean', or a ranking: {', '.join(RANKINGS)}.")


@dataclass(frozen=True)
class Scaling:
    """Transforms rows, part by part, so that larger products mean nearer by the metric (a ranking: cosine); without a metric, leaves them unchanged.

    Cosine: unit rows. Euclidean: -|x - y|^2 / 2 = x.y - |y|^2 / 2 - |x|^2 / 2, and the last term is constant over the gallery. So one column is
    added: `unit` in queries, -|y|^2 / (2 unit) in the gallery. The gallery's mean is subtracted first, since a large common offset would cost float32
    its digits. The unit is a power of two near the length of rows, so that the added column is no larger than the others, and dividing by it is
    exact.
    """

    metric: DistanceMetric | None = None
    center: NDArray[np.float64] | None = None
    unit: float = 1.0

    @property
    def added(self) -> int:
        """Number of added columns."""
        return int(self.metric == "euclidean")

    def gallery(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Gallery rows (m, d) as (m, d + added)."""
        if self.center is None:
            return unit_rows(rows, "The embeddings") if self.metric else rows
        moved, squares = self._moved(rows)
        return np.hstack([moved, (squares / (-2 * self.unit))[:, None]]).astype(np.float32)

    def queries(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Queries (m, d) as (m, d + added)."""
        if self.center is None:
            return unit_rows(rows, "The query embeddings") if self.metric else rows
        return np.hstack([self._moved(rows)[0], np.full((len(rows), 1), self.unit, np.float32)])

    def _moved(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Centered rows, and their squared lengths."""
        moved = (rows - np.asarray(self.center)).astype(np.float32)
        squares = np.einsum("ij,ij->i", moved, moved, dtype=np.float64)
        if squares.max() > MOST_SQUARE:
            raise InputError(f"An embedding is {np.sqrt(squares.max()):.1g} from the mean, beyond what float32 can square; scale all down.")
        return moved, squares


AS_GIVEN = Scaling()


def scaling_for(gallery: NDArray[np.float32], queries: NDArray[np.float32], metric: DistanceMetric) -> Scaling:
    """The scaling for gallery rows (n, d) and queries (q, d). InputError: unknown metric, or a row of zeros for cosine."""
    checked_metric(metric)
    if metric == "euclidean":
        center = gallery.mean(axis=0, dtype=np.float64)
        total = sum(float(np.square(gallery[part] - center).sum()) for part in row_slices(*gallery.shape))
        return Scaling(metric, center, 2.0 ** np.round(np.log2(total / len(gallery)) / 2) if total else 1.0)
    check_directions(gallery, "The embeddings")
    if queries is not gallery:
        check_directions(queries, "The query embeddings")
    return Scaling(metric)


def _label_series(labels: Any, count: int, name: str) -> "pd.Series[Any]":
    if not isinstance(labels, pd.Series | pd.Index | list | tuple):
        labels = to_numpy(labels)
    if len(labels) != count or getattr(labels, "ndim", 1) != 1:
        size = getattr(labels, "shape", len(labels))
        raise InputError(f"{name} has size {size} but must hold one label for each of the {count} embeddings; pass a flat list.")
    # dtype object keeps a list such as [1, "a"] or a list of tuples as it is
    series = pd.Series(labels, dtype=object if isinstance(labels, list | tuple) else None).reset_index(drop=True)
    return series.where(has_label(series))


def label_codes(labels: Any, count: int, name: str) -> NDArray[np.intp]:
    """Codes (count,) from 0, in order of first appearance, of labels of any hashable type; -1 for unlabeled rows (`has_label`).

    InputError: wrong length, or no row with a label.
    """
    codes = pd.factorize(_label_series(labels, count, name))[0].astype(np.intp)
    if not (codes >= 0).any():
        raise InputError(f"No row of {name} has a label; label the rows to evaluate.")
    return codes


def group_codes(groups: Any, count: int, name: str) -> NDArray[np.intp]:
    """Codes of the groups (count,), as `label_codes`, but every row must have a group; InputError names the first without."""
    codes = label_codes(groups, count, name)
    if codes.min() < 0:
        raise InputError(f"{name} row {int(codes.argmin())} has no group; pass a group for each row.")
    return codes


def taken(rows: NDArray[Any], places: NDArray[np.intp]) -> NDArray[Any]:
    """Rows (m, d) of (n, d), which may be memory-mapped; large results go to a scratch file then. Returns all rows unchanged, without a copy."""
    if len(places) == len(rows):
        return rows
    parts = (rows[places[part]] for part in row_slices(len(places), rows.shape[1]))
    return scratch_array(parts, (len(places), rows.shape[1]), rows.dtype)


def class_codes(
    labels: Any, count: int, query_labels: Any, query_count: int, what: str = "labels"
) -> tuple[NDArray[np.intp], NDArray[np.intp], list[Any]]:
    """Class codes of the gallery (count,) and of the queries (query_count,), and the label of each class; errors as `label_codes`.

    `query_labels` None: those of the gallery. Equal labels share a code on both sides; unlabeled rows have -1.
    """
    series = _label_series(labels, count, what)
    if query_labels is not None:
        series = pd.concat([series, _label_series(query_labels, query_count, f"query_{what}")], ignore_index=True)
    codes, classes = pd.factorize(series)
    codes = codes.astype(np.intp)
    for side, name in ((codes[:count], what), (codes[count:], f"query_{what}")):
        if len(side) and side.max() < 0:
            raise InputError(f"No row of {name} has a label; label the rows to evaluate.")
    return codes[:count], codes[:count] if query_labels is None else codes[count:], list(classes)


def scratch_array(parts: Iterable[NDArray[Any]], shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Concatenates the parts into an array of this shape.

    Beyond 300 MB it is mapped from an unnamed temporary file (in TMPDIR), whose memory the system can reclaim; the file goes with the array or the
    process. InputError: no room for the file.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size <= MOST_IN_MEMORY:
        whole, begin = np.empty(shape, dtype), 0
        for part in parts:
            whole[begin : begin + len(part)] = part
            begin += len(part)
        return whole
    try:
        # written, not filled through the map: then a full disk raises an error, while a mapped page without room kills the process
        with tempfile.TemporaryFile() as file:
            for part in parts:
                file.write(np.ascontiguousarray(part, dtype).data)
            file.flush()
            return np.asarray(np.memmap(file, dtype, "r+", shape=shape))
    except OSError as error:
        room = f"a scratch file of {size / 1e9:.1f} GB in {tempfile.gettempdir()}"
        raise InputError(f"There is no room for {room} ({error.strerror}); free some space, or set TMPDIR to another folder.") from error
