"""The written data set: complete, lossless, the same for any number of images and workers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.renders.cars import render_scenes, write_dataset
from likeness.errors import InputError


def test_files_hold_the_rendered_pixels(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    frame = write_dataset(tmp_path, 5, seed=2, size=48, progress=lambda done, n: seen.append((done, n)))
    table = pd.read_csv(tmp_path / "attributes.csv")
    assert list(table.columns) == list(frame.columns)
    assert list(table.columns)[:2] == ["path", "body_type"]
    stored = np.stack([np.asarray(Image.open(tmp_path / path)) for path in table.path])
    np.testing.assert_array_equal(stored, render_scenes(table, 48))
    assert seen[-1] == (5, 5)
    assert len(list((tmp_path / "images").iterdir())) == 5


def test_more_images_begin_with_the_same_ones_in_any_number_of_processes(tmp_path: Path) -> None:
    write_dataset(tmp_path / "few", 3, seed=2, size=32)
    write_dataset(tmp_path / "more", 53, seed=2, size=32, workers=2)
    for path in sorted((tmp_path / "few" / "images").iterdir()):
        assert path.read_bytes() == (tmp_path / "more" / "images" / path.name).read_bytes()
    assert len(pd.read_csv(tmp_path / "more" / "attributes.csv")) == 53


def test_a_broken_run_leaves_no_table(tmp_path: Path) -> None:
    def stop(done: int, n: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(tmp_path, 3, size=32, progress=stop)
    assert not (tmp_path / "attributes.csv").exists()


def test_shipped_images_are_what_the_generator_makes() -> None:
    from likeness.io.paths import assets_dir

    folder = assets_dir() / "synthetic_cars"
    table = pd.read_csv(folder / "attributes.csv")
    assert len(table) == 2000
    rows = table.iloc[[0, 777, 1999]]
    for path, pixels in zip(rows.path, render_scenes(rows), strict=True):
        difference = np.abs(np.asarray(Image.open(folder / path)).astype(int) - pixels)
        # sines may differ in the last bit from machine to machine, which can flip a subpixel at an edge
        assert (difference > 2).mean() < 0.002


def test_bad_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Images of 8 px by 1 workers cannot be made"):
        write_dataset(tmp_path, 2, size=8)
