"""A set of images with attributes: what every reader and generator returns."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from likeness.errors import InputError

_NOT_ATTRIBUTES = ("path", "sha256")


@dataclass(frozen=True)
class ImageTable:
    """Images of one dataset and what is known about each.

    Attributes:
        name: shown to people.
        root: folder that the paths are relative to.
        frame: one row per image, numbered from 0; the column `path` (relative to `root`, with forward slashes), perhaps
            `sha256` (digest of each file, by which embeddings are found), every further column an attribute.

    Raises:
        InputError: if there is no `path` column or no row.
    """

    name: str
    root: Path
    frame: pd.DataFrame

    def __post_init__(self) -> None:
        if "path" not in self.frame.columns:
            columns = list(self.frame.columns)
            raise InputError(f"The table '{self.name}' has no column 'path' but {columns}; name the column that holds the image paths.")
        if self.frame.empty:
            raise InputError(f"The table '{self.name}' has no images; choose a folder or file that lists at least one.")
        object.__setattr__(self, "frame", self.frame.reset_index(drop=True))

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def attributes(self) -> list[str]:
        """Names of the attribute columns, in order."""
        return [str(column) for column in self.frame.columns if column not in _NOT_ATTRIBUTES]

    def paths(self) -> list[Path]:
        """Absolute path of each image, in row order."""
        return [self.root / path for path in self.frame["path"]]
