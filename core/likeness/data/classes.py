"""Classes of images from the attributes of a table: of several attributes the combination."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data.readers.folder import natural_key
from likeness.data.table import ImageTable
from likeness.errors import InputError


@dataclass(frozen=True)
class ImageClasses:
    """The classes of a table's images.

    Attributes:
        names: c class names in natural order; of several attributes, their values with blanks between ("red pickup").
        labels: (n,) number of each image's class in `names`.
    """

    names: list[str]
    labels: NDArray[np.int64]


def image_classes(table: ImageTable, attribute: str | Sequence[str]) -> ImageClasses:
    """The class of each image by one attribute, or by several together.

    Raises:
        InputError: no attribute, one that is not there, or one that some images do not have.
    """
    columns = [attribute] if isinstance(attribute, str) else list(attribute)
    if not columns:
        raise InputError(f"No attribute is named; choose from {', '.join(table.attributes) or 'none'}.")
    for column in columns:
        if column not in table.attributes:
            raise InputError(f"'{table.name}' has no attribute '{column}'; it has {', '.join(table.attributes) or 'none'}.")
        missing = int(table.frame[column].isna().sum())
        if missing:
            raise InputError(f"'{table.name}' has no '{column}' for {missing} images; fill it in or choose another attribute.")
    parts: pd.DataFrame = table.frame[columns].astype(str)
    values = [" ".join(row) for row in parts.itertuples(index=False, name=None)]
    names = sorted(set(values), key=natural_key)
    place = {name: number for number, name in enumerate(names)}
    return ImageClasses(names, np.array([place[value] for value in values], dtype=np.int64))


def part_of(classes: ImageClasses, kept: Collection[str]) -> tuple[NDArray[np.int64], ImageClasses]:
    """The rows (m,) of the images of some classes, and these classes numbered anew, in the same order."""
    names = [name for name in classes.names if name in kept]
    numbers = np.full(len(classes.names), -1, dtype=np.int64)
    numbers[[place for place, name in enumerate(classes.names) if name in kept]] = np.arange(len(names))
    labels = numbers[classes.labels]
    rows = np.flatnonzero(labels >= 0)
    return rows, ImageClasses(names, labels[rows])
