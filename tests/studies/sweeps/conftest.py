"""A sweep of runs of a second: a small network on images of classes, three of which are held out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.training.conftest import small_run

from likeness.studies import SweepConfig

RATE = {"low": 1e-5, "high": 1e-1, "log": True}


@pytest.fixture(scope="session")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Classes whose colors overlap, so that no network gets all of them right and figures differ."""
    folder, rng = tmp_path_factory.mktemp("sweeps") / "photos", np.random.default_rng(0)
    for name in range(8):
        color = rng.normal(128, 15, 3)
        (folder / f"class {name}").mkdir(parents=True)
        for image in range(6):
            pixels = np.clip(color + rng.normal(0, 15, 3) + rng.normal(0, 20, (20, 20, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(folder / f"class {name}" / f"{image}.png")
    return folder


@pytest.fixture(scope="session")
def base(photos: Path) -> dict[str, Any]:
    run = small_run(photos)
    data = run["data"] | {"train_classes": 0.7, "validation": 3}
    return run | {"data": data, "batch": {"size": 4, "per_class": 2}, "epochs": 2, "checkpoint_every": 1}


@pytest.fixture(scope="session")
def search(base: dict[str, Any]) -> SweepConfig:
    return SweepConfig(name="rates", base=base, space={"optimizer.rate": RATE, "backbone.dim": [4, 8]}, trials=4, startup=2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "trials.db"
