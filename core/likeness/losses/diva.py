"""DiVA: an embedding in four parts, each of which learns other relations between images (Milbich et al., ECCV 2020)."""

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

    The parts e_1 ... e_4 are the quarters of the embedding, each scaled to unit length: class-discriminative; class-shared, on triplets of
    three classes (`shared_triplets`); intra-class, on triplets of one class (`intra_triplets`); and sample-specific, told from other
    images by `dance`, with keys of a momentum copy of the whole network and a queue of them. A `Separation` keeps each of the last three
    from telling of the first.

    The values are those of the authors' code for CUB200-2011, a ResNet50 and parts of 128 dimensions (their scripts have the temperature 0.01, its
    default is 0.1). On Cars196 they take 0.15 for the weights of parts and 100 for the separation, on Stanford Online Products 0.2, 150 and 70
    batches of keys. For parts of m dimensions, w_separation * (m / 128)^2 weighs as much as theirs.

    Shared triplets are of three classes and intra-class triplets of three rows, so that a batch needs three images of each class. The code
    of ooDML (Milbich et al., NeurIPS 2021) is had by `random_labels`, with which two are enough, `official_margin` and `batch_weights`. Other
    than there, the queue fills during training, not before, and all parts weigh the same in the embedding that is evaluated. Where only the
    embedding layer is trained, the parts have no weights in common, so that none can learn from another.

    Args:
        objective: of the first part: (embeddings (n, d / 4), labels) -> scalar.
        shared_weight, intra_weight, sample_weight, separation_weight: the w.
        beta, margin: of the margin losses of the second and third part.
        hidden, momentum, queue_batches: width of the separations' inner layers; of the copy; batches whose keys are kept.
        temperature, batch_weights: of `dance`.
        dropout: share of the features that the second view lacks, where the network reads features that are computed once: they have
            no second crop.
        random_labels: both added margin losses are on `random_label_triplets`.
        official_margin: they are those of "margin-official", in which each class learns its own beta.
        classes: of training; needed where each learns its beta.

    Attributes:
        keys: None before `follow`.
        gather: keys of the whole batch from those of this process's images, where several processes share a batch.

    Raises:
        InputError: d is no multiple of 4, or a value outside its bounds.
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
            raise InputError("diva.official_margin learns a beta for each class; say how many classes train.")
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
        """Makes the momentum copy of the network, and the queue for batches of this size; before the first batch."""
        self.keys = MomentumKeys(network, self.momentum, self.queue_batches * batch, self.part_dim)

    def forward(self, embeddings: Tensor, labels: Tensor, view: Tensor) -> Tensor:
        """The loss of a batch: embeddings (n, d), labels (n,), and the same images, or features, as input of the copy; of several processes each has
        the view of its own images. In training mode the copy first follows the network, and its keys join the queue at the end.
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
        inputs = dropout(view, self.dropout) if view.ndim == 2 else view
        with self.in_precision():
            rows = self.keys.embeddings(inputs)
        keys = self.parts(rows)[-1]
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

    The weights w_j are the inverse density 1 / q(d_j) of the distances d_j between q and k_j, counted as at least 0.5, 0 beyond 1.4, and
    scaled to the sum 1 over j, so that near negatives count. The paper writes min(lambda, 1 / q(d)), without a value of lambda; the scaling
    is that of its authors' code, which they corrected in 2021 to run over j. Nothing flows back through weights, keys and negatives.

    Args:
        queries, keys: (n, d), unit rows: the same images, seen otherwise.
        negatives: (k, d), unit rows of other images; without any the loss is 0.
        temperature: T.
        batch_weights: the weights are scaled to the sum 1 over the queries, for each negative on its own, as in the ooDML authors' code
            (Milbich et al., NeurIPS 2021), which lacks that correction. A negative beyond 1.4 of all queries weighs equally for each.
    """
    keys, negatives = keys.detach(), negatives.detach()
    every = torch.ones(len(queries), len(negatives), dtype=torch.bool, device=queries.device)
    weights = _over_batch(queries, negatives) if batch_weights else inverse_density(queries, negatives, every, CUTOFF, UPPER)
    logits = torch.cat([(queries * keys).sum(dim=1, keepdim=True), weights * (queries @ negatives.T)], dim=1)
    return cross_entropy(logits / temperature, torch.zeros(len(queries), dtype=torch.int64, device=queries.device))


def _over_batch(queries: Tensor, negatives: Tensor) -> Tensor:
    """Weights (n, k) whose sum over the queries is 1 for each negative; equal ones where a negative lies beyond the upper cutoff of all."""
    near = 2 - 2 * negatives @ queries.T < UPPER**2
    weights = inverse_density(negatives, queries, near, CUTOFF)
    return torch.where(near.any(dim=1, keepdim=True), weights, 1 / len(queries)).T


class Separation(nn.Module):
    """loss = -c, with c = mean over rows and dimensions of (target * unit(network(source)))^2, the squared correlation.

    The network learns to make c large; source and target, through reversed gradients, to make it small.
    """

    def __init__(self, dim: int, hidden: int = 512) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        guessed = normalize(self.network(reversed_gradient(source)), dim=1)
        return -((reversed_gradient(target) * guessed) ** 2).mean()


class MomentumKeys(nn.Module):
    """A momentum copy of a network, and a queue of its embeddings of earlier batches (MoCo; He et al., CVPR 2020), in the state, but not trained.

    A step of the copy's weights is m * its own + (1 - m) * the network's. The copy is always in evaluation mode, and its buffers, such as batch norm
    statistics, are the network's, which is not part of this module. The queue (size, dim) is empty at first; `seen` says how many keys were ever
    put into it, and is named as in the checkpoints of runs.
    """

    queue: Tensor
    seen: Tensor

    def __init__(self, network: nn.Module, momentum: float, size: int, dim: int) -> None:
        super().__init__()
        self.copy, self.momentum = deepcopy(network).requires_grad_(False), momentum
        self._followed = (network,)  # in a tuple it is no submodule
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
        """Adds keys (n, dim) to the queue in place of the oldest."""
        places = (self.seen + torch.arange(len(keys), device=keys.device)) % len(self.queue)
        self.queue[places] = keys.to(self.queue.dtype)
        self.seen += len(keys)

    def train(self, mode: bool = True) -> "MomentumKeys":
        super().train(mode)
        self.copy.eval()
        return self
