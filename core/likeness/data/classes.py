"""Classes of images from one attribute of a table, or from the combination of several."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data.readers.folder import natural_key
from likeness.data.table import ImageTable, has_label
from likeness.errors import InputError


@dataclass(frozen=True)
class ImageClasses:
    """The classes of a table's images.

    Attributes:
        names: c class names in natural order; values of several attributes are joined by spaces ("red pickup").
        labels: (n,) index of each image's class in `names`; -1 for an image without a label.
    """

    names: list[str]
    labels: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows (m,) of the images that have a label."""
        return np.flatnonzero(self.labels >= 0)

    @property
    def left_out(self) -> int:
        """Number of images without a label."""
        return int((self.labels < 0).sum())


def labeled_images(table: ImageTable, attribute: str | Sequence[str]) -> ImageTable:
    """The images with a label of an attribute, or of each of several; the table itself if all have one. Raises InputError as `image_classes`."""
    found = _labeled(table, attribute)
    return table if found.all() else replace(table, frame=table.frame[found])


def image_classes(table: ImageTable, attribute: str | Sequence[str]) -> ImageClasses:
    """The class of each image by one attribute, or by several together; images without a label of one of them (`has_label`) are in no class.

    Raises:
        InputError: no or an unknown attribute, or no image has a label.
    """
    known = _labeled(table, attribute)
    parts: pd.DataFrame = table.frame.loc[known, _columns(table, attribute)].astype(str)
    values = [" ".join(row) for row in parts.itertuples(index=False, name=None)]
    names = sorted(set(values), key=natural_key)
    place = {name: number for number, name in enumerate(names)}
    labels = np.full(len(table), -1, dtype=np.int64)
    labels[known] = [place[value] for value in values]
    return ImageClasses(names, labels)


def _columns(table: ImageTable, attribute: str | Sequence[str]) -> list[str]:
    columns = [attribute] if isinstance(attribute, str) else list(attribute)
    if not columns:
        raise InputError(f"No attribute is given; choose from {', '.join(table.attributes) or 'none'}.")
    for column in columns:
        if column not in table.attributes:
            raise InputError(f"'{table.name}' has no attribute '{column}'; it has {', '.join(table.attributes) or 'none'}.")
    return columns


def _labeled(table: ImageTable, attribute: str | Sequence[str]) -> NDArray[np.bool_]:
    """Mask (n,) of the images that have a label of each attribute."""
    columns = _columns(table, attribute)
    found = np.logical_and.reduce([has_label(table.frame[column]) for column in columns])
    if not found.any():
        raise InputError(f"No image of '{table.name}' has a label of '{', '.join(columns)}'; fill it in or choose another attribute.")
    return np.asarray(found)


def part_of(classes: ImageClasses, kept: Collection[str]) -> tuple[NDArray[np.int64], ImageClasses]:
    """The rows (m,) of the images of some classes, and these classes renumbered in the same order."""
    names = [name for name in classes.names if name in kept]
    numbers = np.full(len(classes.names), -1, dtype=np.int64)
    numbers[[place for place, name in enumerate(classes.names) if name in kept]] = np.arange(len(names))
    labels = np.where(classes.labels < 0, -1, numbers[classes.labels])
    rows = np.flatnonzero(labels >= 0)
    return rows, ImageClasses(names, labels[rows])
