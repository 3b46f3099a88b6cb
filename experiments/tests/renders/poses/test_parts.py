"""Parts of a table are written in order, by one process or two."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.renders.poses.parts import CHUNK, check_job, save_image, write_in_parts
from likeness.errors import InputError


def squares(folder: Path, frame: pd.DataFrame, size: int) -> np.ndarray:
    return np.stack([frame["x"] ** 2, np.full(len(frame), size)], axis=1).astype(float)


def test_rows_come_back_in_order(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    frame = pd.DataFrame({"x": np.arange(2 * CHUNK + 5)})
    rows = write_in_parts(squares, tmp_path, frame, 7, 1, lambda done, n: seen.append((done, n)))
    np.testing.assert_array_equal(rows, np.stack([frame.x**2, np.full(len(frame), 7)], axis=1))
    assert seen == [(CHUNK, 2 * CHUNK + 5), (2 * CHUNK, 2 * CHUNK + 5), (2 * CHUNK + 5, 2 * CHUNK + 5)]


@pytest.mark.parametrize("name", ["deep/a.webp", "b.png"])
def test_images_are_lossless(tmp_path: Path, name: str) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    save_image(tmp_path / name, pixels)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / name)), pixels)
    assert [path.name for path in (tmp_path / name).parent.iterdir() if path.is_file()] == [Path(name).name]


@pytest.mark.parametrize(("size", "workers"), [(15, 1), (16, 0)])
def test_jobs_that_cannot_be_done_are_refused(size: int, workers: int) -> None:
    check_job(16, 1)
    with pytest.raises(InputError, match=f"Images of {size} px by {workers} workers cannot be made: ask for at least 16 px and 1 worker"):
        check_job(size, workers)
