"""Principal components of the prompts, each as long as the prompts vary along it: no dimensions to choose."""

from typing import Any

import numpy as np

from likeness.arrays import like
from likeness.notions.method import NotionMethod
from likeness.notions.pca import principal_axes
from likeness.notions.projection import LinearProjection
from likeness.notions.prompt_rows import prompt_rows


class ScaledPCA(LinearProjection):
    """U = V Sigma of the centered prompts T - mean = W Sigma V^T: directions along which the prompts hardly differ hardly count.

    InDiReCT gives every direction of its subspace the same length, so that the number of dimensions decides how much wording comes in; here the
    prompts' own spread decides. Ours. Images are projected as they are, not centered, so that the space stays one linear map of the encoder's.

    Attributes:
        U: (r, k) columns at right angles, the longest first and of length 1; k is the number of directions in which the prompts vary.
    """

    def fit(self, text: Any) -> "ScaledPCA":
        """Learns from the prompts' embeddings (n, r), scaled to unit length first, NumPy or torch.

        Raises:
            InputError: unusable embeddings, or all prompts equal.
        """
        rows = prompt_rows(text, 1)
        values, axes = principal_axes(rows - rows.mean(axis=0))
        self.U = like(text)(np.ascontiguousarray(axes.T * (values / values[0])))
        return self


SCALED_COMPONENTS = NotionMethod(
    "scaled-pca",
    "Scaled PCA",
    "The main directions in which the prompts vary, each counted as much as they vary along it; no dimensions to choose.",
    lambda dim, seed: ScaledPCA(),
    seeds=False,
    dims=False,
)
