"""Runs in bfloat16, compiled, and what a step fetches from the device."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from likeness.errors import InputError
from likeness.losses.momentum_keys import MomentumKeys
from likeness.training.config import RunConfig, with_changes
from likeness.training.loop import step_figures
from likeness.training.loop.scores import scores
from likeness.training.loop.train import train
from likeness.training.network.embedding_network import EmbeddingNetwork

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from measuring.device_traffic import DeviceTraffic


class Watching(nn.Module):
    """A loss that notes what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[tuple[torch.dtype, bool]] = set()

    def forward(self, embeddings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        self.seen.add((embeddings.dtype, torch.is_autocast_enabled("cpu")))
        return (embeddings @ embeddings.T).square().mean()


def test_the_backbone_computes_in_bfloat16_and_the_loss_in_float32(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[torch.dtype] = []
    embed = EmbeddingNetwork.embed

    def noting(self: EmbeddingNetwork, features: torch.Tensor) -> torch.Tensor:
        kinds.append(features.dtype)
        return embed(self, features)

    monkeypatch.setattr(EmbeddingNetwork, "embed", noting)
    watching = Watching()
    mixed = with_changes(config, {"precision": "bf16-mixed", "epochs": 1})
    report = train(mixed, tmp_path / "mixed", loss=watching).report()
    assert watching.seen == {(torch.float32, False)}
    steps = report["steps"]
    assert kinds.count(torch.bfloat16) == steps
    assert kinds.count(torch.float32) == len(kinds) - steps > 0  # what is evaluated
    exact = train(with_changes(config, {"epochs": 1}), tmp_path / "exact", loss=Watching()).metrics()["loss"].dropna()
    found = train(mixed, tmp_path / "again", loss=Watching()).metrics()["loss"].dropna()
    assert found.iloc[0] == pytest.approx(exact.iloc[0], rel=0.02)
    assert found.tolist() != exact.tolist()


def test_the_second_network_of_an_objective_computes_in_the_runs_precision(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DiVA's momentum copy, which runs inside the loss."""
    seen: list[tuple[torch.dtype, torch.dtype]] = []
    embeddings = MomentumKeys.embeddings

    def noting(self: MomentumKeys, inputs: torch.Tensor) -> torch.Tensor:
        found = embeddings(self, inputs)
        seen.append((self.copy.features(inputs).dtype, found.dtype))
        return found

    monkeypatch.setattr(MomentumKeys, "embeddings", noting)
    changes = {"objective.diva": {"hidden": 8}, "backbone.parts": 4, "batch.per_class": 3, "epochs": 1}
    for precision, kind in (("bf16-mixed", torch.bfloat16), ("32", torch.float32)):
        train(with_changes(config, changes | {"precision": precision}), tmp_path / precision)
        assert set(seen) == {(kind, torch.float32)}
        seen.clear()


def test_evaluations_get_tensors_on_the_device_that_trains(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices: list[str] = []

    def noting(embeddings: torch.Tensor, *rest: Any) -> dict[str, float]:
        devices.append(embeddings.device.type)
        return scores(embeddings, *rest)

    monkeypatch.setattr("likeness.training.loop.callback.scores", noting)
    train(with_changes(config, {"epochs": 1}), tmp_path / "run")
    assert set(devices) == {"cpu"}


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU computes in float16")
def test_float16_is_not_taken_for_another_precision_where_no_gpu_is_found(config: RunConfig, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No GPU is here, and precision 16-mixed is for GPUs"):
        train(with_changes(config, {"precision": "16-mixed", "device": "auto"}), tmp_path / "run")


def test_steps_fetch_nothing_until_figures_are_due(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU: runs of 3 and of 12 steps between evaluations fetch equally often."""
    monkeypatch.setattr(step_figures, "is_asynchronous", lambda device: True)
    monkeypatch.setattr(step_figures, "_SECONDS", 1e9)
    counts = []
    for epochs in (1, 4):
        changes = {"epochs": epochs, "evaluate_every": epochs, "checkpoint_every": 1000, "objective.name": "contrastive", "optimizer.ema": 0.9}
        with DeviceTraffic() as traffic:
            run = train(with_changes(config, changes), tmp_path / str(epochs), loss=Watching())
        assert run.metrics()["loss"].dropna().size == 3 * epochs
        counts.append(dict(traffic.fetches))
    assert counts[0] == counts[1]
    assert counts[0]["tolist"] > 0  # the recorder sees what is fetched
