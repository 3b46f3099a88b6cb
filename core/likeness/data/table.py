"""`ImageTable`: images with attributes, as returned by all readers and generators."""

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import name_to_text, spoken_name, text_to_name, to_arrow

# the digests of images' files, in tables that ship: by them their embeddings are found on every machine. No column of a person's: "sha256" there may
# be the digest of the original, of the parent, or of anything else.
CONTENT_COLUMN = "likeness:sha256"
# the path of the first row with the same file, where several rows with different paths have one: no column of a person's
IMAGE_COLUMN = "likeness:image"
_NOT_ATTRIBUTES = ("path", CONTENT_COLUMN, IMAGE_COLUMN)
# of an image whose label nobody can tell: it is shown as it is, and nothing is judged by it
UNLABELED = "(unlabeled)"
_SHOWN = 12
_LISTED = 4


def content_digest(path: str | Path) -> str:
    """Hexadecimal SHA-256 of a file, cached until its size or modification time changes. Raises OSError if it cannot be read."""
    stat = os.stat(path)
    return _digest(str(path), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=4096)
def _digest(path: str, size: int, mtime_ns: int) -> str:
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def has_label(labels: Any) -> NDArray[np.bool_]:
    """Mask (n,) of valid labels: neither missing (None, NaN, NA) nor empty text nor `UNLABELED`. Images without a label are ignored in all metrics.

    Example:
        >>> has_label(["dog", None, "", "(unlabeled)"]).tolist()
        [True, False, False, False]
    """
    column = labels if isinstance(labels, pd.Series) else pd.Series(labels, dtype=object if isinstance(labels, list | tuple) else None)
    found = column.notna().to_numpy(dtype=bool)
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return found
    empty = np.fromiter((isinstance(each, str) and each.strip() in ("", UNLABELED) for each in column.astype(object)), bool, len(column))
    return np.asarray(found & ~empty)


@dataclass(frozen=True)
class Failure:
    """An image that could not be read: its row and path in the source table, and the reason. A folder that could not be listed has row -1."""

    row: int
    path: str
    reason: str


@dataclass(frozen=True, repr=False)
class ImageTable:
    """Images of a dataset and their attributes.

    Attributes:
        name: display name.
        root: folder that the paths are relative to.
        frame: one row per image, numbered from 0; the column `path` (relative to `root`, with forward slashes; a name
            that is not UTF-8 as `likeness.io.name_to_text` writes it), perhaps `likeness:sha256` (digest of each file that ships, by which embeddings
            are found) and `likeness:image` (of rows of one image with several paths the first), every further column an attribute; a name that is a
            number becomes a text.
        failed: images skipped because they could not be read.
        has_images: false for rows of vectors that came without images: they have no column `path`.
        notes: sentences that the user should see, such as about skipped files.

    Raises:
        InputError: if there is no `path` column or no row, or two columns have the same name.

    Example:
        >>> images = ImageTable("photos", Path("photos"), pd.DataFrame({"path": ["a.jpg", "b.jpg"], "dog": ["black", "white"]}))
        >>> images
        ImageTable('photos', 2 images, attributes: dog)
    """

    name: str
    root: Path
    frame: pd.DataFrame
    failed: tuple[Failure, ...] = ()
    has_images: bool = True
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.has_images and "path" not in self.frame.columns:
            columns = list(self.frame.columns)
            raise InputError(f"The table '{self.name}' has no column 'path', only {columns}; pass the name of the column of image paths.")
        names = [str(column) for column in self.frame.columns]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"The table '{self.name}' has the column '{twice}' twice; rename one of them.")
        if not len(self.frame):
            raise InputError(f"The table '{self.name}' has no images; choose a folder or file that lists at least one.")
        frame = self.frame.reset_index(drop=True)
        object.__setattr__(self, "frame", frame if names == list(frame.columns) else frame.set_axis(names, axis=1))

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        missing = f", {len(self.failed)} could not be read" if self.failed else ""
        more = ", ..." if len(self.attributes) > _LISTED else ""
        listed = f", attributes: {', '.join(self.attributes[:_LISTED])}{more}" if self.attributes else ""
        said = f"ImageTable('{self.name}', {len(self):,} {'images' if self.has_images else 'rows'}{listed}{missing})"
        return "\n".join((said, *self.notes))

    def _repr_html_(self) -> str:
        from likeness.data.thumbnails import picture_html

        shown = self.paths()[:_SHOWN] if self.has_images else []
        return picture_html(repr(self), shown, [spoken_name(name_to_text(str(path))) for path in shown])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return to_arrow(self.frame).__arrow_c_stream__(requested_schema)

    @property
    def attributes(self) -> list[str]:
        """Names of the attribute columns, in order."""
        return [str(column) for column in self.frame.columns if column not in _NOT_ATTRIBUTES]

    def repeated_images(self) -> "pd.Series[str] | None":
        """Image identifier of each row (n,) if some rows share an image; else None."""
        if not self.has_images:
            return None
        named = self.frame[IMAGE_COLUMN if IMAGE_COLUMN in self.frame.columns else "path"]
        return named if named.duplicated().any() else None

    def paths(self) -> list[Path]:
        """Absolute path of each image, in row order. Raises InputError if there are no images."""
        if not self.has_images:
            raise InputError(f"The rows of '{self.name}' have no images; pass `images=` with the vectors.")
        return [self.root / text_to_name(path) for path in self.frame["path"]]

    def file(self, row: int) -> Path:
        """Absolute path of one image."""
        return self.root / text_to_name(str(self.frame["path"].iat[row]))
