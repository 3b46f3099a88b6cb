"""Which of several copies is the best: the one to keep."""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import check_readable, file_of, image_size

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.data import ImageTable

_THREADS = 4


def best_first(table: "ImageTable", rows: Any = None) -> NDArray[np.int64]:
    """Ranks (n,) of a table's images, 0 for the best: of more pixels; of as many, in the larger file, which is compressed less; of as large, listed
    first.

    Pixels are those of the file's header; an image that cannot be read has none. Whether a large copy was enlarged from a small one is not looked at.

    Args:
        table: of images, or of rows without images, which are ranked by their number.
        rows: that are looked at, such as those in pairs; all others come after them. None: all.

    Example:
        >>> import likeness as lk
        >>> best_first(lk.read("cars"), rows=[5, 3]).shape
        (2000,)
    """
    count = len(table)
    if not table.has_images:
        return np.arange(count)
    chosen = np.arange(count) if rows is None else np.unique(np.asarray(rows, np.int64))
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="likeness-sizes") as threads:
        found = list(threads.map(lambda row: _sizes(table.file(int(row))), chosen))
    sizes = np.full((count, 2), -1, np.int64)
    sizes[chosen] = np.array(found, np.int64).reshape(-1, 2)
    ranks = np.empty(count, np.int64)
    ranks[np.lexsort((np.arange(count), -sizes[:, 1], -sizes[:, 0]))] = np.arange(count)
    return ranks


def _sizes(path: "Path") -> tuple[int, int]:
    """Pixels, and bytes of the file; 0 for what cannot be read."""
    try:
        width, height = image_size(path)
        return width * height, check_readable(file_of(path)).stat().st_size
    except (InputError, OSError):
        return 0, 0
