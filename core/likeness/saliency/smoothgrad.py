"""SmoothGrad of the distance to a base image: which pixels an embedding depends on.

The method of Kobs et al., "Do Different Deep Metric Learning Losses Lead to Similar Learned Features?" (ICCV 2021), which the InDiReCT paper uses
(section 6): the gradient of the cosine distance between an image's embedding and that of a base image, with respect to noisy copies of the image.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

NOISE = 0.15
PERCENTILE = 99.0


def noisy(pixels: "torch.Tensor", noise: "torch.Tensor", spread: float = NOISE) -> "torch.Tensor":
    """Noisy copies (..., s, 3, h, w) of images (..., 3, h, w): adds standard normal draws times `spread` x (largest - smallest value)."""
    flat = pixels.flatten(-3)
    extent = (flat.amax(-1) - flat.amin(-1))[..., None, None, None, None]
    return pixels.unsqueeze(-4) + noise * (spread * extent)


def distance_gradients(
    embed: "Callable[[torch.Tensor], Sequence[torch.Tensor]]", copies: "torch.Tensor", bases: "Sequence[torch.Tensor]"
) -> "list[torch.Tensor]":
    """Per space, the gradient (b, h, w) of 1 - cosine(embedding, base) with respect to each copy (b, 3, h, w), averaged over the channels.

    Channels are averaged before the absolute value, so opposite signs cancel, as in the authors' code.

    Args:
        embed: (b, 3, h, w) -> rows (b, d) for each space; spaces can share computation.
        bases: for each space, the base image's embedding (1, d) or (d).
    """
    import torch

    # channels last: forward and backward convolutions take 0.7 of the time on a CPU
    copies = copies.detach().contiguous(memory_format=torch.channels_last).requires_grad_()
    with torch.enable_grad():
        pairs = [(rows, base.detach().reshape(1, -1).to(rows)) for rows, base in zip(embed(copies), bases, strict=True)]
        # a copy affects only its own distance, so the gradient of the sum has all of them
        distances = [(1 - torch.nn.functional.cosine_similarity(rows, base, dim=-1)).sum() for rows, base in pairs]
    last = len(distances) - 1
    # the graph is kept until the last space, since all share the forward pass
    found = [torch.autograd.grad(each, copies, retain_graph=k < last, materialize_grads=True)[0] for k, each in enumerate(distances)]
    return [gradient.mean(dim=1) for gradient in found]


def scaled(sums: NDArray[np.floating[Any]], percentile: float = PERCENTILE) -> NDArray[np.floating[Any]]:
    """Scales maps (..., h, w) to [0, 1]: the smallest value becomes 0, the `percentile` (linear interpolation) 1, larger values are clipped.

    If the two are equal, larger pixels become 1 and all others 0, the limit of the formula. A constant map is 0. InputError: a percentile that is
    not above 0 and at most 100.
    """
    check_percentile(percentile)
    low = sums.min(axis=(-2, -1), keepdims=True)
    high = np.percentile(sums, percentile, axis=(-2, -1), keepdims=True).astype(sums.dtype)
    flat = high <= low
    maps = np.clip((sums - low) / np.where(flat, 1, high - low), 0, 1)
    return np.asarray(np.where(flat, sums > low, maps), dtype=sums.dtype)


def check_percentile(percentile: float) -> None:
    """InputError: not 0 < percentile <= 100."""
    if not 0 < percentile <= 100:
        raise InputError(f"The percentile is {percentile}; choose a number above 0 and at most 100.")
