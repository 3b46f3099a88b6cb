"""Log-ratio loss: ratios of distances in the embedding follow those in the label space (Kim et al., CVPR 2019)."""

from typing import TYPE_CHECKING, Any

from likeness.errors import InputError
from likeness.losses.anchors import Anchors, as_given, checked_anchors
from likeness.losses.objective import Objective, of_function

if TYPE_CHECKING:
    from torch import Tensor

VARIANTS = ("paper", "official")
REDUCTIONS = ("mean", "sum")


def log_ratio(embeddings: Any, label_distances: Any, variant: str = "paper", reduction: str = "mean") -> Any:
    """Eq. 5 over all triplets of Eq. 10: {log(D(f_a, f_i) / D(f_a, f_j)) - log(D(y_a, y_i) / D(y_a, y_j))}^2, D squared distances.

    With u_i = log D(f_a, f_i) - log D(y_a, y_i), a triplet costs (u_i - u_j)^2, and all pairs of m neighbors together m sum_i (u_i - mean u)^2. Pairs
    at equal label distances, which Eq. 10 excludes, are subtracted by the same formula, group by group. So all triplets of a anchors take memory and
    time of order a n, not a n^2.

    Args:
        embeddings: (n, d), NumPy or torch, of any length: the loss does not change with their scale.
        label_distances: not squared; (n - 1,) from row 0, the anchor, to each other row in order, or (a, n) from the first a rows, the anchors, to
            all. The diagonal is ignored.
        variant: "paper", or "official", as the authors' code: distances instead of their squares on both sides, hence a quarter of the value; sqrt(D
            + 1e-4 / d) in the embedding, and 1e-6 added inside each logarithm; pairs at equal label distances count as well.
        reduction: "mean" or "sum" over triplets.

    Returns:
        A scalar tensor for tensors, a float for arrays. In "paper", a neighbor at label distance or embedding distance 0, where the ratio is
        undefined, is left out of its anchor's triplets; the authors' constants keep it finite. Without any triplet the loss and its gradient are 0.

    Raises:
        InputError: as `checked_anchors`, or an unknown variant or reduction.
    """
    for given_name, known in ((variant, VARIANTS), (reduction, REDUCTIONS)):
        if given_name not in known:
            raise InputError(f"The log-ratio loss has no '{given_name}'; choose from {', '.join(known)}.")
    given = checked_anchors(embeddings, label_distances)
    distances = given.distances()
    loss, triplets = _paper(distances, given) if variant == "paper" else _official(distances, given)
    return as_given(loss / triplets.clamp(min=1) if reduction == "mean" else loss, embeddings)


def _paper(distances: "Tensor", given: Anchors) -> "tuple[Tensor, Tensor]":
    # detached: a comparison has no gradient
    valid = given.others & (given.label_distances > 0) & (distances.detach() > 0)
    ratios = _log(distances, valid) - 2 * _log(given.label_distances, valid)
    everything, pairs = _within_groups(ratios, valid, valid.long() * 0, 1)
    # each group of ties holds exactly the pairs that Eq. 10 excludes
    tied, excluded = _within_groups(ratios, valid, _tie_groups(given.label_distances), valid.shape[1])
    return everything - tied, pairs - excluded


def _official(distances: "Tensor", given: Anchors) -> "tuple[Tensor, Tensor]":
    lengths = (distances + 1e-4 / given.embeddings.shape[1]).sqrt()
    ratios = (lengths + 1e-6).log() - (given.label_distances.masked_fill(~given.others, 1) + 1e-6).log()
    return _within_groups(ratios, given.others, given.others.long() * 0, 1)


def _log(values: "Tensor", valid: "Tensor") -> "Tensor":
    """Logarithms of the valid entries, 0 elsewhere. Masked before the logarithm, so that no infinite gradient meets a 0."""
    return values.masked_fill(~valid, 1).log()


def _within_groups(ratios: "Tensor", valid: "Tensor", groups: "Tensor", count: int) -> "tuple[Tensor, Tensor]":
    """Sum of (u_i - u_j)^2 over all pairs of valid columns in the same row and group, and the number of these pairs.

    `ratios`, `valid` and `groups` are (a, n); groups are numbered from 0 to `count` - 1 in each row.
    """
    row_numbers = groups.new_ones(len(groups), 1).cumsum(dim=0) - 1
    places = (groups + count * row_numbers).flatten()
    weights = valid.to(ratios).flatten()
    values = ratios.flatten() * weights
    sizes = ratios.new_zeros(len(ratios) * count).index_add(0, places, weights)
    means = ratios.new_zeros(len(ratios) * count).index_add(0, places, values) / sizes.clamp(min=1)
    # sum over pairs of (u_i - u_j)^2 = m sum_i (u_i - mean u)^2; the mean is taken first, since m sum u^2 - (sum u)^2 loses digits
    squares = (values - means[places] * weights).square() * sizes[places]
    return squares.sum(), (sizes * (sizes - 1) / 2).sum()


def _tie_groups(label_distances: "Tensor") -> "Tensor":
    """Group numbers (a, n): equal distances of a row have the same number."""
    ordered, order = label_distances.sort(dim=1)
    steps = ordered[:, 1:] != ordered[:, :-1]
    numbers = steps.cumsum(dim=1)
    groups = order.new_zeros(order.shape)
    return groups.scatter(1, order[:, 1:], numbers)


# section 3.2: the loss does not depend on the length of embeddings
LOG_RATIO = Objective(
    "log-ratio",
    "Log-ratio",
    "Ratios of distances between images follow the ratios of their label distances.",
    of_function(log_ratio),
    labels="distances",
    unit=False,
    paper="Kim et al., CVPR 2019",
)
LOG_RATIO_OFFICIAL = Objective(
    "log-ratio-official",
    "Log-ratio (official)",
    "The log-ratio loss as in the authors' code.",
    of_function(log_ratio, variant="official"),
    labels="distances",
    unit=False,
    paper="Kim et al., CVPR 2019",
)
