"""Find images stored more than once: equal files."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.data import Failure, ImageTable, find_files, first_rows
from likeness.errors import InputError
from likeness.io import content_sha256, content_size, without_view
from likeness.progress import Progress

_THREADS = 4


@dataclass(frozen=True)
class ExactCopies:
    """Groups of equal images: at least two ascending rows each, ordered by first row; and unreadable images, which are in no group."""

    groups: tuple[NDArray[np.int64], ...]
    failed: tuple[Failure, ...] = ()

    def __len__(self) -> int:
        return len(self.groups)


def exact_copies(table: ImageTable, progress: Progress | None = None) -> ExactCopies:
    """Groups of images whose files are equal byte by byte.

    Files are compared by their size first, then by SHA-256, read in parts; a part of a file ("clip.mp4#t=12") equals the same part of an equal file.
    Several rows of one file are not copies, and empty files are not images.

    Raises:
        InputError: the rows have no images.

    Example:
        >>> import likeness as lk
        >>> len(exact_copies(lk.read("cars")))
        0
    """
    paths, failed = table.paths(), dict[int, str]()
    listed = [str(path) for path in table.frame["path"]]
    images = np.unique(first_rows(listed, table.root, find_files(listed, table.root)[1])).tolist()
    sizes = _keys(images, lambda row: (_size(paths[row]), without_view(paths[row])[1]), failed, None)
    alike = [row for rows in _grouped(sizes) for row in rows]
    digest = cache(content_sha256)  # a film is read once for all of its frames
    keys = _keys(alike, lambda row: (sizes[row], digest(without_view(paths[row])[0])), failed, progress)
    return ExactCopies(
        tuple(np.array(rows) for rows in _grouped(keys)), tuple(Failure(row, listed[row], reason) for row, reason in sorted(failed.items()))
    )


def _keys(rows: Iterable[int], key: Callable[[int], Hashable], failed: dict[int, str], progress: Progress | None) -> dict[int, Hashable]:
    """The key of each readable row; the reasons of others are added to `failed`."""

    def answered(row: int) -> tuple[int, Hashable]:
        try:
            return row, key(row)
        except InputError as error:
            failed[row] = getattr(error, "reason", str(error))
        except OSError as error:
            failed[row] = (error.strerror or str(error)).lower()
        return row, None

    wanted, found = list(rows), dict[int, Hashable]()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="likeness-copies") as threads:
        for done, (row, value) in enumerate(threads.map(answered, wanted), 1):
            if value is not None:
                found[row] = value
            if progress:
                progress(done, len(wanted), "Looking for equal images")
    return found


def _grouped(keys: dict[int, Hashable]) -> list[list[int]]:
    found: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in keys.items():
        found[key].append(row)
    return sorted((sorted(rows) for rows in found.values() if len(rows) > 1), key=lambda rows: rows[0])


def _size(path: Path) -> int:
    size = content_size(path)
    if not size:
        raise InputError("the file is empty")
    return size
