"""What practitioners add to a step: warm-up and cosine, AdamW, clipped and accumulated gradients, moving averages, an early end."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from lightning import Callback
from torch import nn

from likeness.io import read_weights
from likeness.training.config import RunConfig, with_changes
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


def test_adamw_is_torchs(config: RunConfig) -> None:
    made = with_changes(config, {"optimizer.kind": "adamw", "optimizer.weight_decay": 0.1})
    module = RunModule(build_network(made.backbone), nn.Identity(), None, made, 1)
    optimizer = module.configure_optimizers()
    assert type(optimizer) is torch.optim.AdamW
    assert {group["weight_decay"] for group in optimizer.param_groups} == {0.1}


class Norms(Callback):
    """The norm of all gradients at each step, as the optimizer finds them."""

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


def test_accumulated_batches_make_the_step_of_their_union(config: RunConfig, tmp_path: Path) -> None:
    """Of a loss without comparisons, without augmentation: a step by hand over the images of both batches."""
    changes = {"augment": False, "optimizer.kind": "sgd", "optimizer.rate": 0.1, "optimizer.weight_decay": 0.0, "epochs": 1, "batch.size": 6}
    made = with_changes(config, changes | {"batch.accumulate": 3})
    seen: list[tuple[torch.Tensor, ...]] = []

    class Keeps(Callback):
        def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, number: int) -> None:
            seen.append(tuple(each.clone() for each in batch[:2]))
            if not hasattr(self, "network"):
                import copy

                self.network = copy.deepcopy(module.network)

        def on_train_end(self, trainer: Any, module: Any) -> None:
            self.end = {name: value.clone() for name, value in module.network.state_dict().items()}

    keeps = Keeps()
    run = train(made, tmp_path / "run", loss=Means(), callbacks=[keeps])
    assert len(seen) == 3
    metrics = run.metrics()
    assert metrics["step"].tolist() == [0, 1]
    images, labels = (torch.cat([batch[number] for batch in seen]) for number in range(2))
    network = keeps.network.train()
    loss = Means()(network(images).embeddings, labels)
    loss.backward()
    with torch.no_grad():
        for each in network.parameters():
            if each.grad is not None:
                each -= 0.1 * each.grad
    assert metrics["loss"].iloc[1] == pytest.approx(loss.item(), rel=1e-5)
    for name, value in network.state_dict().items():
        torch.testing.assert_close(keeps.end[name], value, rtol=1e-4, atol=1e-6)


def test_what_is_kept_is_the_moving_average_of_the_weights(config: RunConfig, tmp_path: Path) -> None:
    decay = 0.8
    weights: list[torch.Tensor] = []

    class Keeps(Callback):
        def on_train_start(self, trainer: Any, module: Any) -> None:
            weights.append(module.network.head.weight.detach().clone())

        def on_train_batch_end(self, trainer: Any, module: Any, *rest: Any) -> None:
            weights.append(module.network.head.weight.detach().clone())

    made = with_changes(config, {"optimizer.ema": decay, "optimizer.rate": 0.05})
    run = train(made, tmp_path / "whole", callbacks=[Keeps()])
    expected = weights[1]  # torch's average begins with the weights after the first step
    for each in weights[2:]:
        expected = decay * expected + (1 - decay) * each
    kept = read_weights(run.best)["head.weight"]
    torch.testing.assert_close(kept, expected, rtol=1e-4, atol=1e-6)
    assert not torch.allclose(kept, weights[-1], atol=1e-3)


def test_a_run_ends_when_validation_gets_no_better_and_stays_ended(config: RunConfig, tmp_path: Path) -> None:
    changes = {"data.train_classes": 0.7, "data.validation": 0.5, "epochs": 9, "stop_early": 2, "optimizer.rate": 1e-9, "batch.size": 4}
    made = with_changes(config, changes)
    run = train(made, tmp_path / "run")
    status, figures = run.status(), run.metrics()["validation_recall_at_1"].dropna()
    assert status.state == "finished"
    assert status.message.startswith("Ended early, after 2 evaluations without a better one")
    assert len(figures) == 1 + 1 + 2  # untrained, the first, which is the best so far, and two more
    assert status.step < status.total
    report = run.report()
    assert report["steps"] == status.step
    again = train(made, tmp_path / "run")
    pd.testing.assert_frame_equal(again.metrics(), run.metrics())
    assert again.status().state == "finished"


def test_each_step_is_written_with_the_rate_that_it_took(config: RunConfig, tmp_path: Path) -> None:
    taken: list[float] = []

    class Keeps(Callback):
        def on_train_batch_end(self, trainer: Any, module: Any, *rest: Any) -> None:
            taken.append(trainer.optimizers[0].param_groups[0]["lr"])

    made = with_changes(config, {"optimizer.rate_warmup": 1, "optimizer.cosine": True})
    written = train(made, tmp_path / "run", callbacks=[Keeps()]).metrics()["rate"].dropna()
    assert written.tolist() == taken
    assert min(taken) > 0
