"""Small images of classes, and runs of a tiny network on them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from likeness.training.config import RunConfig, config_from
from likeness.training.loop.train import train
from likeness.training.runs.run_folder import RunFolder


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


def weights(run: RunFolder) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = torch.load(run.checkpoint, weights_only=True)["state_dict"]
    return found


def same(a: RunFolder, b: RunFolder) -> bool:
    """Whether two runs ended alike: weights, losses, and what they kept as the best."""
    kept = [(load_file(a.best), load_file(b.best))] if a.best.is_file() else []
    for ours, theirs in [(weights(a), weights(b)), *kept]:
        if list(ours) != list(theirs) or not all(torch.equal(ours[name], theirs[name]) for name in ours):
            return False
    return losses(a) == losses(b)


def losses(run: RunFolder) -> list[float]:
    return list(run.metrics()["loss"].dropna())


def stop_at(step: int) -> Callable[[RunFolder, dict[str, Any]], None]:
    original = RunFolder.append_metrics

    def append(self: RunFolder, row: dict[str, Any]) -> None:
        original(self, row)
        if row["step"] == step:
            self.request_stop()

    return append


def stopped(config: RunConfig, folder: Path, step: int, **given: Any) -> RunFolder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunFolder, "append_metrics", stop_at(step))
        run = train(config, folder, **given)
    assert (run.status().state, run.status().step, run.report()) == ("stopped", step, None)
    return run


def resumed(config: RunConfig, folder: Path) -> RunFolder:
    """A run that was stopped twice and ended as an undisturbed one does; 3 is no checkpoint, 5 lies between two evaluations."""
    whole = train(config, folder / "whole")
    for step in (3, 5):
        halting = stopped(config, folder / "halting", step)
    assert train(config, halting.path).status().state == "finished"
    assert same(whole, halting)
    return halting


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of torch, here and in processes begun here: for small networks more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield
    torch.set_num_threads(before)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return write_images(tmp_path / "photos")


def small_run(source: Path) -> dict[str, Any]:
    """A run of a few seconds: a small network with random weights, 16 px, 9 steps."""
    return {
        "name": "small",
        "data": {"source": str(source), "attribute": "class", "image_size": 16},
        "backbone": {"name": "test_resnet", "weights": "none", "dim": 8},
        "objective": {"name": "margin"},
        "batch": {"size": 6, "per_class": 2},
        "optimizer": {"rate": 0.001},
        "epochs": 3,
        "checkpoint_every": 2,
        "device": "cpu",
    }


@pytest.fixture
def content(photos: Path) -> dict[str, Any]:
    return small_run(photos)


@pytest.fixture
def config(content: dict[str, Any]) -> RunConfig:
    return config_from(content)
