"""Synthetic Cars as a folder of images and a table."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.renders.cars.generate import draw
from experiments.renders.cars.scene import sample_scenes
from experiments.renders.render import Render
from experiments.worker_pool import WorkerPool
from likeness.errors import InputError
from likeness.io import csv_bytes, write_atomic
from likeness.progress import Progress
from likeness.saliency import MASKS_FILE, Masks

_CHUNK = 50


def write_dataset(
    folder: Path,
    n: int = 2000,
    seed: int = 0,
    *,
    size: int = 128,
    workers: int = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Writes `n` scenes of `seed` to `folder` as images/00000.webp ... and attributes.csv; returns that table.

    The same seed gives the same pictures, whatever `n` and `workers`; WebP is written lossless, so the files hold exactly what
    `render_scenes` returns (2.6 KB an image at 128 px); masks.npz says where the car is in each. The table comes last, so a folder that has one is
    complete. `progress(done, n)` is called as images are written.

    Raises:
        InputError: a size below 16 or fewer than one worker, or what `sample_scenes` refuses.
    """
    if size < 16 or workers < 1:
        raise InputError(f"Images of {size} px by {workers} workers cannot be made: ask for at least 16 px and 1 worker.")
    frame = sample_scenes(n, seed)
    frame.insert(0, "path", [f"images/{i:05d}.webp" for i in range(n)])
    jobs = [(folder, frame.iloc[i : i + _CHUNK], size) for i in range(0, n, _CHUNK)]
    if workers == 1:
        masks = _report(map(_write_images, *zip(*jobs, strict=True)), n, progress)
    else:
        with WorkerPool(workers) as pool:
            masks = _report(pool.map(_write_images, *zip(*jobs, strict=True)), n, progress)
    write_masks(folder, frame["path"].tolist(), masks)
    write_atomic(folder / "attributes.csv", csv_bytes(frame))
    return frame


def write_masks(folder: Path, paths: Sequence[str], masks: Masks) -> None:
    """Writes the masks (n, h, w) into the folder of the images' table, for `likeness.saliency.object_masks`; `paths` are those of the table."""
    content = BytesIO()
    np.savez_compressed(content, paths=np.array(paths), size=masks.shape[1:], masks=np.packbits(masks.reshape(len(masks), -1), axis=1))
    write_atomic(folder / MASKS_FILE, content.getvalue())


def _report(drawn: Iterable[Masks], n: int, progress: Progress | None) -> Masks:
    found: list[Masks] = []
    for masks in drawn:
        found.append(masks)
        if progress:
            progress(sum(map(len, found)), n)
    return np.concatenate(found)


def _write_images(folder: Path, frame: pd.DataFrame, size: int) -> Masks:
    from PIL import Image

    pictures = [draw(row, size) for row in frame.to_dict("records")]
    for path, picture in zip(frame["path"], pictures, strict=True):
        content = BytesIO()
        Image.fromarray(picture.pixels).save(content, "WEBP", lossless=True, method=4)
        write_atomic(folder / str(path), content.getvalue())
    return np.stack([picture.mask for picture in pictures])


RENDER = Render("synthetic-cars", "Synthetic Cars", "Cars of six body types with all their attributes.", write_dataset)
