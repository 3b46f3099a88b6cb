"""Triplet losses on continuous labels: dense (Kim et al., CVPR 2019, Eq. 11), and on labels that are quantized to near and far (Eq. 1)."""

from typing import TYPE_CHECKING, Any

from likeness.errors import InputError
from likeness.losses.anchors import Anchors, as_given, checked_anchors
from likeness.losses.log_ratio import VARIANTS
from likeness.losses.objective import Objective, of_function
from likeness.options import Option

if TYPE_CHECKING:
    from torch import Tensor


def dense_triplet(embeddings: Any, label_distances: Any, margin: float = 0.03, variant: str = "paper") -> Any:
    """Eq. 11, the mean of [D(f_a, f_i) - D(f_a, f_j) + margin]_+ over all triplets with D(y_a, y_i) < D(y_a, y_j) (Eq. 10).

    Args:
        embeddings: (n, d) of unit length, NumPy or torch; otherwise they grow until the margin means nothing (section 3.1).
        label_distances: as for `likeness.losses.log_ratio`.
        margin: delta, of squared distances.
        variant: "paper", or "official", as the authors' code: it also keeps pairs at equal label distances, taking the earlier column as the nearer
            one, and no triplet costs less than 1e-12.

    Returns:
        A scalar tensor for tensors, a float for arrays; 0, with a gradient of 0, where there is no triplet. Memory is bounded: triplets are formed
        for a few anchors at a time, and only the gradient of the distances is kept.

    Raises:
        InputError: as `checked_anchors`, or an unknown variant.
    """
    from likeness.losses.anchor_distances import triplet_hinge

    if variant not in VARIANTS:
        raise InputError(f"The dense triplet loss has no variant '{variant}'; choose from {', '.join(VARIANTS)}.")
    given = checked_anchors(embeddings, label_distances)
    # the argsort of a permutation is its inverse: from "who is at rank k" to "which rank has column j"; ties in order of columns
    ranks = given.label_distances if variant == "paper" else given.label_distances.argsort(dim=1, stable=True).argsort(dim=1).to(given.embeddings)
    return as_given(triplet_hinge(given.distances(), ranks, given.others, margin, 0.0 if variant == "paper" else 1e-12), embeddings)


def binary_triplet(embeddings: Any, label_distances: Any, positives: int = 5, margin: float = 0.2) -> Any:
    """Eq. 1 on quantized labels: the mean of [D(f_a, p) - D(f_a, n) + margin]_+ over each anchor's nearest rows p and all others n.

    Args:
        embeddings: (n, d) of unit length, NumPy or torch.
        label_distances: as for `likeness.losses.log_ratio`.
        positives: how many rows of the batch, by label distance, are positives of an anchor. In the paper these are the 30 nearest training images;
            the authors' code puts 5 of them into a batch (`likeness.samplers.NeighborBatches` with pool 30).
        margin: delta.

    Raises:
        InputError: as `checked_anchors`, or no row left as a negative.
    """
    given = checked_anchors(embeddings, label_distances)
    near, distances = nearest_rows(given, positives), given.distances()
    far = distances.masked_fill(near | ~given.others, float("inf"))  # without a cost, and without a gradient
    costs = distances[near].view(-1, positives, 1) - far.unsqueeze(1) + margin
    return as_given(costs.clamp(min=0).sum() / (near.sum() * (len(given.embeddings) - 1 - positives)), embeddings)


def nearest_rows(given: Anchors, count: int) -> "Tensor":
    """Mask (a, n) of each anchor's `count` nearest rows by label distance, itself excluded; ties in order of rows.

    InputError: no row is left as a negative.
    """
    if not 1 <= count < len(given.embeddings) - 1:
        raise InputError(
            f"{count} positives of {len(given.embeddings)} rows leave no negative or no positive; choose 1 to {len(given.embeddings) - 2}."
        )
    order = given.label_distances.masked_fill(~given.others, float("inf")).argsort(dim=1, stable=True)
    return given.others.new_zeros(given.others.shape).scatter(1, order[:, :count], True)


_MARGIN = {"margin": Option(0.03, "Margin, in squared distances.")}
DENSE_TRIPLET = Objective(
    "dense-triplet",
    "Dense triplet",
    "Of any two images, the one with the nearer label must be nearer to the anchor: only the order of labels counts.",
    of_function(dense_triplet),
    _MARGIN,
    labels="distances",
    paper="Kim et al., CVPR 2019",
)
DENSE_TRIPLET_OFFICIAL = Objective(
    "dense-triplet-official",
    "Dense triplet (official)",
    "The dense triplet loss as in the authors' code.",
    of_function(dense_triplet, variant="official"),
    _MARGIN,
    labels="distances",
    paper="Kim et al., CVPR 2019",
)
BINARY_TRIPLET = Objective(
    "binary-triplet",
    "Binary triplet",
    "The nearest images by label count as one class: they must be nearer to the anchor than all others.",
    of_function(binary_triplet),
    {
        "positives": Option(5, "Number of images of a batch, the nearest by label, that are positives of an anchor.", 1),
        "margin": Option(0.2, "Margin, in squared distances."),
    },
    labels="distances",
    paper="Kim et al., CVPR 2019",
)
