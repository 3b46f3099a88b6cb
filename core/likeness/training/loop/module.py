"""A run's network, objective and optimizer as a Lightning module.

The learning rate is a closed form of the step and the number of drops (`RunModule.rate`). Schedulers of torch do not replace it:
ReduceLROnPlateau has no limit on the number of drops, and LambdaLR, which the other decays need, overwrites the rates that it sets.
"""

import math
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from typing import Any

import torch
from lightning import LightningModule
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.losses import DiVA, wrapper_parameters
from likeness.training.config import RunConfig
from likeness.training.dist_context import SINGLE_PROCESS, DistContext
from likeness.training.guidance.guidance import Guidance
from likeness.training.loop.step_figures import StepFigures, diverged
from likeness.training.network.embedding_network import EmbeddingNetwork, NetworkOutput

MAX_DROPS = 2
_HALVES = {"bf16-mixed": torch.bfloat16, "16-mixed": torch.float16}
# What of the schedule a checkpoint keeps.
_SCHEDULE = ("drops", "best", "waited", "without_best")


class RunModule(LightningModule):
    """L_DML + omega L_match (Eq. 4), by Adam or SGD.

    With several processes, each embeds its part of the batch. Then all of them gather what the objective reads and compute the same loss of
    the whole batch, with the same random numbers. In the backward pass each process receives the sum over the processes of the gradients at
    its part, which is the gradient of one loss times the world size; the average over the processes at the end makes it the gradient of a
    single process. The objective's own parameters have that gradient in every process, and so has their average.

    Args:
        objective: (embeddings, labels) -> scalar, labels being class numbers or label distances. What its attribute `reads` names is passed
            as well: "features", "maps", or "view", the second view of the batch. Its method `follow`, if any, is called with the network and
            the batch size.
        epoch: steps in an epoch.

    Attributes:
        drops: how often the learning rate has dropped; `step_rate` is that of the backbone in the last step, whose `figures` stand beside it.
        images: those of all rows, where they lie on the device.
        best, without_best, waited: the best value of the selection metric on the validation split, and the number of evaluations since, and since the
            last drop.
    """

    def __init__(
        self,
        network: EmbeddingNetwork,
        objective: nn.Module,
        guidance: "Guidance | None",
        config: RunConfig,
        epoch: int,
        dist: DistContext = SINGLE_PROCESS,
    ) -> None:
        super().__init__()
        self.network, self.objective, self.guidance = network, objective, guidance
        self.config, self.epoch, self.drops, self.dist = config, epoch, 0, dist
        self.reads: tuple[str, ...] = getattr(objective, "reads", ())
        follow = getattr(objective, "follow", None)
        if follow is not None:
            follow(network, config.batch.size)
        if isinstance(objective, DiVA):
            objective.gather, objective.in_precision = self.gather, self.in_precision
        ema = config.optimizer.ema
        self.average = None if ema is None else deepcopy(network).requires_grad_(False)
        self.network.keeps_maps = "maps" in self.reads or (guidance is not None and guidance.reads_maps)
        self.best: float | None = None
        self.waited = self.without_best = 0
        self.figures: StepFigures | None = None
        self.images: Tensor | None = None
        self.step_rate = config.optimizer.rate

    @property
    def judged(self) -> EmbeddingNetwork:
        """The network that is evaluated and kept: the moving average of the weights, or the network itself."""
        return self.network if self.average is None else self.average

    def after_step(self) -> None:
        """Moves the average of the weights, which begins as those after the first step; counters are those of the last step.

        torch's `AveragedModel` does not serve: it asks the device in each step how many it has averaged.
        """
        decay = self.config.optimizer.ema
        if self.average is None or decay is None:
            return
        pairs = list(zip(self.average.state_dict().values(), self.network.state_dict().values(), strict=True))
        copied = [pair for pair in pairs if self.global_step <= 1 or not pair[0].is_floating_point()]
        moved = [pair for pair in pairs if self.global_step > 1 and pair[0].is_floating_point()]
        for ours, theirs in copied:
            ours.copy_(theirs)
        if moved:
            torch._foreach_lerp_([ours for ours, _ in moved], [theirs for _, theirs in moved], 1 - decay)

    def on_before_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch.in_float32() if self.device.type == "mps" else batch

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> tuple[Tensor, ...]:
        found: tuple[Tensor, ...] = batch.cut(self.config.data.image_size, self.images)
        return found

    def training_step(self, batch: tuple[Tensor, ...], number: int) -> Tensor:
        """The loss of a batch. Random numbers (tuples, dropout) are a function of the seed and the step alone.

        Only the backbone computes in the run's precision; embeddings, similarities and losses are float32. Nothing is fetched from the device.
        """
        inputs, labels, rows, *second = batch
        output = self._forward(inputs, number)
        with torch.autocast(self.device.type, enabled=False):
            embeddings = self.gather(output.embeddings)
            try:
                parts = self._parts(output, embeddings, labels, rows, inputs, *second)
            except (RuntimeError, ValueError, IndexError):
                self.check_finite(float(embeddings.detach().sum()))  # a miner may not draw from what is not finite
                raise
            loss = torch.stack([self.weight(name) * value for name, value in parts.items()]).sum()
        self.figures = StepFigures.of(embeddings.detach(), {name: value.detach() for name, value in ({"loss": loss} | parts).items()})
        return loss

    def in_precision(self) -> AbstractContextManager[Any]:
        """The precision of the run's backbone, for a second one inside an objective."""
        dtype = _HALVES.get(self.config.precision)
        return nullcontext() if dtype is None else torch.autocast(self.device.type, dtype)

    def _parts(self, output: NetworkOutput, embeddings: Tensor, labels: Tensor, rows: Tensor, inputs: Tensor, *second: Tensor) -> dict[str, Tensor]:
        parts: dict[str, Tensor] = {}
        if self.guidance is None or not self.guidance.replaces_objective:
            extra = (self._extra(name, output, inputs, *second) for name in self.reads)
            parts["loss_objective"] = _scalar(self.objective(embeddings, labels, *extra))
        if self.guidance is not None and self.config.guidance is not None:
            parts["loss_guidance"] = self.guidance(self.gather(_maps(output)) if self.guidance.reads_maps else embeddings, labels, rows)
        return parts

    def _forward(self, inputs: Tensor, number: int) -> NetworkOutput:
        """The network's output for this process's part. Random numbers inside the network (dropout) differ between processes; those drawn
        afterwards are the same."""
        seed = self.config.seed * 1_000_003 + self.global_step + (number % self.config.batch.accumulate << 50)
        torch.manual_seed(seed + (self.dist.rank << 40))  # beyond the seeds of other steps
        output: NetworkOutput = self.network(inputs)
        if self.dist.is_distributed:
            torch.manual_seed(seed)
        return output

    def gather(self, rows: Tensor) -> Tensor:
        """Rows of the whole batch, from those of this process's part; gradients flow back."""
        if not self.dist.is_distributed:
            return rows
        gathered = self.all_gather(rows, sync_grads=True)
        assert isinstance(gathered, Tensor)
        return gathered.flatten(0, 1)

    def _extra(self, name: str, output: NetworkOutput, inputs: Tensor, *second: Tensor) -> Tensor:
        """What an objective reads besides embeddings. The second view is that of this process's images; features, which have no crops, are
        those of the whole batch."""
        if name != "view":
            return self.gather(output.features.to(output.embeddings.dtype) if name == "features" else _maps(output))
        if second:
            return second[0]
        return self.gather(inputs) if inputs.ndim == 2 else inputs

    def weight(self, part: str) -> float:
        """Of a part of the loss: omega of guidance beside an objective, otherwise 1."""
        beside = part == "loss_guidance" and self.guidance is not None and not self.guidance.replaces_objective
        return self.config.guidance.omega if beside and self.config.guidance else 1.0

    def check_finite(self, value: float) -> None:
        """Raises InputError where training has diverged."""
        if not math.isfinite(value):
            raise InputError(diverged(value, self.global_step + 1, self.step_rate))

    def rate(self) -> float:
        optimizer, steps = self.config.optimizer, self.global_step
        factor = optimizer.factor**self.drops * optimizer.decay ** (steps / self.epoch) / (1 + optimizer.inverse_decay * steps)
        rising, total = optimizer.rate_warmup * self.epoch, self.config.epochs * self.epoch
        if steps < rising:
            factor *= min(1.0, (steps + 1) / rising)
        elif optimizer.cosine:
            factor *= (1 + math.cos(math.pi * (steps - rising) / max(1.0, total - rising))) / 2
        return float(optimizer.rate * factor)

    def step_plateau(self, metric: float) -> None:
        """Takes the selection metric on the validation split. The rate drops, twice at most, after `plateau` evaluations without a new best."""
        better = find_metric(self.config.selection_metric).better(metric, self.best)
        self.best, self.waited, self.without_best = (metric, 0, 0) if better else (self.best, self.waited + 1, self.without_best + 1)
        patience = self.config.optimizer.plateau
        if patience is not None and self.waited >= patience and self.drops < MAX_DROPS:
            self.drops, self.waited = self.drops + 1, 0

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """A parameter group each for backbone, embedding layer, objective, guidance and, with a rate of their own, the wrappers' networks."""
        optimizer, groups = self.config.optimizer, []
        decay, own = optimizer.weight_decay, self.config.objective
        decay_own = decay if own.weight_decay is None else own.weight_decay
        wrappers = wrapper_parameters(self.objective) if own.wrapper_rate is not None else []
        separate = {id(each) for each in wrappers}
        for share, shrinks, parameters in (
            (1.0, decay, list(self.network.backbone.parameters()) if self.network.backbone is not None else []),
            (optimizer.rate_head, decay, list(self.network.head.parameters())),
            (own.proxy_rate, decay_own, [each for each in self.objective.parameters() if each.requires_grad and id(each) not in separate]),
            (own.wrapper_rate or own.proxy_rate, decay_own, wrappers),
            (optimizer.rate_head, decay, list(self.guidance.parameters()) if self.guidance is not None else []),
        ):
            if parameters:
                groups.append({"params": parameters, "lr": optimizer.rate * share, "share": share, "weight_decay": shrinks})
        # one kernel for all parameters; it would unscale the gradients of float16 itself, before they could be clipped
        fused = True if self.device.type == "cuda" and (self.config.precision != "16-mixed" or optimizer.clip is None) else None
        if optimizer.kind == "sgd":
            return torch.optim.SGD(groups, lr=optimizer.rate, momentum=optimizer.momentum, fused=fused)
        kind = torch.optim.Adam if optimizer.kind == "adam" else torch.optim.AdamW
        return kind(groups, lr=optimizer.rate, fused=fused)

    def on_train_batch_start(self, batch: Any, number: int) -> None:
        milestones = self.config.optimizer.milestones
        if milestones:
            self.drops = sum(self.global_step >= each * self.epoch for each in milestones)
        self.step_rate = self.rate()
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = self.step_rate * group["share"]

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        """In the warmup, takes the backbone's gradients away, so that neither it nor the optimizer's averages of it change."""
        if self.network.backbone is not None and self.global_step < self.config.optimizer.warmup * self.epoch:
            for each in self.network.backbone.parameters():
                each.grad = None

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["plateau"] = {name: getattr(self, name) for name in _SCHEDULE}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        for name in _SCHEDULE:
            setattr(self, name, checkpoint["plateau"].get(name, 0))


def _scalar(loss: Any) -> Tensor:
    """The loss, which may come from a user's object, once it is known to be a scalar."""
    if not isinstance(loss, Tensor):
        raise InputError(f"The objective gives {type(loss).__name__}, but a loss is a tensor; return it from forward.")
    if loss.ndim:
        raise InputError(f"The objective gives a tensor of shape {tuple(loss.shape)}, but a loss is a single number; take the mean.")
    return loss


def _maps(output: NetworkOutput) -> Tensor:
    assert output.maps is not None, "the network keeps its maps where they are read"
    return output.maps.to(output.embeddings.dtype)
