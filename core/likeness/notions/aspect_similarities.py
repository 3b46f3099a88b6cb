"""Similarities to the aspects as coordinates: conditional representation learning (CRL, arXiv 2510.04564)."""

from typing import Any

import numpy as np

from likeness.arrays import like
from likeness.notions.method import NotionMethod
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import prompt_rows


class AspectSimilarities(LinearProjection):
    """An image is its k similarities to the aspects, v T^T, scaled to unit length (arXiv 2510.04564, section 3).

    The aspects are taken as the axes of the space, though they are not at right angles: what all prompts share counts k times.

    Attributes:
        U: (r, k), the unit prompts as columns.
    """

    def fit(self, text: Any) -> "AspectSimilarities":
        """Takes the prompts' embeddings (k, r), scaled to unit length first, NumPy or torch.

        Raises:
            InputError: unusable embeddings, or all prompts equal.
        """
        self.U = like(text)(np.ascontiguousarray(prompt_rows(text, 1).T))
        return self


ASPECT_SIMILARITIES = NotionMethod(
    "crl",
    "Aspect similarities (CRL)",
    "An image is the list of its similarities to the aspects, as in conditional representation learning.",
    lambda dim, seed: AspectSimilarities(),
    seeds=False,
    dims=False,
)
