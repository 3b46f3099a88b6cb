"""Renders are kept on disk, read back as drawn, and completed after an interruption."""

from pathlib import Path

import numpy as np
import pytest

from experiments.clip import renders as renders_module
from experiments.clip.renders import load_renders
from experiments.renders.cars import render_scenes, sample_scenes


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renders_module, "CHUNK", 3)


def test_pixels_are_those_of_the_generator(tmp_path: Path) -> None:
    renders = load_renders(7, 5, 128, tmp_path)
    assert len(renders) == 7
    rows = np.array([6, 0, 3])
    np.testing.assert_array_equal(renders.pixels(rows), render_scenes(sample_scenes(7, 5))[rows])
    assert renders.scenes.equals(sample_scenes(7, 5))
    load_renders(3, 6, 128, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2  # another seed has another folder


def test_what_is_there_is_not_drawn_again_and_what_is_missing_is(tmp_path: Path) -> None:
    load_renders(6, 5, 32, tmp_path)
    files = sorted(tmp_path.rglob("0*.npy"))
    assert len(files) == 2
    before = files[0].stat().st_mtime_ns
    expected = np.load(files[1])
    files[1].unlink()
    done: list[tuple[int, int]] = []
    load_renders(6, 5, 32, tmp_path, progress=lambda k, n, stage: done.append((k, n)))
    assert done == [(6, 6)]
    assert files[0].stat().st_mtime_ns == before
    np.testing.assert_array_equal(np.load(files[1]), expected)


def test_an_interruption_leaves_no_half_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(renders_module, "resized", fail)
    with pytest.raises(KeyboardInterrupt):
        load_renders(3, 5, 32, tmp_path)
    assert not list(tmp_path.rglob("0*.npy"))
