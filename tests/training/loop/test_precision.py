import math
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from likeness.errors import InputError
from likeness.losses.diva import MomentumKeys
from likeness.training.config import RunConfig, with_changes
from likeness.training.loop import step_figures
from likeness.training.loop.scores import scores
from likeness.training.loop.step_figures import PendingSteps, StepFigures
from likeness.training.loop.train import train
from likeness.training.network.embedding_network import EmbeddingNetwork

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from measuring.device_traffic import DeviceTraffic


class Watching(nn.Module):
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


@pytest.mark.parametrize(("precision", "told"), [("bf16-mixed", True), ("32", False)])
def test_a_processor_without_bfloat16_is_told(precision: str, told: bool, config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    run = train(with_changes(config, {"precision": precision, "epochs": 1}), tmp_path / "run", loss=Watching())
    assert ("no instructions for bfloat16, so bf16-mixed is slower than precision 32" in run.status().message) == told


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


def test_evaluations_get_tensors_on_the_device_that_trains_and_float16_is_for_gpus(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices: list[str] = []

    def noting(embeddings: torch.Tensor, *rest: Any) -> dict[str, float]:
        devices.append(embeddings.device.type)
        return scores(embeddings, *rest)

    monkeypatch.setattr("likeness.training.loop.callback.scores", noting)
    train(with_changes(config, {"epochs": 1}), tmp_path / "run")
    assert set(devices) == {"cpu"}
    if not torch.cuda.is_available():  # and not taken for another precision
        with pytest.raises(InputError, match="precision 16-mixed needs a GPU, but there is none"):
            train(with_changes(config, {"precision": "16-mixed", "device": "auto"}), tmp_path / "half")


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


def figures(loss: float, embeddings: torch.Tensor | None = None) -> StepFigures:
    rows = torch.eye(3) if embeddings is None else embeddings
    return StepFigures.of(rows, {"loss": torch.tensor(loss), "loss_objective": torch.tensor(2 * loss)})


def row(step: int) -> dict[str, Any]:
    return {"step": step, "rate": 0.1}


def test_on_a_device_that_computes_meanwhile_rows_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_figures, "is_asynchronous", lambda device: True)
    now = [0.0]
    monkeypatch.setattr(step_figures.time, "perf_counter", lambda: now[0])
    alone, together = PendingSteps(), PendingSteps(together=True)
    assert [alone.add(row(step), figures(1)) for step in range(50)] == [False] * 49 + [True]
    assert len(alone.take()[0]) == 50
    now[0] = 10.0
    assert alone.add(row(51), figures(1))  # so that a page that watches shows it
    # several processes have other clocks, and must fetch after the same steps
    assert [together.add(row(step), figures(1)) for step in range(50)] == [False] * 49 + [True]


@pytest.mark.parametrize(
    ("loss", "rows", "words"),
    [
        (math.nan, None, "The loss is nan at step 2; choose a smaller learning rate than 0.1. The last checkpoint is from before."),
        (math.inf, None, "The loss is inf at step 2; choose a smaller learning rate than 0.1. The last checkpoint is from before."),
        (0.5, torch.full((3, 2), math.nan), "The loss is nan at step 2"),
        (0.5, torch.ones(3, 2), "same embedding at step 2"),
        (0.5, torch.ones(1, 2), ""),  # a batch of one has nothing to differ from
    ],
)
def test_the_first_step_that_went_wrong_is_named_and_those_before_it_are_kept(loss: float, rows: torch.Tensor | None, words: str) -> None:
    pending = PendingSteps()
    for step, made in enumerate((figures(0.5), figures(loss, rows), figures(0.5)), start=1):
        pending.add(row(step), made)
    found, wrong = pending.take()
    assert found[0] == {"step": 1, "rate": 0.1, "loss": 0.5, "loss_objective": 1.0}
    assert [each["step"] for each in found] == ([1] if words else [1, 2, 3])
    assert words in wrong
    assert bool(words) == bool(wrong)
