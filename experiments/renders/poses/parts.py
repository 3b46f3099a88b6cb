"""Many pictures written by one process or several."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.worker_pool import WorkerPool
from likeness.arrays import Float64s
from likeness.errors import InputError
from likeness.io import write_atomic
from likeness.progress import Progress

CHUNK = 50
SMALLEST = 16  # pixels
Write = Callable[[Path, pd.DataFrame, int], Float64s]


def check_job(size: int, workers: int) -> None:
    """Refuses what cannot be written.

    Raises:
        InputError: a size below SMALLEST or fewer than one worker.
    """
    if size < SMALLEST or workers < 1:
        raise InputError(f"Images of {size} px by {workers} workers cannot be made: ask for at least {SMALLEST} px and 1 worker.")


def write_in_parts(write: Write, folder: Path, frame: pd.DataFrame, size: int, workers: int, progress: Progress | None) -> Float64s:
    """Calls `write` with the folder, CHUNK rows of the table and the size until all rows are written.

    Returns the rows (n, k) that the calls returned, one for each of the table's. `progress(done, n)` is called after each part.
    `write` must be a function of a module, so that other processes can import it.
    """
    jobs = [(folder, frame.iloc[i : i + CHUNK], size) for i in range(0, len(frame), CHUNK)]
    rows: list[Float64s] = []

    def collect(part: Float64s) -> None:
        rows.extend(part)
        if progress:
            progress(len(rows), len(frame))

    if workers == 1:
        for job in jobs:
            collect(write(*job))
    else:
        with WorkerPool(workers) as pool:
            for part in pool.map(write, *zip(*jobs, strict=True)):
                collect(part)
    return np.stack(rows)


def save_image(path: Path, pixels: np.ndarray) -> None:
    """Writes bytes (h, w, 3) or (h, w) losslessly, whole or not at all, in the format of the path's ending."""
    from PIL import Image

    content = BytesIO()
    if path.suffix == ".webp":
        # method 4, WebP's usual effort, takes three times as long for less than 3 % of the bytes
        Image.fromarray(pixels).save(content, "WEBP", lossless=True, method=1)
    else:
        Image.fromarray(pixels).save(content, path.suffix[1:].upper())
    write_atomic(path, content.getvalue())
