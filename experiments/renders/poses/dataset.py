"""Synthetic Poses as a folder of images and a table."""

from pathlib import Path

import numpy as np
import pandas as pd

from experiments.renders.poses.generate import draw
from experiments.renders.poses.parts import check_job, save_image, write_in_parts
from experiments.renders.poses.scene import sample_poses
from experiments.renders.poses.skeleton import JOINT_COLUMNS
from experiments.renders.render import Render
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
    """Writes `n` pictures of `seed` to `folder` as images/00000.webp ... and attributes.csv; returns that table.

    The table has the path, the attributes and the joints in pixels, with the column names of the Leeds Sports Pose table
    (`skeleton.JOINT_COLUMNS`, 2 decimals). The same seed gives the same pictures, whatever `n` and `workers`; WebP is written
    lossless. The table comes last, so a folder that has one is complete. `progress(done, n)` is called as images are written.

    Raises:
        InputError: a size below 16 or fewer than one worker, or what `sample_poses` refuses.
    """
    check_job(size, workers)
    frame = sample_poses(n, seed)
    frame.insert(0, "path", [f"images/{i:05d}.webp" for i in range(n)])
    joints = write_in_parts(_write_images, folder, frame, size, workers, progress)
    frame = pd.concat([frame, pd.DataFrame(joints, columns=list(JOINT_COLUMNS))], axis=1)
    write_atomic(folder / "attributes.csv", csv_bytes(frame))
    return frame


def _write_images(folder: Path, frame: pd.DataFrame, size: int) -> Float64s:
    """Joints (m, 28) of the pictures of a part of the table, which it writes."""
    joints = np.empty((len(frame), len(JOINT_COLUMNS)))
    for i, row in enumerate(frame.to_dict("records")):
        picture = draw(row, size)
        save_image(folder / str(row["path"]), picture.pixels)
        joints[i] = picture.joints.ravel().round(2)
    return joints


RENDER = Render("synthetic-poses", "Synthetic Poses", "Human figures in varied postures, with every joint.", write_dataset)
DATASET = RENDER.dataset
