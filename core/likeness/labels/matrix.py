"""Precomputed label distances: a matrix between images or classes, matrices within parts of the images, and shuffled labels as a control."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import as_path, read_array
from likeness.labels.kind import LabelKind
from likeness.labels.protocol import BoundedDistances, Distances, LabelDistances, Rows

_BLOCK = 1_024


@dataclass(frozen=True)
class MatrixLabels:
    """A matrix (n, n) of label distances; may be memory-mapped.

    InputError: not square, not symmetric to a millionth of its largest entry, not 0 on the diagonal, or entries that are negative or not finite.
    """

    matrix: NDArray[Any]
    unit: str = ""

    def __post_init__(self) -> None:
        check_matrix(self.matrix)

    def __len__(self) -> int:
        return len(self.matrix)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        return np.asarray(self.matrix[rows][:, columns], dtype=np.float32)


@dataclass(frozen=True)
class ClassLabels:
    """Distances (c, c) between classes as label distances of their images, of the classes `labels` (n,).

    InputError: as `MatrixLabels`, an unknown class, or a negative distance.

    Attributes:
        within: distance of two different images of one class; the log-ratio loss ignores pairs at 0. None: half of the smallest positive distance
            between two classes, so that images of one class are nearer than those of different classes.
    """

    classes: NDArray[Any]
    labels: Rows
    within: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        check_matrix(self.classes)
        if self.within is not None and not 0 <= self.within < np.inf:
            raise InputError(f"The distance within a class is {self.within}; choose 0 or more.")
        wrong = np.flatnonzero((self.labels < 0) | (self.labels >= len(self.classes)))
        if wrong.size:
            raise InputError(f"Image {wrong[0]} has the class {self.labels[wrong[0]]}, and there are {len(self.classes)} from 0; number them so.")

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def within_distance(self) -> float:
        """The distance between two images of one class."""
        if self.within is not None:
            return self.within
        others = np.asarray(self.classes)[~np.eye(len(self.classes), dtype=bool)]
        return float(others[others > 0].min() / 2) if (others > 0).any() else 0.0

    def between(self, rows: Rows, columns: Rows) -> Distances:
        ours, theirs = self.labels[rows], self.labels[columns]
        found = np.asarray(self.classes[ours][:, theirs], dtype=np.float32)
        # an image and itself stay at 0
        found[(ours[:, None] == theirs[None, :]) & (rows[:, None] != columns[None, :])] = self.within_distance
        return found


@dataclass(frozen=True)
class PartLabels:
    """A matrix (m, m) of label distances for each part of n images, by the part's name, such as the training and the test part of a benchmark;
    unknown between parts. Nothing is validated.

    Attributes:
        part: (n,) number of each image's part, in the order of `matrices`.
        place: (n,) row of each image in the matrix of its part.
    """

    matrices: dict[str, NDArray[Any]]
    part: Rows
    place: Rows
    unit: str = ""

    def __len__(self) -> int:
        return len(self.part)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c). InputError: rows and columns of different parts."""
        if not len(rows) or not len(columns):
            return np.zeros((len(rows), len(columns)), np.float32)
        both = np.concatenate([rows, columns])
        other = np.flatnonzero(self.part[both] != self.part[both[0]])
        names = list(self.matrices)
        if other.size:
            one, two = int(both[0]), int(both[other[0]])
            raise InputError(
                f"Image {one} is in the part '{names[self.part[one]]}' and image {two} in '{names[self.part[two]]}'; label distances are only "
                "known within a part; pass images of one."
            )
        matrix = self.matrices[names[self.part[both[0]]]]
        return np.asarray(matrix[self.place[rows][:, None], self.place[columns][None, :]], dtype=np.float32)


def read_matrix(file: Path | str, images: int | None = None) -> MatrixLabels:
    """Memory-mapped label distances of a .npy file (n, n); `images` is n, if known.

    InputError: a missing file, not a numeric array, another size, or as `MatrixLabels`.
    """
    path = as_path(file)
    if not path.is_file():
        raise InputError(f"There is no file of label distances '{file}'; give a .npy file with a matrix (n, n).")
    matrix = read_array(path, mapped=True)
    if images is not None and matrix.shape != (images, images):
        raise InputError(f"'{path.name}' has shape {matrix.shape}, and there are {images} images; give a matrix ({images}, {images}).")
    return MatrixLabels(matrix)


def check_matrix(matrix: NDArray[Any]) -> None:
    """Raises InputError for an invalid matrix of distances."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype.kind not in "fiu":
        raise InputError(f"The label distances have shape {matrix.shape} and type {matrix.dtype}; give a square matrix of numbers.")
    # a mapped matrix may be larger than the memory: rows are looked at a few at a time, both ways in tiles
    starts, largest = range(0, len(matrix), _BLOCK), 1e-12
    for start in starts:
        rows = np.asarray(matrix[start : start + _BLOCK])
        wrong = np.argwhere(~(rows >= 0) | ~np.isfinite(rows))
        if wrong.size:
            row, column = wrong[0]
            raise InputError(f"The label distance of {start + row} and {column} is {rows[row, column]:g}; distances are finite and not negative.")
        ends = np.flatnonzero(np.diagonal(rows, start))
        if ends.size:
            raise InputError(f"The label distance of {start + ends[0]} to itself is {rows[ends[0], start + ends[0]]:g}; it must be 0.")
        largest = max(largest, float(rows.max()))
    for first in starts:
        for second in range(first, len(matrix), _BLOCK):
            _check_symmetric(matrix, first, second, 1e-6 * largest)


def _check_symmetric(matrix: NDArray[Any], first: int, second: int, tolerance: float) -> None:
    ours, theirs = (np.asarray(matrix[one : one + _BLOCK, two : two + _BLOCK], dtype=np.float64) for one, two in ((first, second), (second, first)))
    uneven = np.argwhere(np.abs(ours - theirs.T) > tolerance)
    if uneven.size:
        row, column = uneven[0]
        raise InputError(
            f"The label distance of {first + row} and {second + column} is {ours[row, column]:g} one way and {theirs[column, row]:g} the other; "
            f"give a symmetric matrix, such as the mean of both."
        )


@dataclass(frozen=True)
class DealtLabels:
    """Label distances of images with permuted labels: `dealt` (n,) is the row whose label each image gets."""

    labels: LabelDistances
    dealt: Rows

    @property
    def unit(self) -> str:
        return self.labels.unit

    def __len__(self) -> int:
        return len(self.dealt)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        return self.labels.between(self.dealt[rows], self.dealt[columns])

    def lower_bounds(self, rows: Rows, columns: Rows) -> Distances | None:
        """Lower bounds (r, c) of `between`; None if the labels have none."""
        return self.labels.lower_bounds(self.dealt[rows], self.dealt[columns]) if isinstance(self.labels, BoundedDistances) else None


def shuffled_labels(labels: LabelDistances, rows: Rows, rng: np.random.Generator) -> LabelDistances:
    """Control, whose results are not due to the labels' meaning: shuffles those of images `rows` (r,); others keep their own. Classes are permuted
    as a whole: images of one stay together and get the name of another.
    """
    if isinstance(labels, ClassLabels):
        among, order = np.unique(labels.labels[rows]), np.arange(len(labels.classes))
        order[among] = rng.permutation(among)
        return replace(labels, classes=labels.classes[np.ix_(order, order)])
    dealt = np.arange(len(labels))
    dealt[rows] = rng.permutation(rows)
    return DealtLabels(labels, dealt)


KIND = LabelKind("matrix", "a .npy file of distances", lambda table, options, progress: read_matrix(options.file or "", len(table)), needs="file")
