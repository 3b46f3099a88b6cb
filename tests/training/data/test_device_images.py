"""Images on the device that trains: the same runs, wherever the images lie."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.data import read_folder
from likeness.training.config import RunConfig, with_changes
from likeness.training.data.pixels import load_pixels, load_whole_images
from likeness.training.loop.prepare import keep_on_device
from likeness.training.loop.train import train

CPU = torch.device("cpu")


def test_pixels_whole_images_and_features_are_kept_as_they_are(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.training.loop.prepare._CHUNK_BYTES", 3000)  # some images at a time
    table = read_folder(photos)
    pixels, whole = load_pixels(table, 16), load_whole_images(table, 16)
    features = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    for inputs, expected in ((pixels, pixels), (whole, whole["pixels"]), (features, features)):
        kept = keep_on_device(inputs, CPU, wanted=True)
        np.testing.assert_array_equal(kept.numpy(), expected)


def test_a_processor_leaves_them_where_they_are_and_a_gpu_takes_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = np.zeros((4, 8, 8, 3), np.uint8)
    assert keep_on_device(inputs, CPU) is None
    assert keep_on_device(inputs, CPU, wanted=False) is None
    from likeness.training.loop import prepare

    for free, fits in ((inputs.nbytes * 2, False), (inputs.nbytes * 3, True)):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device, free=free: (free, free))
        assert prepare._fits(inputs, torch.device("cuda")) is fits


@pytest.mark.parametrize("changes", [{}, {"data.crops": "whole"}, {"augment": "jitter"}, {"augment": False}, {"backbone.head_only": True}])
def test_a_run_is_the_same_with_images_on_the_device_and_with_processes_that_prepare_them(
    config: RunConfig, tmp_path: Path, changes: dict[str, Any]
) -> None:
    losses = [
        train(with_changes(config, changes | where), tmp_path / str(number)).metrics().drop(columns="seconds")
        for number, where in enumerate(({}, {"keep_on_device": True}, {"workers": 2}))
    ]
    assert losses[0].equals(losses[1])
    assert losses[0].equals(losses[2])
