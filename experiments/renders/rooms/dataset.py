"""Synthetic Rooms as a folder of images, layouts and a table."""

from pathlib import Path

import numpy as np
import pandas as pd

from experiments.renders.poses.parts import check_job, save_image, write_in_parts
from experiments.renders.render import Render
from experiments.renders.rooms.generate import draw
from experiments.renders.rooms.scene import sample_rooms
from likeness.arrays import Float64s
from likeness.io import csv_bytes, write_atomic
from likeness.progress import Progress


def write_dataset(
    folder: Path,
    n: int = 2000,
    seed: int = 0,
    *,
    size: int = 128,
    workers: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Writes `n` pictures of `seed` to `folder` as images/00000.webp ..., layouts/00000.png ... and attributes.csv.

    Returns the table: path and layout (of the image and of its layout, relative to the folder), then the attributes. A layout is
    a PNG of bytes with the values of `room.SURFACES`. The same seed gives the same pictures, whatever `n` and `workers`; WebP is
    written lossless. The table comes last, so a folder that has one is complete. `progress(done, n)` is called as images are
    written.

    Raises:
        InputError: a size below 16 or fewer than one worker, or what `sample_rooms` refuses.
    """
    check_job(size, workers)
    frame = sample_rooms(n, seed)
    frame.insert(0, "path", [f"images/{i:05d}.webp" for i in range(n)])
    frame.insert(1, "layout", [f"layouts/{i:05d}.png" for i in range(n)])
    write_in_parts(_write_images, folder, frame, size, workers, progress)
    write_atomic(folder / "attributes.csv", csv_bytes(frame))
    return frame


def _write_images(folder: Path, frame: pd.DataFrame, size: int) -> Float64s:
    """Writes the pictures and layouts of a part of the table, of which nothing (m, 0) is added to it."""
    for row in frame.to_dict("records"):
        picture = draw(row, size)
        save_image(folder / str(row["path"]), picture.pixels)
        save_image(folder / str(row["layout"]), picture.layout)
    return np.empty((len(frame), 0))


RENDER = Render("synthetic-rooms", "Synthetic Rooms", "Furnished rooms, with the layout of each.", write_dataset)
DATASET = RENDER.dataset
