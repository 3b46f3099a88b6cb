"""Runs whose batches follow the classes' means: each epoch by the network as it is, the same after a stop and in several processes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.training.conftest import resumed, weights

from likeness.samplers import HardClassBatches
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.loop.find_rate import find_rate
from likeness.training.loop.train import train


@pytest.fixture
def config(content: dict[str, Any]) -> RunConfig:
    """Batches of two of four classes, in epochs of four steps."""
    data = content["data"] | {"train_classes": 0.7}
    return config_from(content | {"data": data, "batch": {"size": 4, "per_class": 2, "draw": "hard-classes"}, "epochs": 2, "epoch_steps": 4})


def test_each_epoch_draws_by_the_embeddings_at_its_beginning(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Any] = []
    refresh, batch = HardClassBatches.refresh, HardClassBatches.batch

    def watched_refresh(self: HardClassBatches, embeddings: Any) -> None:
        refresh(self, embeddings)
        events.append(embeddings)

    def watched_batch(self: HardClassBatches, number: int) -> Any:
        events.append((number, sorted({int(self.labels[row]) for row in batch(self, number)})))
        return batch(self, number)

    monkeypatch.setattr(HardClassBatches, "refresh", watched_refresh)
    monkeypatch.setattr(HardClassBatches, "batch", watched_batch)
    train(with_changes(config, {"optimizer.rate": 0.05}), tmp_path / "run")
    assert [isinstance(each, np.ndarray) for each in events] == [True, *[False] * 4, True, *[False] * 4]  # none is fetched ahead
    assert [each[0] for each in events if not isinstance(each, np.ndarray)] == list(range(8))
    assert not np.allclose(events[0], events[5])
    for embeddings, drawn in ((events[0], events[1:5]), (events[5], events[6:])):
        assert embeddings.shape == (24, 8)
        means = embeddings.reshape(4, 6, 8).mean(axis=1)
        distances = np.linalg.norm(means[:, None] - means[None], axis=2) + 9 * np.eye(4)
        nearest = {(each, int(distances[each].argmin())) for each in range(4)}
        assert all(tuple(classes) in nearest or tuple(classes[::-1]) in nearest for _, classes in drawn)


def test_stopped_and_resumed_it_draws_the_same_batches(config: RunConfig, tmp_path: Path) -> None:
    run = resumed(config, tmp_path)
    near = torch.load(run.checkpoint, weights_only=True)["near_classes"]
    assert near.shape == (4, 1)


def test_the_rate_finder_draws_classes_evenly(config: RunConfig) -> None:
    assert len(find_rate(config, 1e-6, 1e-3, 10).losses) == 10


@pytest.mark.long
def test_two_processes_train_as_one_with_every_such_option(content: dict[str, Any], tmp_path: Path) -> None:
    changes = {
        "batch": {"size": 4, "per_class": 2, "draw": "hard-classes"},
        "transforms": {"ColorJitter": {"brightness": 0.4}, "RandomErasing": {"p": 0.5}},
        "distill": {"teacher": "cars"},
        "optimizer": {"kind": "sgd", "rate": 0.01},
    }
    one = config_from(content | changes | {"data": content["data"] | {"train_classes": 0.7}})
    runs = [train(with_changes(one, {"devices": devices}), tmp_path / str(devices)) for devices in (1, 2)]
    ours, theirs = (weights(run) for run in runs)
    for name, value in ours.items():
        torch.testing.assert_close(theirs[name], value, rtol=1e-3, atol=1e-5)
