"""Partial labels: classes and indices."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.data import ImageTable, has_label, labels_by_path, read_label_file
from likeness.errors import InputError


class GivenLabels(NamedTuple):
    """Labels of n images: the different ones, sorted (c,), and the number of each image's (n,), -1 without a label."""

    classes: NDArray[Any]
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Any, n: int) -> "GivenLabels":
        """Reads labels (n,); None, NaN, "" and `likeness.data.UNLABELED` stand for none.

        InputError: not one label per image, labels that cannot be sorted, or fewer than two classes.
        """
        values = labels.to_numpy(dtype=object) if isinstance(labels, pd.Series) else to_numpy(labels)
        if values.shape != (n,):
            raise InputError(f"The labels have shape {values.shape} for {n} images; pass one label per image, None where there is none.")
        column = pd.Series(values)
        missing = ~has_label(column)
        try:
            classes, found = np.unique(column[~missing].to_numpy(), return_inverse=True)
        except TypeError as error:
            raise InputError("The labels mix texts, numbers or other things, which cannot be sorted; pass all of them as texts.") from error
        if len(classes) < 2:
            known = f"all labels are '{classes[0]}'" if len(classes) else "no image has a label"
            raise InputError(f"Labels spread from at least two classes, but {known}; label an image of another class first.")
        numbers = np.full(n, -1, np.int64)
        numbers[~missing] = found
        return cls(classes, numbers)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows (m,) of the labeled images."""
        return np.flatnonzero(self.numbers >= 0)


def held_out_groups(numbers: NDArray[np.int64], most: int, seed: int, together: NDArray[Any] | None = None) -> NDArray[np.int64]:
    """A group (m,) for each label, of the class `numbers` (m,): what is held out together; leave-one-out of up to `most` labels. A class is dealt
    evenly to the groups. `together` (m,) is equal for labels that were given in one go, which are in one group then.
    """
    if together is not None:
        selections, number = np.unique(together, return_inverse=True)
        if len(selections) <= most:
            return np.asarray(number, np.int64)
        return np.asarray(np.random.default_rng(seed).permutation(len(selections))[number] % most)
    m = len(numbers)
    if m <= most:
        return np.arange(m)
    order = np.random.default_rng(seed).permutation(m)
    order = order[np.argsort(numbers[order], kind="stable")]
    groups = np.empty(m, np.int64)
    groups[order] = np.arange(m) % most
    return groups


def labels_of_paths(table: ImageTable, file: Path) -> NDArray[np.object_]:
    """Labels (n,) of a table's images from a CSV file with the columns path, as in the table, and label; None where it names none.

    InputError: as `likeness.data.read_label_file`, a table without images, a path that is none of the table's, or fewer than two classes.
    """
    if not table.has_images:
        raise InputError(f"The rows of '{table.name}' have no images, so the labels of '{file.name}' match none of them.")
    named = labels_by_path(read_label_file(file), table)
    paths = table.frame["path"].astype(str)
    strange = sorted(set(named) - set(paths))
    if strange:
        raise InputError(
            f"The label file '{file.name}' names '{strange[0]}', which is not an image of '{table.name}' ({len(strange)} such); write paths as in "
            f"'{paths.iloc[0]}'."
        )
    found = np.array([named.get(path) for path in paths], dtype=object)
    GivenLabels.of(found, len(table))  # refuses what cannot spread before the images are embedded
    return found
