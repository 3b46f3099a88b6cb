"""DiVA: an embedding of four parts, each trained on other relations between images (Milbich et al., ECCV 2020)."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout, normalize

from likeness.errors import InputError
from likeness.losses.margin import margin_loss
from likeness.losses.mined import Mined, OfficialMarginLoss
from likeness.losses.uniform_prior import reversed_gradient
from likeness.losses.wrapper_options import DIVA_PARTS, require_options
from likeness.samplers import intra_triplets, inverse_density, random_label_triplets, shared_triplets


class DiVA(nn.Module):
    """Diverse visual feature aggregation around any objective; the paper's own is "margin".

    loss = objective(e_1) + w_shared margin(e_2) + w_intra margin(e_3) + w_sample DaNCE(e_4) + w_separation sum_{i > 1} separation(e_i, e_1)

    The parts e_1 ... e_4 are the quarters of the embedding, each scaled to unit length: class-discriminative; class-shared, on triplets of three
    classes (`shared_triplets`); intra-class, on triplets of one class (`intra_triplets`); and sample-specific, contrasted with other images by
    `dance`, whose keys come from a momentum copy of the whole network and a queue. A `Separation` decorrelates each of the last three from the first.

    Defaults are those of the authors' code for CUB200-2011, a ResNet50 and parts of 128 dimensions (temperature: 0.01 in their scripts, 0.1 by
    default in their code, and here). For Cars196 they use weights of 0.15 for the parts and 100 for the separation; for Stanford Online Products 0.2,
    150 and 70 batches of keys. For parts of m dimensions, w_separation * (m / 128)^2 weighs as much as theirs.

    Intra-class triplets have three rows of a class, so a batch needs three images of each. For DiVA as in the code of ooDML (Milbich et al., NeurIPS
    2021) set `random_labels`, which needs only two, `official_margin` and `batch_weights`. Unlike there, the queue fills during training, not before,
    and all parts weigh the same in the evaluated embedding. If only the embedding layer is trained, the parts share no weights and cannot learn from
    each other.

    Args:
        objective: of the first part: (embeddings (n, d / 4), labels) -> scalar.
        shared_weight, intra_weight, sample_weight, separation_weight: the w.
        beta, margin: of the margin losses of the second and third part.
        hidden, momentum, queue_batches: width of the separations' hidden layers; momentum of the copy; size of the queue in batches.
        temperature, batch_weights: of `dance`.
        dropout: share of features set to 0 in the second view, if the network reads features that are computed once and so has no second crop.
        random_labels: both added margin losses use `random_label_triplets`.
        official_margin: they are "margin-official", with a learned beta for each class.
        classes: number of training classes, for `official_margin`.

    Attributes:
        keys: None before `follow`.
        gather: collects the keys of the whole batch, if several processes share one.

    Raises:
        InputError: d is not a multiple of 4, or a value is out of bounds.
    """

    reads = ("view",)

    def __init__(
        self,
        objective: nn.Module,
        dim: int,
        shared_weight: float = 0.3,
        intra_weight: float = 0.3,
        sample_weight: float = 0.3,
        separation_weight: float = 1500.0,
        beta: float = 1.2,
        margin: float = 0.2,
        hidden: int = 512,
        momentum: float = 0.9,
        temperature: float = 0.1,
        queue_batches: int = 30,
        dropout: float = 0.1,
        random_labels: bool = False,
        official_margin: bool = False,
        batch_weights: bool = False,
        *,
        classes: int = 0,
    ) -> None:
        super().__init__()
        weights = {"shared_weight": shared_weight, "intra_weight": intra_weight, "sample_weight": sample_weight}
        require_options("diva", **weights, separation_weight=separation_weight, beta=beta, margin=margin, hidden=hidden)
        require_options("diva", momentum=momentum, temperature=temperature, queue_batches=queue_batches, dropout=dropout)
        require_options("diva", random_labels=random_labels, official_margin=official_margin, batch_weights=batch_weights)
        if dim % DIVA_PARTS:
            raise InputError(f"DiVA has {DIVA_PARTS} parts of equal size, but the embedding has {dim} dimensions; choose a multiple of {DIVA_PARTS}.")
        self.objective, self.part_dim = objective, dim // DIVA_PARTS
        if official_margin and not classes:
            raise InputError("diva.official_margin learns a beta for each class; pass classes, the number of training classes.")
        miners = (random_label_triplets, random_label_triplets) if random_labels else (shared_triplets, intra_triplets)
        self.shared, self.intra = (
            Mined(OfficialMarginLoss(beta, margin, classes) if official_margin else margin_loss(0, beta, margin), miner) for miner in miners
        )
        self.separations = nn.ModuleList(Separation(self.part_dim, hidden) for _ in range(DIVA_PARTS - 1))
        self.weights, self.separation_weight = tuple(weights.values()), separation_weight
        self.momentum, self.temperature, self.queue_batches, self.dropout = momentum, temperature, queue_batches, dropout
        self.batch_weights = batch_weights
        self.keys: MomentumKeys | None = None
        self.gather: Callable[[Tensor], Tensor] = _identity
        self.in_precision: Callable[[], AbstractContextManager[Any]] = nullcontext

    @property
    def networks(self) -> nn.Module:
        return self.separations

    def follow(self, network: nn.Module, batch: int) -> None:
        """Creates the momentum copy of the network and the queue; call it before the first batch, whose size is `batch`."""
        self.keys = MomentumKeys(network, self.momentum, self.queue_batches * batch, self.part_dim)

    def forward(self, embeddings: Tensor, labels: Tensor, view: Tensor) -> Tensor:
        """Loss of a batch: embeddings (n, d), labels (n,), and a view of the same images, or features, as input of the copy.

        With several processes, each passes the view of its own images. In training mode the copy is updated first, and its keys join the
        queue at the end.
        """
        first, shared, intra, sample = self.parts(embeddings)
        added = (self.shared(shared, labels), self.intra(intra, labels), self.sample(sample, view))
        loss: Tensor = self.objective(first, labels)
        for weight, each in zip(self.weights, added, strict=True):
            loss = loss + weight * each
        for separation, part in zip(self.separations, (shared, intra, sample), strict=True):
            loss = loss + self.separation_weight * separation(part, first)
        return loss

    def parts(self, embeddings: Tensor) -> tuple[Tensor, ...]:
        """The four parts of embeddings (n, d), unit rows (n, d / 4)."""
        return tuple(normalize(each, dim=1) for each in embeddings.chunk(DIVA_PARTS, dim=1))

    def sample(self, part: Tensor, view: Tensor) -> Tensor:
        if self.keys is None:
            raise InputError("DiVA has no momentum copy yet; call follow with the network before the first batch.")
        if self.training:
            self.keys.follow()
        inputs = dropout(view, self.dropout) if view.ndim == 2 or getattr(self.keys.copy, "input_shape", None) else view
        with self.in_precision():
            rows = self.keys.embeddings(inputs)
        keys = self.parts(rows)[-1]
        # the queries are already those of all processes, the keys still of this one
        if len(keys) < len(part):
            keys = self.gather(keys)
        loss = dance(part, keys, self.keys.queued(), self.temperature, self.batch_weights)
        if self.training:
            self.keys.enqueue(keys)
        return loss


def _identity(rows: Tensor) -> Tensor:
    return rows


CUTOFF, UPPER = 0.5, 1.4


def dance(queries: Tensor, keys: Tensor, negatives: Tensor, temperature: float = 0.1, batch_weights: bool = False) -> Tensor:
    """Mean over rows of -log(exp(q.k / T) / (exp(q.k / T) + sum_j exp(w_j q.k_j / T))).

    The weights w_j are the inverse density 1 / q(d_j) of the distances d_j between q and k_j, taken as at least 0.5, 0 beyond 1.4, and scaled to the
    sum 1 over j, so near negatives count most. The paper writes min(lambda, 1 / q(d)) without a value of lambda; the scaling is that of the authors'
    code as corrected in 2021, which runs over j. Weights, keys and negatives get no gradient.

    Args:
        queries, keys: (n, d), unit rows: two views of the same images.
        negatives: (k, d), unit rows of other images; without them the loss is 0.
        temperature: T.
        batch_weights: scales the weights to the sum 1 over the queries instead, as the code of ooDML (Milbich et al., NeurIPS 2021), which lacks that
            correction. A negative beyond 1.4 of all queries weighs equally for each.
    """
    keys, negatives = keys.detach(), negatives.detach()
    every = torch.ones(len(queries), len(negatives), dtype=torch.bool, device=queries.device)
    weights = _over_batch(queries, negatives) if batch_weights else inverse_density(queries, negatives, every, CUTOFF, UPPER)
    logits = torch.cat([(queries * keys).sum(dim=1, keepdim=True), weights * (queries @ negatives.T)], dim=1)
    return cross_entropy(logits / temperature, torch.zeros(len(queries), dtype=torch.int64, device=queries.device))


def _over_batch(queries: Tensor, negatives: Tensor) -> Tensor:
    """Weights (n, k) that sum to 1 over the queries for each negative; equal ones if a negative is beyond the upper cutoff of all."""
    # of unit rows, |x - y|^2 = 2 - 2 x.y
    near = 2 - 2 * negatives @ queries.T < UPPER**2
    weights = inverse_density(negatives, queries, near, CUTOFF)
    return torch.where(near.any(dim=1, keepdim=True), weights, 1 / len(queries)).T


class Separation(nn.Module):
    """loss = -c, with c = mean over rows and dimensions of (target * unit(network(source)))^2, the squared correlation.

    The network learns to make c large; reversed gradients make source and target reduce it.
    """

    def __init__(self, dim: int, hidden: int = 512) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        guessed = normalize(self.network(reversed_gradient(source)), dim=1)
        return -((reversed_gradient(target) * guessed) ** 2).mean()


class MomentumKeys(nn.Module):
    """Momentum copy of a network, and a queue of its embeddings of earlier batches (MoCo; He et al., CVPR 2020). Saved, but not trained.

    A step sets the copy's weights to m * own + (1 - m) * network. The copy stays in evaluation mode, with the buffers (batch norm statistics) of
    the network, which is not a submodule. The queue (size, dim) starts empty; `seen` counts all keys ever added, and its name is part of checkpoints.
    """

    queue: Tensor
    seen: Tensor

    def __init__(self, network: nn.Module, momentum: float, size: int, dim: int) -> None:
        super().__init__()
        self.copy, self.momentum = deepcopy(network).requires_grad_(False), momentum
        self._followed = (network,)  # a tuple hides it from nn.Module, which would register and save it as a submodule
        place = next(network.parameters())
        self.register_buffer("queue", place.new_zeros(size, dim))
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64, device=place.device))
        self.train(self.training)

    @torch.no_grad()
    def follow(self) -> None:
        (network,) = self._followed
        for ours, theirs in zip(self.copy.parameters(), network.parameters(), strict=True):
            ours.lerp_(theirs, 1 - self.momentum)
        for kept, new in zip(self.copy.buffers(), network.buffers(), strict=True):
            kept.copy_(new)

    @torch.no_grad()
    def embeddings(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.copy(inputs).embeddings
        return found

    def queued(self) -> Tensor:
        return self.queue[: int(self.seen)].clone()

    @torch.no_grad()
    def enqueue(self, keys: Tensor) -> None:
        """Adds keys (n, dim), replacing the oldest."""
        places = (self.seen + torch.arange(len(keys), device=keys.device)) % len(self.queue)
        self.queue[places] = keys.to(self.queue.dtype)
        self.seen += len(keys)

    def train(self, mode: bool = True) -> "MomentumKeys":
        super().train(mode)
        self.copy.eval()
        return self
