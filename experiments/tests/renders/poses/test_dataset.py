"""The written data set: complete, lossless, with the joints of every picture, the same for any number of images and workers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.renders.poses import ATTRIBUTES, JOINT_COLUMNS, draw, render_poses, write_dataset
from likeness.errors import InputError


def test_files_hold_the_rendered_pixels_and_joints(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    frame = write_dataset(tmp_path, 5, seed=2, size=48, progress=lambda done, n: seen.append((done, n)))
    table = pd.read_csv(tmp_path / "attributes.csv")
    assert list(table.columns) == list(frame.columns) == ["path", *ATTRIBUTES, *JOINT_COLUMNS]
    stored = np.stack([np.asarray(Image.open(tmp_path / path)) for path in table.path])
    np.testing.assert_array_equal(stored, render_poses(table, 48))
    for row in table.to_dict("records"):
        joints = np.array([row[column] for column in JOINT_COLUMNS]).reshape(14, 2)
        np.testing.assert_allclose(joints, draw(row, 48).joints, atol=0.0051)
    assert seen[-1] == (5, 5)
    assert len(list((tmp_path / "images").iterdir())) == 5


def test_more_images_begin_with_the_same_ones_in_any_number_of_processes(tmp_path: Path) -> None:
    few = write_dataset(tmp_path / "few", 3, seed=2, size=32)
    more = write_dataset(tmp_path / "more", 53, seed=2, size=32, workers=2)
    for path in sorted((tmp_path / "few" / "images").iterdir()):
        assert path.read_bytes() == (tmp_path / "more" / "images" / path.name).read_bytes()
    pd.testing.assert_frame_equal(few, more.head(3))
    assert len(pd.read_csv(tmp_path / "more" / "attributes.csv")) == 53


def test_a_broken_run_leaves_no_table(tmp_path: Path) -> None:
    def stop(done: int, n: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(tmp_path, 3, size=32, progress=stop)
    assert not (tmp_path / "attributes.csv").exists()


def test_bad_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Images of 8 px by 1 workers cannot be made"):
        write_dataset(tmp_path, 2, size=8)
    with pytest.raises(InputError, match=r"by 0 workers"):
        write_dataset(tmp_path, 2, workers=0)
