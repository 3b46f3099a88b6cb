"""S2SD: the embedding learns from wider branches that are trained beside it and discarded after training (Roth et al., ICML 2021)."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.errors import InputError, check_known
from likeness.losses.language_match import language_match
from likeness.losses.mined import FunctionLoss

Objective = Callable[[Tensor, Tensor], Tensor]
POOLINGS = ("average", "average+max")


class S2SD(nn.Module):
    """Simultaneous similarity-based self-distillation around any objective.

    loss = (objective(embeddings) + mean_i objective(branch_i)) / 2 + w_d mean_i KL_i + w_f KL_features

    Branch i is a two-layer network from the backbone's features to `target_dims[i]` dimensions, scaled to unit length. KL_i is T^2 times the mean
    over rows of KL(softmax(S_i / T) || softmax(S / T)), with the cosine similarities S of the embeddings and S_i of the branch, which gets no
    gradient; KL_features is the same with the similarities of the features.

    Args:
        objectives: the objective on the embeddings, then one for each branch; those with proxies need their own dimension.
        distill_weight: w_d. 50 in the S2SD paper, 0 in the language guidance paper, which keeps only the feature term (section A).
        feature_weight: w_f.
        temperature: T.
        pooling: of feature maps: "average", or "average+max", their sum.
        hidden: width of the branches' hidden layer; None: the branch's dimension.
        feature_delay: training steps before the feature term starts; 1,000 by default in the authors' code.

    Raises:
        InputError: the number of objectives is not that of branches plus one, or an unknown pooling.
    """

    steps: Tensor

    def __init__(
        self,
        objectives: Sequence[Objective],
        feature_dim: int,
        target_dims: Sequence[int] = (512, 1024, 1536, 2048),
        distill_weight: float = 50.0,
        feature_weight: float = 50.0,
        temperature: float = 1.0,
        pooling: str = "average",
        hidden: int | None = None,
        feature_delay: int = 0,
    ) -> None:
        super().__init__()
        if len(objectives) != len(target_dims) + 1:
            raise InputError(
                f"{len(target_dims)} branches need {len(target_dims) + 1} objectives, the first for the embeddings; got {len(objectives)}."
            )
        check_known("pooling", pooling, POOLINGS)
        self.objectives = nn.ModuleList(each if isinstance(each, nn.Module) else FunctionLoss(each) for each in objectives)
        self.branches = nn.ModuleList(
            nn.Sequential(nn.Linear(feature_dim, hidden or dim), nn.ReLU(), nn.Linear(hidden or dim, dim)) for dim in target_dims
        )
        self.distill_weight, self.feature_weight = distill_weight, feature_weight
        self.temperature, self.pooling, self.feature_delay = temperature, pooling, feature_delay
        if feature_delay:  # only then, so that checkpoints of runs without a delay keep their keys
            self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    @property
    def networks(self) -> nn.Module:
        return self.branches

    @property
    def reads(self) -> tuple[str, ...]:
        """Inputs besides embeddings and labels: pooled features, or feature maps if they are pooled here."""
        return ("maps",) if self.pooling == "average+max" else ("features",)

    def forward(self, embeddings: Tensor, labels: Tensor, features: Tensor) -> Tensor:
        """Loss of a batch: embeddings (n, d), scaled to unit length first, labels (n,), features (n, f) or maps (n, f, h, w)."""
        embeddings = normalize(embeddings, dim=1)
        source, *targets = self.objectives
        pooled = self.pooled(features)
        places = [normalize(branch(pooled), dim=1) for branch in self.branches]
        loss: Tensor = source(embeddings, labels)
        if places:
            loss = (loss + torch.stack([target(each, labels) for target, each in zip(targets, places, strict=True)]).mean()) / 2
            if self.distill_weight:
                loss = loss + self.distill_weight * torch.stack([self.distance(embeddings, each) for each in places]).mean()
        if self.feature_weight and self._features_begun():
            loss = loss + self.feature_weight * self.distance(embeddings, pooled)
        return loss

    def _features_begun(self) -> bool:
        """Whether the delay is over; counts one training step."""
        if not self.feature_delay:
            return True
        # the buffer is saved with the run, so a resumed one does not wait again
        begun = int(self.steps) >= self.feature_delay
        if self.training:
            self.steps += 1
        return begun

    def distance(self, embeddings: Tensor, target: Tensor) -> Tensor:
        """T^2 times the divergence between the similarities of the embeddings and those of the target, which gets no gradient."""
        theirs = normalize(target.detach(), dim=1)
        found: Tensor = language_match(
            embeddings @ embeddings.T, theirs @ theirs.T, shift=0.0, direction="language||image", temperature=self.temperature
        )
        return found

    def pooled(self, features: Tensor) -> Tensor:
        if features.ndim == 2:
            return features
        average = features.mean(dim=(2, 3))
        return average if self.pooling == "average" else average + features.amax(dim=(2, 3))
