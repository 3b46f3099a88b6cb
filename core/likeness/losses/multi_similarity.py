"""Multisimilarity (Wang et al., CVPR 2019) on a matrix of similarities: as in official code, and with language inside the loss (Eq. S1 to S3)."""

from math import inf
from typing import TYPE_CHECKING, Any

from likeness.errors import check_known
from likeness.losses.objective import Objective, of_function
from likeness.options import Option
from likeness.samplers import make_miner

if TYPE_CHECKING:
    from torch import Tensor, nn

VARIANTS = ("formula", "official", "oodml")


def multisimilarity(
    sims: "Tensor",
    labels: "Tensor",
    alpha: float = 2.0,
    beta: float = 40.0,
    base: float = 0.5,
    epsilon: float = 0.1,
    *,
    variant: str = "formula",
    mining_sims: "Tensor | None" = None,
    scales: "tuple[Tensor, Tensor] | None" = None,
) -> "Tensor":
    """mean_i log(1 + sum_p exp(-alpha (s_ip - base))) / alpha + log(1 + sum_n exp(beta (s_in - base))) / beta, over mined pairs.

    A positive p of anchor i is kept if s_ip < max_n s_in + epsilon, a negative n if s_in > min_p s_ip - epsilon. Anchors without pairs
    count as 0.

    Args:
        sims: (n, n) cosine similarities S^img.
        labels: (n,) class numbers.
        alpha, beta, base: weights of positives and negatives, and the threshold lambda.
        epsilon: margin of the mining.
        variant: "formula", as pytorch-metric-learning with its miner; "official", the code of the language guidance paper, which applies another
            softplus to the batch mean of each side, so the loss is at least log(2) / alpha + log(2) / beta; "oodml", the code of ooDML (Milbich et
            al., NeurIPS 2021), which averages each side over the anchors with a pair there, and takes an anchor as its own positive if a negative is
            within epsilon of it.
        mining_sims: (n, n) similarities that decide which pairs are kept, f of Eq. S1 (see `interpolated`); the extremes are still of `sims`.
        scales: factors (n, n) on the exponents of positives and negatives in Eq. S3 (see `language_scales`).

    Raises:
        InputError: unknown variant.
    """
    import torch
    from torch.nn.functional import softplus

    check_known("multisimilarity", variant, VARIANTS)
    positives, negatives = mined_pairs(sims.detach(), labels, epsilon, mining_sims)
    up, down = (1.0, 1.0) if scales is None else scales
    if variant == "oodml":
        positives = positives | torch.diag((sims.detach().diagonal() - epsilon) < _hardest_negative(sims.detach(), labels))
    pull = _log_sum(-alpha * up * (sims - base), positives)
    push = _log_sum(beta * down * (sims - base), negatives)
    if variant == "official":
        return softplus(pull.mean()) / alpha + softplus(push.mean()) / beta
    if variant == "oodml":
        pull, push = (each.sum() / kept.any(dim=1).sum().clamp(min=1) for each, kept in ((pull, positives), (push, negatives)))
    return pull.mean() / alpha + push.mean() / beta


def mined_pairs(sims: "Tensor", labels: "Tensor", epsilon: float = 0.1, mining_sims: "Tensor | None" = None) -> "tuple[Tensor, Tensor]":
    """Masks (n, n) of the positives and negatives kept for each anchor."""
    import torch

    same = labels[:, None] == labels[None, :]
    others = ~same
    hardest_negative = _hardest_negative(sims, labels)[:, None]
    same = same & ~torch.eye(len(labels), dtype=torch.bool, device=sims.device)
    compared = sims if mining_sims is None else mining_sims
    hardest_positive = sims.masked_fill(~same, inf).amin(dim=1, keepdim=True)
    return same & (compared < hardest_negative + epsilon), others & (compared > hardest_positive - epsilon)


def _hardest_negative(sims: "Tensor", labels: "Tensor") -> "Tensor":
    return sims.masked_fill(labels[:, None] == labels[None, :], -inf).amax(dim=1)


def interpolated(language_sims: "Tensor", image_sims: "Tensor", weight: float = 1.0, power: float = 1.0) -> "Tensor":
    """f of Eq. S2: ((1 - nu_1) L^nu_2 + nu_1 S^nu_2)^(1 / nu_2), with nu_1 = `weight` and nu_2 = `power`.

    Negative similarities count as 0 where the power is not 1. The paper found nu_1 = nu_2 = 1 best, that is, images alone.
    """
    if power == 1.0:
        return (1 - weight) * language_sims + weight * image_sims
    language, image = language_sims.clamp(min=0), image_sims.clamp(min=0)
    return ((1 - weight) * language**power + weight * image**power) ** (1 / power)


def language_scales(
    language_sims: "Tensor", image_sims: "Tensor", positive_power: float = 0.75, negative_power: float = 0.75
) -> "tuple[Tensor, Tensor]":
    """Factors (L / S)^nu_3 and (L / S)^nu_4 of Eq. S3. Similarities below 0.01 are set to 0.01, since the ratio is meaningless there."""
    ratio = language_sims.clamp(min=0.01) / image_sims.clamp(min=0.01)
    return ratio**positive_power, ratio**negative_power


def _log_sum(exponents: "Tensor", kept: "Tensor") -> "Tensor":
    """log(1 + sum of exp over the kept entries) of each row, without overflow."""
    import torch

    # an appended 0 is the 1 in log(1 + ...); exp(-inf) is 0
    filled = exponents.masked_fill(~kept, -inf)
    return torch.cat([filled, filled.new_zeros(len(filled), 1)], dim=1).logsumexp(dim=1)


def _make(classes: int, dim: int, alpha: float, beta: float, base: float, epsilon: float) -> "nn.Module":
    from pytorch_metric_learning.losses import MultiSimilarityLoss

    from likeness.losses.mined import Mined

    return Mined(MultiSimilarityLoss(alpha, beta, base), make_miner("hard-pairs", epsilon=epsilon))


def _of_rows(embeddings: "Tensor", labels: "Tensor", **options: Any) -> "Tensor":
    return multisimilarity(embeddings @ embeddings.T, labels, **options)


_OPTIONS = {
    "alpha": Option(2.0, "Weight of pairs of one class.", 0),
    "beta": Option(40.0, "Weight of pairs of different classes.", 0),
    "base": Option(0.5, "Similarity threshold: below it pairs of one class cost most, above it pairs of different classes."),
    "epsilon": Option(0.1, "Margin of similarity to the hardest pair of the other kind, within which a pair is still kept.", 0),
}
MULTISIMILARITY = Objective(
    "multisimilarity", "Multisimilarity", "Weighs pairs of images by how wrong they are.", _make, _OPTIONS, mines=True, paper="Wang et al., CVPR 2019"
)
MULTISIMILARITY_OFFICIAL = Objective(
    "multisimilarity-official",
    "Multisimilarity (official)",
    "Multisimilarity as in the code of the language guidance paper.",
    of_function(_of_rows, variant="official"),
    _OPTIONS,
    paper="Wang et al., CVPR 2019",
)
MULTISIMILARITY_OODML = Objective(
    "multisimilarity-oodml",
    "Multisimilarity (ooDML)",
    "Multisimilarity as in the code of ooDML.",
    of_function(_of_rows, variant="oodml"),
    _OPTIONS,
    paper="Wang et al., CVPR 2019",
)
