"""A run's network, objective and optimizer as a Lightning module."""

import math
from typing import Any

import torch
from lightning import LightningModule
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.losses import DIVA_PARTS, S2SD, DiVA, UniformPrior
from likeness.training.config import ObjectiveConfig, RunConfig
from likeness.training.guidance.language_side import Guidance
from likeness.training.loop.objects import NOTHING_GIVEN, GivenObjects, run_objective
from likeness.training.loop.place import ALONE, Place
from likeness.training.network.network import EmbeddingNetwork, Seen

MOST_DROPS = 2


class RunModule(LightningModule):
    """L_DML + omega L_match (Eq. 4), by Adam or SGD.

    In several processes each has its part of the batch, and the network makes its embeddings; then all of them gather what the objective
    reads and compute the same loss of the whole batch, with the same draws. In the backward pass each gets the sum over the processes of
    the gradients at its part, as many times the gradient of one loss, and the average over the processes that is taken in the end makes
    this the gradient in one process. The objective's own parameters have that gradient in every process, and so their average has it, too.

    Args:
        network: images or features -> embeddings.
        objective: (embeddings, labels) -> scalar, labels being class numbers or label distances; where it has `reads`, it is given what
            these name as well: "features", "maps", or "view", the second view of the batch; where it has `follow`, that is called with the
            network and the batch's size.
        guidance: language guidance, or None.
        config: of the run.
        epoch: steps in an epoch.
        place: which of the run's processes this is.

    Attributes:
        drops: how often the learning rate has fallen.
        best, waited: the highest R@1, or what else judges, on the validation split, and the evaluations since.
    """

    def __init__(
        self, network: EmbeddingNetwork, objective: nn.Module, guidance: "Guidance | None", config: RunConfig, epoch: int, place: Place = ALONE
    ) -> None:
        super().__init__()
        self.network, self.objective, self.guidance = network, objective, guidance
        self.config, self.epoch, self.drops, self.place = config, epoch, 0, place
        self.reads: tuple[str, ...] = getattr(objective, "reads", ())
        follow = getattr(objective, "follow", None)
        if follow is not None:
            follow(network, config.batch.size)
        if isinstance(objective, DiVA):
            objective.gather = self.whole
        self.network.keeps_maps = "maps" in self.reads or (guidance is not None and guidance.reads_maps)
        self.best, self.waited = -1.0, 0
        self.losses: dict[str, float] = {}

    def training_step(self, batch: tuple[Tensor, ...], number: int) -> Tensor:
        """The loss of a batch. What is drawn (tuples, dropout) is a function of the seed and the step alone."""
        inputs, labels, rows, *second = batch
        seen = self._seen(inputs)
        embeddings = self.whole(seen.embeddings)
        self.check_finite(float(embeddings.detach().sum()))
        self._check_spread(embeddings.detach())
        parts: dict[str, Tensor] = {}
        if self.guidance is None or not self.guidance.replaces_objective:
            read = (self._read(name, seen, inputs, *second) for name in self.reads)
            parts["loss_objective"] = _scalar(self.objective(embeddings, labels, *read))
        if self.guidance is not None and self.config.guidance is not None:
            parts["loss_guidance"] = self.guidance(self.whole(_maps(seen)) if self.guidance.reads_maps else embeddings, labels, rows)
        loss = torch.stack([self.weight(name) * value for name, value in parts.items()]).sum()
        self.losses = {"loss": loss.item()} | {name: value.item() for name, value in parts.items()}
        self.check_finite(self.losses["loss"])
        return loss

    def _seen(self, inputs: Tensor) -> Seen:
        """What the network makes of this process's part. What is drawn inside of it, dropout, say, differs from process to process, and
        what is drawn afterwards does not."""
        draws = self.config.seed * 1_000_003 + self.global_step
        torch.manual_seed(draws + (self.place.rank << 40))  # beyond the seeds of other steps
        seen: Seen = self.network(inputs)
        if self.place.together:
            torch.manual_seed(draws)
        return seen

    def whole(self, rows: Tensor) -> Tensor:
        """Rows of the whole batch, from those of this process's part; gradients flow back."""
        if not self.place.together:
            return rows
        gathered = self.all_gather(rows, sync_grads=True)
        assert isinstance(gathered, Tensor)
        return gathered.flatten(0, 1)

    def _read(self, name: str, seen: Seen, inputs: Tensor, *second: Tensor) -> Tensor:
        """What an objective reads besides embeddings. The second view is that of this process's images; features, which have no crops, are
        those of the whole batch."""
        if name != "view":
            return self.whole(seen.features if name == "features" else _maps(seen))
        if second:
            return second[0]
        return self.whole(inputs) if inputs.ndim == 2 else inputs

    def weight(self, part: str) -> float:
        """Of a part of the loss: omega of guidance beside an objective, otherwise 1."""
        beside = part == "loss_guidance" and self.guidance is not None and not self.guidance.replaces_objective
        return self.config.guidance.omega if beside and self.config.guidance else 1.0

    def check_finite(self, value: float) -> None:
        """Raises InputError where training has gone out of bounds."""
        if not math.isfinite(value):
            raise InputError(
                f"The loss is {value} at step {self.global_step + 1}; choose a smaller learning rate than {self.rate():g}. "
                f"The last checkpoint is from before."
            )

    def _check_spread(self, embeddings: Tensor) -> None:
        """A network whose units have died gives all images one embedding, at which every loss stands still."""
        if len(embeddings) > 1 and bool((embeddings == embeddings[0]).all()):
            raise InputError(
                f"All images of a batch have the same embedding at step {self.global_step + 1}: training has collapsed. Choose a smaller learning "
                f"rate than {self.rate():g}."
            )

    def rate(self) -> float:
        """Learning rate of the backbone now."""
        optimizer, steps = self.config.optimizer, self.global_step
        falls = optimizer.factor**self.drops * optimizer.decay ** (steps / self.epoch) / (1 + optimizer.inverse_decay * steps)
        return float(optimizer.rate * falls)

    def judge(self, recall: float) -> None:
        """Takes R@1 on the validation split, or nDCG; the rate falls, twice at most, where it has not risen for `plateau` evaluations."""
        self.best, self.waited = (recall, 0) if recall > self.best else (self.best, self.waited + 1)
        patience = self.config.optimizer.plateau
        if patience is not None and self.waited >= patience and self.drops < MOST_DROPS:
            self.drops, self.waited = self.drops + 1, 0

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam or SGD with a group each for backbone, embedding layer and the objective's own parameters."""
        optimizer, groups = self.config.optimizer, []
        for share, parameters in (
            (1.0, list(self.network.backbone.parameters()) if self.network.backbone is not None else []),
            (optimizer.rate_head, list(self.network.head.parameters())),
            (self.config.objective.proxy_rate, [each for each in self.objective.parameters() if each.requires_grad]),
            (optimizer.rate_head, list(self.guidance.parameters()) if self.guidance is not None else []),
        ):
            if parameters:
                groups.append({"params": parameters, "lr": optimizer.rate * share, "share": share})
        if optimizer.kind == "sgd":
            return torch.optim.SGD(groups, lr=optimizer.rate, momentum=optimizer.momentum, weight_decay=optimizer.weight_decay)
        return torch.optim.Adam(groups, lr=optimizer.rate, weight_decay=optimizer.weight_decay)

    def on_train_batch_start(self, batch: Any, number: int) -> None:
        """Sets the learning rates."""
        milestones = self.config.optimizer.milestones
        if milestones:
            self.drops = sum(self.global_step >= each * self.epoch for each in milestones)
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = self.rate() * group["share"]

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keeps what Lightning does not know of."""
        checkpoint["plateau"] = {"drops": self.drops, "best": self.best, "waited": self.waited}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Takes it back."""
        self.drops, self.best, self.waited = (checkpoint["plateau"][name] for name in ("drops", "best", "waited"))


def _scalar(loss: Any) -> Tensor:
    """A loss that may be anybody's."""
    if not isinstance(loss, Tensor):
        raise InputError(f"The objective gives {type(loss).__name__}, but a loss is a tensor; return it from forward.")
    if loss.ndim:
        raise InputError(f"The objective gives a tensor of shape {tuple(loss.shape)}, but a loss is a single number; take the mean.")
    return loss


def _maps(seen: Seen) -> Tensor:
    assert seen.maps is not None, "the network keeps its maps where they are read"
    return seen.maps


def build_objective(config: ObjectiveConfig, classes: int, dim: int, feature_dim: int, given: GivenObjects = NOTHING_GIVEN) -> nn.Module:
    """The objective of a run, on label distances, or on classes and wrapped in S2SD, DiVA or the uniform prior where the config says so.

    Args:
        config: of the objective.
        classes: that train.
        dim: d, of the embeddings.
        feature_dim: of the backbone's pooled features.
        given: a loss or a miner as an object, in place of the config's.

    Raises:
        InputError: unknown names or options, or an object that the config speaks of and that is not given.
    """
    if config.diva is not None:
        return DiVA(run_objective(config, classes, dim // DIVA_PARTS, given), dim, **config.diva)
    objective = run_objective(config, classes, dim, given) if config.s2sd is None else _s2sd(config, classes, dim, feature_dim, given)
    return objective if config.uniform_prior is None else UniformPrior(objective, dim, **config.uniform_prior)


def _s2sd(config: ObjectiveConfig, classes: int, dim: int, feature_dim: int, given: GivenObjects) -> nn.Module:
    options = {"target_dims": (512, 1024, 1536, 2048)} | (config.s2sd or {})
    dims = [dim, *options["target_dims"]]
    try:
        return S2SD([run_objective(config, classes, each, given.copy()) for each in dims], feature_dim, **options)
    except TypeError as error:
        raise InputError(f"S2SD does not take these options: {error}.") from error
