import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from lightning import Callback
from torch import nn

from likeness.errors import InputError
from likeness.io import read_weights
from likeness.training.config import RunConfig, with_changes
from likeness.training.loop.find_rate import find_rate, rate_search
from likeness.training.loop.given_objects import GivenObjects
from likeness.training.loop.module import RunModule
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network


def rates(config: RunConfig, epoch: int = 10) -> list[float]:
    module = RunModule(build_network(config.backbone), nn.Identity(), None, config, epoch)
    found = []
    for step in range(config.epochs * epoch):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RunModule, "global_step", step)
            found.append(module.rate())
    return found


def test_the_rate_rises_evenly_and_falls_along_a_cosine_as_torchs_schedulers_do(config: RunConfig) -> None:
    made = with_changes(config, {"optimizer.rate": 0.5, "optimizer.rate_warmup": 0.8, "optimizer.cosine": True, "epochs": 3})
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.5)
    rising = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / 8, 1, total_iters=7)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 30 - 8)
    both = torch.optim.lr_scheduler.SequentialLR(optimizer, [rising, cosine], milestones=[8])
    expected = []
    for _ in range(30):
        expected.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        both.step()
    np.testing.assert_allclose(rates(made), expected, rtol=1e-6)
    assert rates(made)[0] == 0.5 / 8
    plain = with_changes(config, {"optimizer.cosine": True, "epochs": 2})
    assert rates(plain)[10] == pytest.approx(config.optimizer.rate / 2)


def test_each_step_is_written_with_the_rate_that_it_took_by_torchs_adamw(config: RunConfig, tmp_path: Path) -> None:
    taken: list[float] = []

    class Keeps(Callback):
        def on_train_batch_end(self, trainer: Any, module: Any, *rest: Any) -> None:
            (optimizer,) = trainer.optimizers
            assert type(optimizer.optimizer if hasattr(optimizer, "optimizer") else optimizer) is torch.optim.AdamW
            assert {group["weight_decay"] for group in optimizer.param_groups} == {0.1}
            taken.append(optimizer.param_groups[0]["lr"])

    changes = {"optimizer.rate_warmup": 1, "optimizer.cosine": True, "optimizer.kind": "adamw", "optimizer.weight_decay": 0.1}
    written = train(with_changes(config, changes), tmp_path / "run", callbacks=[Keeps()]).metrics()["rate"].dropna()
    assert written.tolist() == taken
    assert min(taken) > 0


class Norms(Callback):
    def __init__(self) -> None:
        self.found: list[float] = []

    def on_before_zero_grad(self, trainer: Any, module: Any, optimizer: Any) -> None:
        gradients = [each.grad for each in module.parameters() if each.grad is not None]
        if gradients:
            self.found.append(float(torch.linalg.vector_norm(torch.stack([each.norm() for each in gradients]))))


def test_gradients_are_clipped_to_a_norm(config: RunConfig, tmp_path: Path) -> None:
    free, clipped = Norms(), Norms()
    for norms, clip in ((free, None), (clipped, 1e-3)):
        train(with_changes(config, {"optimizer.clip": clip, "optimizer.kind": "sgd"}), tmp_path / str(clip), callbacks=[norms])
    assert min(free.found[1:]) > 2e-3
    assert max(clipped.found[1:]) == pytest.approx(1e-3, rel=1e-3)


class Means(nn.Module):
    """A loss that is a mean over images, so that the gradients of two batches average to those of both together."""

    def forward(self, embeddings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (embeddings[:, 0] - labels.to(embeddings.dtype)).square().mean()


class Watch(Callback):
    """The batches, the network before the first step, and the weights of its embedding layer after each."""

    def __init__(self) -> None:
        self.batches: list[tuple[torch.Tensor, ...]] = []
        self.weights: list[torch.Tensor] = []

    def on_train_start(self, trainer: Any, module: Any) -> None:
        self.network = copy.deepcopy(module.network)

    def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, number: int) -> None:
        self.batches.append(tuple(each.clone() for each in batch[:2]))

    def on_train_batch_end(self, trainer: Any, module: Any, *rest: Any) -> None:
        self.weights.append(module.network.head.weight.detach().clone())

    def on_train_end(self, trainer: Any, module: Any) -> None:
        self.end = {name: value.clone() for name, value in module.network.state_dict().items()}


def test_accumulated_batches_make_the_step_of_their_union(config: RunConfig, tmp_path: Path) -> None:
    """Of a loss without comparisons, without augmentation: a step by hand over the images of both batches."""
    changes = {"augment": False, "optimizer.kind": "sgd", "optimizer.rate": 0.1, "optimizer.weight_decay": 0.0, "epochs": 1, "batch.size": 6}
    watch = Watch()
    metrics = train(with_changes(config, changes | {"batch.accumulate": 3}), tmp_path / "run", loss=Means(), callbacks=[watch]).metrics()
    assert len(watch.batches) == 3
    assert metrics["step"].tolist() == [0, 1]
    images, labels = (torch.cat(each) for each in zip(*watch.batches, strict=True))
    network = watch.network.train()
    loss = Means()(network(images).embeddings, labels)
    loss.backward()
    with torch.no_grad():
        for each in network.parameters():
            if each.grad is not None:
                each -= 0.1 * each.grad
    assert metrics["loss"].iloc[1] == pytest.approx(loss.item(), rel=1e-5)
    for name, value in network.state_dict().items():
        torch.testing.assert_close(watch.end[name], value, rtol=1e-4, atol=1e-6)


def test_what_is_kept_is_the_moving_average_of_the_weights(config: RunConfig, tmp_path: Path) -> None:
    decay, watch = 0.8, Watch()
    run = train(with_changes(config, {"optimizer.ema": decay, "optimizer.rate": 0.05}), tmp_path / "whole", callbacks=[watch])
    expected, *others = watch.weights  # torch's average begins with the weights after the first step
    for each in others:
        expected = decay * expected + (1 - decay) * each
    kept = read_weights(run.best)["head.weight"]
    torch.testing.assert_close(kept, expected, rtol=1e-4, atol=1e-6)
    assert not torch.allclose(kept, others[-1], atol=1e-3)


def test_a_run_ends_when_validation_gets_no_better_and_stays_ended(config: RunConfig, tmp_path: Path) -> None:
    changes = {"data.train_classes": 0.7, "data.validation": 0.5, "epochs": 9, "stop_early": 2, "optimizer.rate": 1e-9, "batch.size": 4}
    made = with_changes(config, changes)
    run = train(made, tmp_path / "run")
    status, figures = run.status(), run.metrics()["validation_recall_at_1"].dropna()
    assert status.state == "finished"
    assert status.message.startswith("Ended early, after 2 evaluations without improvement")
    assert len(figures) == 1 + 1 + 2  # untrained, the first, which is the best so far, and two more
    assert run.report()["steps"] == status.step < status.total
    before = run.metrics()
    again = train(made, run.path)
    pd.testing.assert_frame_equal(again.metrics(), before)
    assert again.status().state == "finished"


def test_the_steepest_fall_before_the_lowest_loss_is_suggested_and_losses_after_one_that_is_not_finite_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rates = np.geomspace(1e-6, 1, 120)
    place = np.log10(rates)
    losses = 1 / (1 + np.exp(4 * (place + 3))) + np.where(place > -1.5, (place + 1.5) * 5, 0)  # falls around 1e-3, rises from .03 on
    found = rate_search(rates, losses)
    # the mean that moves along is some ten steps, half a power of ten, behind
    assert 10**-3.1 < found.suggestion < 10**-2.2
    monkeypatch.setattr("likeness.training.loop.find_rate._KEPT", 0.0)
    assert rate_search(rates, losses).suggestion == rates[np.abs(place + 3).argmin()]  # the turning point itself

    rates, losses = np.geomspace(1e-3, 1, 30), np.linspace(1, 0, 30)
    losses[20], losses[21] = np.nan, -100
    assert len(rate_search(rates, losses).rates) == 20
    with pytest.raises(InputError, match=r"The loss already diverges at a rate of 0.00\d+; start below 0.001"):
        rate_search(rates, np.where(np.arange(30) < 5, losses, np.nan))


class Bowl(nn.Module):
    """A loss whose gradient descent diverges from a rate of 2 / curvature on."""

    def __init__(self, curvature: float) -> None:
        super().__init__()
        self.curvature, self.place = curvature, nn.Parameter(torch.ones(3))

    def forward(self, embeddings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self.curvature * self.place.square().sum() / 2 + 0 * embeddings.sum()


def test_the_search_ends_beyond_the_rate_at_which_a_bowl_diverges(config: RunConfig) -> None:
    made = with_changes(config, {"optimizer.kind": "sgd", "optimizer.momentum": 0.0, "optimizer.weight_decay": 0.0})
    for curvature in (10.0, 1000.0):
        found = find_rate(made, 1e-6, 10.0, 120, given=GivenObjects(loss=Bowl(curvature)))
        assert len(found.rates) < 120
        assert 2 / curvature < found.rates[-1] < 40 / curvature
        assert 0.01 / curvature < found.suggestion < 2 / curvature


def test_a_run_is_searched_without_a_trace_and_learns_at_the_rate_it_suggests(config: RunConfig, tmp_path: Path, cache: Path) -> None:
    made = with_changes(config, {"objective.name": "contrastive", "batch.accumulate": 2})
    told: list[tuple[Any, ...]] = []
    cache.mkdir(exist_ok=True)
    before = set(tmp_path.rglob("*")) - set(cache.rglob("*"))
    found, again = find_rate(made, steps=40, progress=lambda *each: told.append(each)), find_rate(made, steps=40)
    np.testing.assert_array_equal(found.losses, again.losses)
    assert set(tmp_path.rglob("*")) - set(cache.rglob("*")) == before
    assert told[-1][2] == "Searching for a rate"
    losses = train(with_changes(config, {"objective.name": "contrastive", "optimizer.rate": found.suggestion}), tmp_path / "run").metrics()["loss"]
    assert losses.dropna().tail(3).mean() < losses.dropna().head(2).mean()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"low": 0.1, "high": 0.01}, "The rates rise from 0.1 to 0.01"),
        ({"low": 0.0}, "the first must be above 0"),
        ({"steps": 5}, "5 steps are too few"),
    ],
)
def test_a_range_that_is_none_is_refused(config: RunConfig, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        find_rate(config, **options)
