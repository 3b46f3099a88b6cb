"""Small images of classes, and runs of a tiny network on them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from likeness.training.config import RunConfig, config_from


def write_images(folder: Path, classes: int = 6, each: int = 6, side: int = 20) -> Path:
    """One subfolder per class; a class is a color, its images differ by noise."""
    rng = np.random.default_rng(0)
    for number in range(classes):
        color = rng.integers(40, 216, 3)
        (folder / f"class {number}").mkdir(parents=True)
        for image in range(each):
            pixels = np.clip(color + rng.normal(0, 20, (side, side, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(folder / f"class {number}" / f"{image}.png")
    return folder


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of torch, here and in processes begun here: for small networks more threads only wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield
    torch.set_num_threads(before)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return write_images(tmp_path / "photos")


@pytest.fixture
def content(photos: Path) -> dict[str, Any]:
    """A run of a few seconds: a small network with random weights, 16 px, 9 steps."""
    return {
        "name": "small",
        "data": {"source": str(photos), "attribute": "class", "image_size": 16},
        "backbone": {"name": "test_resnet", "weights": "none", "dim": 8},
        "objective": {"name": "margin"},
        "batch": {"size": 6, "per_class": 2},
        "optimizer": {"rate": 0.001},
        "epochs": 3,
        "checkpoint_every": 2,
        "device": "cpu",
    }


@pytest.fixture
def config(content: dict[str, Any]) -> RunConfig:
    return config_from(content)
