"""`Material`: rows of a table or space to export, in parts so that memory stays bounded."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import PART_BYTES
from likeness.data import ImageTable, is_url
from likeness.encoders import map_path
from likeness.errors import InputError
from likeness.exports.plain_columns import plain_frame
from likeness.io import Part, check_readable, file_of, name_to_text, split_part
from likeness.space import Space

MOST_PART_ROWS = 2_000


class Material:
    """Rows to export, `rows` in this order (None: all), with the attributes `columns` (None: all), of a table, or of a space if vectors are needed.

    With `portable`, nothing written contains a path of this machine. `table` has only these rows; `space` is the whole space, or None, and `rows`
    (n,) their numbers in it. Raises InputError for no row, an unknown row or attribute, or a duplicate row.
    """

    def __init__(self, source: ImageTable | Space, rows: Any = None, columns: Sequence[str] | None = None, portable: bool = False) -> None:
        self.portable = portable
        whole = source.table if isinstance(source, Space) else source
        self.space = source if isinstance(source, Space) else None
        self.rows = np.arange(len(whole)) if rows is None else _checked_rows(rows, len(whole))
        frame = whole.frame if rows is None else whole.frame.iloc[self.rows]
        wrong = next((name for name in columns or () if name not in whole.attributes), None)
        if wrong is not None:
            raise InputError(f"'{whole.name}' has no attribute '{wrong}'; it has {', '.join(whole.attributes) or 'none'}.")
        self.table = replace(whole, frame=frame if columns is None else frame[[*(["path"] if whole.has_images else []), *dict.fromkeys(columns)]])

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def attributes(self) -> pd.DataFrame:
        """The attributes as plain columns (`plain_frame`), without paths."""
        return plain_frame(self.table.frame[self.table.attributes])

    @cached_property
    def columns(self) -> pd.DataFrame:
        """The attributes as plain columns, after the paths if there are images."""
        if not self.table.has_images:
            return self.attributes
        return pd.concat([pd.DataFrame({"path": pd.Series(self.names, dtype=object)}), self.attributes], axis=1)

    @cached_property
    def names(self) -> list[str]:
        """The path of each image as written: that of the table; never absolute if portable."""
        named = [str(name) for name in self.table.frame["path"]]
        return [_below(name, self.table.root) for name in named] if self.portable else named

    @property
    def encoder(self) -> str:
        """The encoder's display name; if portable, "" for one that is a local folder."""
        name = self._space().encoder_name
        return "" if self.portable and _is_folder(name) else name

    @property
    def dim(self) -> int:
        """Dimensions of the vectors."""
        return int(self._space().vectors.shape[1])

    def parts(self, begin: int = 0) -> Iterator[range]:
        """Yields all rows from `begin`, in parts of at most 2,000 rows and, of a space, 16 MB of vectors."""
        size = MOST_PART_ROWS if self.space is None else max(1, min(MOST_PART_ROWS, PART_BYTES // (4 * self.dim)))
        for start in range(begin, len(self), size):
            yield range(start, min(start + size, len(self)))

    def vectors(self, part: range) -> NDArray[np.float32]:
        """The vectors (m, d) of a part."""
        return np.asarray(self._space().vectors[self.rows[part.start : part.stop]], np.float32)

    def neighbors(self, part: range, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The k nearest exported rows of each row of a part, excluding itself, as rows of the export (m, k), and their cosines (m, k).

        Approximate with an index. Fewer than k if fewer rows are exported.
        """
        if len(self) < 2:
            return np.empty((len(part), 0), np.int64), np.empty((len(part), 0), np.float32)
        allowed = None if len(self) == len(self._space()) else self._numbers >= 0
        found = self._space().nearest(self.vectors(part), k, exclude=self.rows[part.start : part.stop], allowed=allowed)
        return self._numbers[found.rows], found.similarities

    def paths(self, regions: bool = False) -> list[Path]:
        """Absolute paths of the images, with `regions` also of those whose regions are rows; raises InputError for others without a local file of
        their own, or whose file is missing.
        """
        parts = [split_part(name)[1] or Part() for name in map(str, self.table.frame["path"])]
        paths = [file_of(path).absolute() for path in self.table.paths()]
        named = [str(name) for name in self.table.frame["path"]]
        for what, wrong in (
            ("images at URLs, which have no local file", [name for name in named if is_url(name)]),
            (
                "regions, seconds, pages, or images in archives or tables, which have no file of their own",
                [name for name, part in zip(named, parts, strict=True) if part != (Part(box=part.box, percent=part.percent) if regions else Part())],
            ),
            ("images whose file is missing", [name for name, path in zip(named, paths, strict=True) if not _is_there(path)]),
        ):
            if wrong:
                raise InputError(f"There are {len(wrong):,} {what}, first '{wrong[0]}'; export the others, by `rows` or --only.")
        return paths

    @cached_property
    def digest(self) -> str:
        """Fingerprint of rows, attributes and vectors; an interrupted export resumes only if it is unchanged."""
        found = hashlib.sha256(self._space().key.encode())
        found.update(self.rows.astype("<i8").tobytes())
        found.update(repr(list(self.columns.columns)).encode())
        found.update(pd.util.hash_pandas_object(self.columns.astype(str), index=False).to_numpy().tobytes())
        return found.hexdigest()[:24]

    @cached_property
    def about(self) -> dict[str, Any]:
        """Metadata for `likeness.embedding.space_of`, with the digest and the final number of rows."""
        about = self._space().about() | {"export": self.digest, "rows": len(self)}
        return about | {"root": "." if self.table.has_images else "", "encoder": about["encoder"] and self.encoder} if self.portable else about

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The export row of each row of the space; -1 if not exported."""
        numbers = np.full(len(self._space()), -1)
        numbers[self.rows] = np.arange(len(self))
        return numbers

    def _space(self) -> Space:
        if self.space is None:
            raise InputError("This export needs vectors; pass a Space, such as from `likeness.embed`, instead of a table.")
        return self.space


def _below(name: str, root: Path) -> str:
    """The path of an image relative to the table's folder; only its name if it is elsewhere."""
    file = split_part(name)[0]
    path = PurePath(file)
    if not path.is_absolute():
        return name
    folder = name_to_text(str(root.absolute()))
    return (path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name) + name[len(file) :]


def _is_folder(encoder: str) -> bool:
    """True if an encoder's name contains a path."""
    paths: list[str] = []
    map_path(encoder, lambda path: paths.append(path) or path)  # type: ignore[func-returns-value]
    return bool(paths)


def _is_there(path: Path) -> bool:
    """True if a path is a file that may be read."""
    try:
        return check_readable(path).is_file()
    except OSError:
        return False


def _checked_rows(rows: Any, count: int) -> NDArray[np.int64]:
    given = np.asarray(rows)
    if given.dtype == bool and given.shape == (count,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise InputError(f"The rows have shape {given.shape} and type {given.dtype}; pass at least one row number, or a mask ({count:,},).")
    if given.min() < 0 or given.max() >= count:
        raise InputError(f"There is no row {given.min() if given.min() < 0 else given.max()}; the last is {count - 1:,}.")
    if len(np.unique(given)) < len(given):
        raise InputError("A row to export is given twice; pass each once.")
    return given.astype(np.int64)
