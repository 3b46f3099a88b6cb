"""Rank copies by quality, to choose the one to keep."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io import content_size, image_size
from likeness.progress import Progress

_THREADS = 4


def best_first(table: ImageTable, rows: Any = None) -> NDArray[np.int64]:
    """Ranks (n,) of a table's images, 0 for the best: by number of pixels, then by file size (less compression), then by order. Rows without images
    are ranked by number.

    Pixels are read from the header; unreadable images have none. Upscaled copies are not detected. Only `rows` are compared, such as those in pairs,
    and others come after them; None: all.

    Example:
        >>> import likeness as lk
        >>> best_first(lk.read("cars"), rows=[5, 3]).shape
        (2000,)
    """
    count = len(table)
    if not table.has_images:
        return np.arange(count)
    chosen = np.arange(count) if rows is None else np.unique(np.asarray(rows, np.int64))
    return ranks_by_size(chosen, image_sizes(table, chosen), count)


def image_sizes(table: ImageTable, rows: Any, progress: Progress | None = None) -> NDArray[np.int64]:
    """Width and height in pixels and bytes of the file (m, 3) of some images (m,) of a table; 0 for one that cannot be read."""
    wanted = [int(row) for row in rows]
    found = []
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="likeness-sizes") as threads:
        for done, size in enumerate(threads.map(lambda row: _size(table.file(row)), wanted), 1):
            found.append(size)
            if progress:
                progress(done, len(wanted), "Looking which image is the best")
    return np.array(found, np.int64).reshape(-1, 3)


def ranks_by_size(rows: Any, sizes: Any, count: int) -> NDArray[np.int64]:
    """Ranks (count,) as `best_first`, by the sizes (m, 3) of the images `rows` (m,); all others come after them.

    Example:
        >>> ranks_by_size([2, 0], [[8, 8, 500], [8, 8, 900]], 3).tolist()
        [0, 2, 1]
    """
    known = np.asarray(sizes, np.int64).reshape(-1, 3)
    pixels, size = np.full((2, count), -1, np.int64)
    pixels[np.asarray(rows, np.int64)], size[np.asarray(rows, np.int64)] = known[:, 0] * known[:, 1], known[:, 2]
    ranks = np.empty(count, np.int64)
    ranks[np.lexsort((np.arange(count), -size, -pixels))] = np.arange(count)
    return ranks


def why_best(sizes: Any) -> str:
    """A short reason why the first of some images is the best, by their sizes (m, 3) from `image_sizes`.

    Example:
        >>> why_best([[800, 600, 90_000], [400, 300, 95_000]]), why_best([[800, 600, 90_000], [800, 600, 40_000]])
        ('most pixels', 'largest file of as many pixels')
    """
    known = np.asarray(sizes, np.int64).reshape(-1, 3)
    pixels, size = known[:, 0] * known[:, 1], known[:, 2]
    if (pixels[1:] < pixels[0]).all():
        return "most pixels"
    return "largest file of as many pixels" if (size[1:][pixels[1:] == pixels[0]] < size[0]).all() else "listed first of equal ones"


def _size(path: Path) -> tuple[int, int, int]:
    try:
        width, height = image_size(path)
        return width, height, content_size(path)
    except (InputError, OSError):
        return 0, 0, 0
