"""Rank-N-Contrast: of two images, the one whose label is nearer to the anchor's should be nearer to it (Zha et al., NeurIPS 2023)."""

from typing import Any

from likeness.losses.anchors import as_given, checked_anchors
from likeness.losses.objective import Objective, of_function
from likeness.options import Option


def rank_n_contrast(embeddings: Any, label_distances: Any, temperature: float = 2.0) -> Any:
    """Eq. 1 to 3 of arXiv 2210.01189: the mean over anchors i and other rows j of -log(exp(s_ij) / sum_k exp(s_ik)), over the rows k other than i
    whose labels are at least as far from i's as that of j, with s_ij = -|f_i - f_j| / temperature.

    The authors let two views of each of N images make the 2 N rows of a batch; any rows can be passed here, and runs have one view of each image.

    Args:
        embeddings: (n, d), NumPy or torch, of any length.
        label_distances: as for `likeness.losses.log_ratio`.
        temperature: tau, of Euclidean distances; the authors' 2 suits embeddings of free length.

    Returns:
        A scalar tensor for tensors, a float for arrays. Memory is of order a n for a anchors.

    Raises:
        InputError: as `checked_anchors`.
    """
    import torch

    given = checked_anchors(embeddings, label_distances)
    # farthest label first, and the anchor itself last, which is dropped: the rows at least as far as the j-th are the first ones
    order = given.label_distances.masked_fill(~given.others, -1).argsort(dim=1, descending=True)[:, :-1]
    squares, nearness = given.distances().gather(1, order), -given.label_distances.gather(1, order)
    alike = squares.detach() == 0  # where the root has no gradient
    logits = -squares.masked_fill(alike, 1).sqrt().masked_fill(alike, 0) / temperature
    last = torch.searchsorted(nearness, nearness, right=True) - 1  # of equal distances
    return as_given((logits.logcumsumexp(dim=1).gather(1, last) - logits).mean(), embeddings)


RANK_N_CONTRAST = Objective(
    "rank-n-contrast",
    "Rank-N-Contrast",
    "Each image is contrasted with all whose labels are farther from the anchor's: only the order of labels counts.",
    of_function(rank_n_contrast),
    {"temperature": Option(2.0, "Temperature of Euclidean distances; smaller for embeddings of unit length.", 1e-6)},
    labels="distances",
    unit=False,
    paper="Zha et al., NeurIPS 2023",
)
