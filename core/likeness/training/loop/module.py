"""A run's network, objective and optimizer as a Lightning module.

The learning rate is a function of the step and the number of drops (`RunModule.rate`). torch's schedulers do not replace it: ReduceLROnPlateau has no
limit on the number of drops, and LambdaLR, needed for the other decays, overwrites its rates.
"""

import math
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from typing import Any

import torch
from lightning import LightningModule
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch.utils.checkpoint import checkpoint

from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.losses import DiVA, wrapper_parameters
from likeness.training.config import OptimizerConfig, RunConfig
from likeness.training.data.captions import Captions
from likeness.training.dist_context import SINGLE_PROCESS, DistContext
from likeness.training.guidance.guidance import Guidance
from likeness.training.loop.step_figures import StepFigures, diverged
from likeness.training.network.embedding_network import EmbeddingNetwork, NetworkOutput

MAX_DROPS = 2
_HALVES = {"bf16-mixed": torch.bfloat16, "16-mixed": torch.float16}
# state of the schedule in checkpoints
_SCHEDULE = ("drops", "best", "waited", "without_best")


class RunModule(LightningModule):
    """L_DML + omega L_match (Eq. 4) + distillation, by Adam or SGD.

    With several processes, each embeds its part of the batch. All gather the objective's inputs and compute the same loss of the whole batch, with
    the same random numbers. In the backward pass, each process receives the sum over processes of the gradients at its part, that is, the gradient of
    one loss times the world size; averaging over processes gives the gradient of a single process. The objective's own parameters have that gradient
    in every process.

    Args:
        objective: (embeddings, labels) -> scalar, labels being class numbers or label distances. Inputs named in its attribute `reads` are passed,
            too: "features", "maps", or "view", the second view of the batch. Its method `follow`, if any, is called with the network and the batch
            size.
        epoch: steps in an epoch.

    Attributes:
        drops: number of drops of the learning rate; `step_rate` is the backbone's rate in the last step, and `figures` its losses.
        images: images of all rows, if they are on the device.
        captions: of all rows, for an objective that reads "texts".
        transform: of torchvision, applied to each crop.
        teacher: the divergence from a teacher's similarities, added to the loss.
        best, without_best, waited: best value of the selection metric on the validation split, evaluations since then, and since the last drop.
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
        self.captions: Captions | None = None
        self.transform: Any = None
        self.teacher: nn.Module | None = None
        self.step_rate = config.optimizer.rate

    @property
    def judged(self) -> EmbeddingNetwork:
        """The network to evaluate and keep: with averaged weights, or the network itself."""
        return self.network if self.average is None else self.average

    def after_step(self) -> None:
        """Updates the average of the weights, which starts with those after the first step; counters are copied.

        Not torch's `AveragedModel`, which synchronizes with the device in each step to count.
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
        found: tuple[Tensor, ...] = batch.cut(self.config.data.image_size, self.images, self.transform)
        return found

    def training_step(self, batch: tuple[Tensor, ...], number: int) -> Tensor:
        """The loss of a batch. Random numbers (tuples, dropout) are a function of the seed and the step alone.

        Only the backbone uses the run's precision; embeddings, similarities and losses are float32. Nothing is fetched from the device.
        """
        inputs, labels, rows, *second = batch
        output = self._forward(inputs, number)
        with torch.autocast(self.device.type, enabled=False):
            embeddings = self.gather(output.embeddings)
            try:
                parts = self._parts(output, embeddings, labels, rows, inputs, *second)
            except (RuntimeError, ValueError, IndexError):
                self.check_finite(float(embeddings.detach().sum()))  # miners must not draw from values that are not finite
                raise
            loss = torch.stack([self.weight(name) * value for name, value in parts.items()]).sum()
        self.figures = StepFigures.of(embeddings.detach(), {name: value.detach() for name, value in ({"loss": loss} | parts).items()})
        return loss

    def in_precision(self) -> AbstractContextManager[Any]:
        """The precision of the run's backbone, for another backbone inside an objective."""
        dtype = _HALVES.get(self.config.precision)
        return nullcontext() if dtype is None else torch.autocast(self.device.type, dtype)

    def _parts(self, output: NetworkOutput, embeddings: Tensor, labels: Tensor, rows: Tensor, inputs: Tensor, *second: Tensor) -> dict[str, Tensor]:
        parts: dict[str, Tensor] = {}
        if self.guidance is None or not self.guidance.replaces_objective:
            extra = (self._texts(rows) if name == "texts" else self._extra(name, output, inputs, *second) for name in self.reads)
            parts["loss_objective"] = _scalar(self.objective(embeddings, labels, *extra))
        if self.guidance is not None and self.config.guidance is not None:
            parts["loss_guidance"] = self.guidance(self.gather(_maps(output)) if self.guidance.reads_maps else embeddings, labels, rows)
        if self.teacher is not None:
            parts["loss_distill"] = self.teacher(embeddings, labels, rows)
        return parts

    def _forward(self, inputs: Tensor, number: int) -> NetworkOutput:
        """The network's output for this process's part. Random numbers inside the network (dropout) differ between processes; those drawn
        afterwards are the same."""
        seed = self.config.seed * 1_000_003 + self.global_step + (number % self.config.batch.accumulate << 50)
        torch.manual_seed(seed + (self.dist.rank << 40))  # outside the range of other steps' seeds
        output = self._forward_network(inputs)
        if self.dist.is_distributed:
            torch.manual_seed(seed)
        return output

    def _forward_network(self, inputs: Tensor) -> NetworkOutput:
        embeddings, features, maps = zip(*self._in_chunks(self.network, inputs), strict=True)
        return NetworkOutput(torch.cat(embeddings), torch.cat(features), None if maps[0] is None else torch.cat(maps))

    def _texts(self, rows: Tensor) -> Tensor:
        """Unit embeddings (n, d) of a caption of each row of the batch, of which each process embeds its part."""
        text, captions = self.network.text, self.captions
        assert text is not None
        assert captions is not None
        own = captions.drawn(rows)[self.dist.part(len(rows))]
        with self.in_precision():
            features = torch.cat(self._in_chunks(text, own))
        return self.gather(normalize(features.to(self.network.head.weight.dtype), dim=1))

    def _in_chunks(self, network: nn.Module, inputs: Tensor) -> list[Any]:
        """The outputs for parts of the inputs, whose activations are kept for one chunk at a time and computed anew in the backward pass."""
        chunk = self.config.batch.chunk
        if chunk is None or chunk >= len(inputs):
            return [network(inputs)]
        return [checkpoint(network, part, use_reentrant=False) for part in torch.split(inputs, chunk)]

    def gather(self, rows: Tensor) -> Tensor:
        """Rows of the whole batch, from those of this process's part; differentiable."""
        if not self.dist.is_distributed:
            return rows
        # sync_grads: the backward pass sums gradients over processes, as described for the class
        gathered = self.all_gather(rows, sync_grads=True)
        assert isinstance(gathered, Tensor)
        return gathered.flatten(0, 1)

    def _extra(self, name: str, output: NetworkOutput, inputs: Tensor, *second: Tensor) -> Tensor:
        """A further input of the objective. The second view is of this process's images; features, which have no crops, are of the whole batch."""
        if name != "view":
            return self.gather(output.features.to(output.embeddings.dtype) if name == "features" else _maps(output))
        if second:
            return second[0]
        return self.gather(inputs) if inputs.ndim == 2 else inputs

    def weight(self, part: str) -> float:
        """Weight of a part of the loss: omega for guidance that is added to an objective, that of distillation, otherwise 1."""
        if part == "loss_distill" and self.config.distill is not None:
            return self.config.distill.weight
        beside = part == "loss_guidance" and self.guidance is not None and not self.guidance.replaces_objective
        return self.config.guidance.omega if beside and self.config.guidance else 1.0

    def check_finite(self, value: float) -> None:
        """InputError: training has diverged."""
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
        """Updates the schedule with the selection metric on the validation split: drops the rate, at most twice, after `plateau` evaluations without
        improvement.
        """
        better = find_metric(self.config.selection_metric).better(metric, self.best)
        self.best, self.waited, self.without_best = (metric, 0, 0) if better else (self.best, self.waited + 1, self.without_best + 1)
        patience = self.config.optimizer.plateau
        if patience is not None and self.waited >= patience and self.drops < MAX_DROPS:
            self.drops, self.waited = self.drops + 1, 0

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Parameter groups for backbone, embedding layer, objective, guidance and, with their own rate, the wrappers' networks."""
        optimizer, groups = self.config.optimizer, []
        decay, own = optimizer.weight_decay, self.config.objective
        decay_own = decay if own.weight_decay is None else own.weight_decay
        wrappers = wrapper_parameters(self.objective) if own.wrapper_rate is not None else []
        separate = {id(each) for each in wrappers}
        backbone, head, text = self.network.backbone, self.network.head, self.network.text
        if self.config.objective.on_captions:
            decay_own = 0.0  # of the similarities' scale and bias
        for share, shrinks, parameters in (
            *(layer_groups(backbone, optimizer) if backbone is not None else []),
            *(_plain_groups(text, optimizer) if text is not None and text.trained else []),
            (optimizer.rate_head, decay, list(head.parameters()) if optimizer.decay_norms else [head.weight]),
            (optimizer.rate_head, 0.0, [] if optimizer.decay_norms else [head.bias]),
            (own.proxy_rate, decay_own, [each for each in self.objective.parameters() if each.requires_grad and id(each) not in separate]),
            (own.wrapper_rate or own.proxy_rate, decay_own, wrappers),
            (optimizer.rate_head, decay, list(self.guidance.parameters()) if self.guidance is not None else []),
        ):
            if parameters:
                groups.append({"params": parameters, "lr": optimizer.rate * share, "share": share, "weight_decay": shrinks})
        # fused: one kernel for all parameters; but it would unscale float16 gradients itself, before they can be clipped
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
        """In the warmup, removes the backbone's gradients, so that neither it nor its optimizer state changes."""
        if self.network.backbone is not None and self.global_step < self.config.optimizer.warmup * self.epoch:
            for each in self.network.backbone.parameters():
                each.grad = None

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["plateau"] = {name: getattr(self, name) for name in _SCHEDULE}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        for name in _SCHEDULE:
            setattr(self, name, checkpoint["plateau"].get(name, 0))


def layer_groups(backbone: nn.Module, optimizer: OptimizerConfig) -> list[tuple[float, float, list[nn.Parameter]]]:
    """Share of the rate, weight decay and parameters of each group of a backbone's layers. InputError: its layers are not known to timm."""
    if optimizer.layer_decay == 1:
        return _plain_groups(backbone, optimizer)
    from timm.optim import param_groups_layer_decay

    groups = param_groups_layer_decay(
        backbone, optimizer.weight_decay, weight_decay_exclude_1d=not optimizer.decay_norms, layer_decay=optimizer.layer_decay
    )
    if len({each["lr_scale"] for each in groups}) < 2:
        raise InputError("The layers of this backbone are not known, so that its rate cannot fall with depth; set optimizer.layer_decay to 1.")
    return [(each["lr_scale"], each["weight_decay"], each["params"]) for each in groups]


def _plain_groups(network: nn.Module, optimizer: OptimizerConfig) -> list[tuple[float, float, list[nn.Parameter]]]:
    """As `layer_groups`, at the same rate for all layers."""
    if optimizer.decay_norms:
        return [(1.0, optimizer.weight_decay, list(network.parameters()))]
    thin, thick = ([each for each in network.parameters() if (each.ndim <= 1) == small] for small in (True, False))
    return [(1.0, optimizer.weight_decay, thick), (1.0, 0.0, thin)]


def _scalar(loss: Any) -> Tensor:
    """Checks that the loss, which may be from a user's object, is a scalar."""
    if not isinstance(loss, Tensor):
        raise InputError(f"The objective returns {type(loss).__name__}, but a loss must be a tensor; return one from forward.")
    if loss.ndim:
        raise InputError(f"The objective returns a tensor of shape {tuple(loss.shape)}, but a loss must be a scalar; take the mean.")
    return loss


def _maps(output: NetworkOutput) -> Tensor:
    assert output.maps is not None, "the network keeps its maps where they are read"
    return output.maps.to(output.embeddings.dtype)
