"""Synthetic Cars, the shipped images."""

from pathlib import Path

import pandas as pd

from likeness.data.readers.dataset import Dataset
from likeness.data.table import CONTENT_COLUMN, ImageTable, content_digest
from likeness.errors import InputError
from likeness.io import assets_dir


def read_cars() -> ImageTable:
    """The 2,000 shipped renderings of cars, with all attributes. The additional column `CONTENT_COLUMN` holds the digest of each file, by which
    shipped embeddings are found, because paths and times differ between machines.

    Raises:
        InputError: the files are missing.

    Example:
        >>> from likeness.data import read_cars
        >>> len(read_cars())
        2000
    """
    root = assets_dir() / "synthetic_cars"
    file = root / "attributes.csv"
    if not file.is_file():
        raise InputError(f"The shipped images are not in '{root}'; reinstall the package.")
    frame = pd.read_csv(file)
    frame[CONTENT_COLUMN] = [_digest(root / str(path)) for path in frame["path"]]
    return ImageTable("Synthetic Cars", root, frame)


def _digest(path: Path) -> str:
    try:
        return content_digest(path)
    except OSError as error:
        raise InputError(f"The shipped image '{path.name}' is missing or unreadable; reinstall the package.") from error


DATASET = Dataset("cars", "Synthetic Cars", "2,000 rendered cars with all their attributes; they ship with Likeness.", read_cars, "ships")
