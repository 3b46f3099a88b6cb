"""Aspects as coordinates: similarities to them (CRL, arXiv 2510.04564), or how probable they are."""

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import like, to_numpy
from likeness.errors import InputError
from likeness.notions.method import NotionMethod
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import check_fitted, check_width, image_rows, prompt_rows

if TYPE_CHECKING:
    import torch

# The scale of cosines at which CLIP's training stops to sharpen its softmax (Radford et al. 2021, section 2.5); nothing was chosen here.
CLIP_SCALE = 100.0


class AspectSimilarities(LinearProjection):
    """An image is its k similarities to the aspects, v T^T, scaled to unit length (arXiv 2510.04564, section 3); U (r, k) has the unit prompts as
    columns.

    The aspects are taken as the axes of the space, though they are not at right angles: what all prompts share counts k times.
    """

    def fit(self, text: Any) -> "AspectSimilarities":
        """Takes the prompts' embeddings (k, r), scaled to unit length first; InputError where they are unusable or all equal."""
        self.U = like(text)(np.ascontiguousarray(prompt_rows(text, 1).T))
        return self


class AspectProbabilities:
    """An image is the square roots of p = softmax(scale * v T^T), CLIP's zero-shot probabilities of the k aspects; U (r, k) has the unit prompts as
    columns.

    The cosine of two images is then the Bhattacharyya coefficient sum_j sqrt(p_j q_j) of their probabilities: 1 where they show the same aspects, 0
    where no aspect can be of both. Ours: the coordinates of CRL (`AspectSimilarities`), read as probabilities. It is not a linear map. `scale` is
    that of the cosines, the inverse of the softmax's temperature.
    """

    def __init__(self, scale: float = CLIP_SCALE) -> None:
        self.scale = scale

    def fit(self, text: Any) -> "AspectProbabilities":
        """Takes the prompts' embeddings (k, r), scaled to unit length first; InputError where they are unusable or all equal, or the scale is not
        above 0.
        """
        if not np.isfinite(self.scale) or self.scale <= 0:
            raise InputError(f"scale is {self.scale}; give a number above 0, such as {CLIP_SCALE:g}.")
        self.U = like(text)(np.ascontiguousarray(prompt_rows(text, 1).T))
        return self

    def transform(self, images: Any) -> Any:
        """Square roots of the aspects' probabilities: (m, r) -> (m, k) unit rows, of the kind that came in.

        InputError before `fit`, and on rows that are not finite or all zero, or of another width than the prompts.
        """
        check_fitted(self, "U", "fit(text) with the prompts' embeddings")
        U = to_numpy(self.U)
        rows = image_rows(images, len(U))
        logits = rows @ (self.scale / 2 * U).astype(rows.dtype)
        # half the logits: the square root of a softmax, but for its scale
        roots = np.exp(logits - logits.max(axis=1, keepdims=True))
        return like(images)(roots / np.linalg.norm(roots, axis=1, keepdims=True))

    def transform_tensor(self, rows: "torch.Tensor") -> "torch.Tensor":
        """Like `transform` for unit rows (m, r), with gradients: they flow back to `rows`."""
        import torch

        check_fitted(self, "U", "fit(text) with the prompts' embeddings")
        check_width(rows, len(self.U))
        return torch.exp(torch.log_softmax(self.scale * rows @ torch.as_tensor(to_numpy(self.U)).to(rows), dim=1) / 2)


ASPECT_SIMILARITIES = NotionMethod(
    "crl",
    "Aspect similarities (CRL)",
    "An image is the list of its similarities to the aspects, as in conditional representation learning.",
    lambda dim, seed: AspectSimilarities(),
    seeds=False,
    dims=False,
    paper="CRL, arXiv 2510.04564",
)
ASPECT_PROBABILITIES = NotionMethod(
    "probabilities",
    "Aspect probabilities",
    "An image is how probable each aspect is to the encoder, so that images are similar that may show the same aspect.",
    lambda dim, seed: AspectProbabilities(),
    seeds=False,
    dims=False,
)
