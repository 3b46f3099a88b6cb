"""Multisimilarity (Wang et al., CVPR 2019) on a matrix of similarities: the authors' variant, and language inside the loss (Eq. S1 to S3)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from likeness.errors import InputError

VARIANTS = ("formula", "official")


def multisimilarity(
    sims: Tensor,
    labels: Tensor,
    alpha: float = 2.0,
    beta: float = 40.0,
    base: float = 0.5,
    epsilon: float = 0.1,
    *,
    variant: str = "formula",
    mining_sims: Tensor | None = None,
    scales: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """mean_i log(1 + sum_p exp(-alpha (s_ip - base))) / alpha + log(1 + sum_n exp(beta (s_in - base))) / beta, over mined pairs.

    A positive p of anchor i is kept if s_ip < max_n s_in + epsilon, a negative n if s_in > min_p s_ip - epsilon. Anchors without pairs
    count as 0.

    Args:
        sims: (n, n) cosine similarities S^img.
        labels: (n,) class numbers.
        alpha, beta, base: weights of positives and negatives, and the threshold lambda.
        epsilon: margin of the mining.
        variant: "formula", as pytorch-metric-learning has it with its miner; "official", the code of the language guidance paper, which
            puts another softplus around the batch mean of each side, so that its loss never falls below log(2) / alpha + log(2) / beta.
        mining_sims: (n, n) similarities by which pairs are kept, f of Eq. S1 (see `interpolated`); the extremes stay those of `sims`.
        scales: factors (n, n) on the positives' and the negatives' exponents, as Eq. S3 has them (see `language_scales`).

    Raises:
        InputError: for an unknown variant.
    """
    if variant not in VARIANTS:
        raise InputError(f"There is no multisimilarity '{variant}'; choose from {', '.join(VARIANTS)}.")
    positives, negatives = mined_pairs(sims.detach(), labels, epsilon, mining_sims)
    up, down = (1.0, 1.0) if scales is None else scales
    pull = _log_sum(-alpha * up * (sims - base), positives)
    push = _log_sum(beta * down * (sims - base), negatives)
    if variant == "official":
        return softplus(pull.mean()) / alpha + softplus(push.mean()) / beta
    return pull.mean() / alpha + push.mean() / beta


def mined_pairs(sims: Tensor, labels: Tensor, epsilon: float = 0.1, mining_sims: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Masks (n, n) of the positives and negatives kept for each anchor."""
    same = labels[:, None] == labels[None, :]
    others = ~same
    same = same & ~torch.eye(len(labels), dtype=torch.bool, device=sims.device)
    judged = sims if mining_sims is None else mining_sims
    hardest_negative = sims.masked_fill(~others, -torch.inf).amax(dim=1, keepdim=True)
    hardest_positive = sims.masked_fill(~same, torch.inf).amin(dim=1, keepdim=True)
    return same & (judged < hardest_negative + epsilon), others & (judged > hardest_positive - epsilon)


def interpolated(language_sims: Tensor, image_sims: Tensor, weight: float = 1.0, power: float = 1.0) -> Tensor:
    """f of Eq. S2: ((1 - nu_1) L^nu_2 + nu_1 S^nu_2)^(1 / nu_2), with nu_1 = `weight` and nu_2 = `power`.

    Negative similarities count as 0 where the power is not 1. The paper found nu_1 = nu_2 = 1 best, which is the image side alone.
    """
    if power == 1.0:
        return (1 - weight) * language_sims + weight * image_sims
    language, image = language_sims.clamp(min=0), image_sims.clamp(min=0)
    return ((1 - weight) * language**power + weight * image**power) ** (1 / power)


def language_scales(language_sims: Tensor, image_sims: Tensor, positive_power: float = 0.75, negative_power: float = 0.75) -> tuple[Tensor, Tensor]:
    """The factors (L / S)^nu_3 and (L / S)^nu_4 of Eq. S3; similarities below 0.01 count as 0.01, since the ratio has no meaning there."""
    ratio = language_sims.clamp(min=0.01) / image_sims.clamp(min=0.01)
    return ratio**positive_power, ratio**negative_power


class OfficialMultisimilarity(nn.Module):
    """`multisimilarity` of unit rows (n, d) in the variant of the language guidance paper's code."""

    def __init__(self, alpha: float = 2.0, beta: float = 40.0, base: float = 0.5, epsilon: float = 0.1) -> None:
        super().__init__()
        self.alpha, self.beta, self.base, self.epsilon = alpha, beta, base, epsilon

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        """The loss of embeddings (n, d) with class numbers (n,)."""
        return multisimilarity(embeddings @ embeddings.T, labels, self.alpha, self.beta, self.base, self.epsilon, variant="official")


def _log_sum(exponents: Tensor, kept: Tensor) -> Tensor:
    """log(1 + sum of exp over the kept entries) of each row, without overflow."""
    filled = exponents.masked_fill(~kept, -torch.inf)
    return torch.cat([filled, filled.new_zeros(len(filled), 1)], dim=1).logsumexp(dim=1)
