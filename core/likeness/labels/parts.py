"""Label distances that are known within parts of the images only, such as the training and the test part of a benchmark."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.labels.matrix import check_matrix
from likeness.labels.protocol import Distances, Rows


@dataclass(frozen=True)
class PartLabels:
    """A matrix of label distances for each part of n images; between parts they are not known.

    Attributes:
        matrices: by the part's name, (m, m).
        part: (n,) number of each image's part, in the order of `matrices`.
        place: (n,) row of each image in the matrix of its part.

    Raises:
        InputError: a matrix that `check_matrix` refuses, or images that have no row there.
    """

    matrices: dict[str, NDArray[Any]]
    part: Rows
    place: Rows
    unit: str = ""

    def __post_init__(self) -> None:
        for matrix in self.matrices.values():
            check_matrix(matrix)
        if self.part.shape != self.place.shape or self.part.ndim != 1:
            raise InputError(f"The parts of the images have shape {self.part.shape} and their places {self.place.shape}; give one of each per image.")
        sizes = np.array([len(matrix) for matrix in self.matrices.values()])
        wrong = np.flatnonzero((self.part < 0) | (self.part >= len(sizes)))
        if wrong.size:
            raise InputError(f"Image {wrong[0]} is in part {self.part[wrong[0]]}, and there are {len(sizes)}; give a number from 0.")
        wrong = np.flatnonzero((self.place < 0) | (self.place >= sizes[self.part]))
        if wrong.size:
            image, name = int(wrong[0]), list(self.matrices)[self.part[wrong[0]]]
            raise InputError(f"Image {image} is number {self.place[image]} of the part '{name}', whose matrix has {len(self.matrices[name])} rows.")

    def __len__(self) -> int:
        return len(self.part)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c).

        Raises:
            InputError: rows and columns that are not all of one part.
        """
        if not len(rows) or not len(columns):
            return np.zeros((len(rows), len(columns)), np.float32)
        both = np.concatenate([rows, columns])
        other = np.flatnonzero(self.part[both] != self.part[both[0]])
        names = list(self.matrices)
        if other.size:
            one, two = int(both[0]), int(both[other[0]])
            raise InputError(
                f"Image {one} is in the part '{names[self.part[one]]}' and image {two} in '{names[self.part[two]]}'; label distances are known "
                f"within a part only, so ask for images of one."
            )
        matrix = self.matrices[names[self.part[both[0]]]]
        return np.asarray(matrix[self.place[rows][:, None], self.place[columns][None, :]], dtype=np.float32)
