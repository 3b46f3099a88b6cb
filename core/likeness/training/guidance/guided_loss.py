"""Language guidance around any objective (Roth et al., CVPR 2022, Eq. 2 to 5): expert class names (ELG) or pseudolabels (PLG)."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.language import batch_similarities, pseudolabel_similarities
from likeness.losses import language_match


class ClassTargets(nn.Module):
    """Precomputed language similarities of classes, (c, c), or (t, c, c) to distill several jointly."""

    table: Tensor

    def __init__(self, table: NDArray[np.float32]) -> None:
        super().__init__()
        self.register_buffer("table", torch.from_numpy(table if table.ndim == 3 else table[None]).float(), persistent=False)

    def forward(self, labels: Tensor, rows: Tensor) -> Tensor:
        """Targets (t, n, n) of a batch of class numbers (n,)."""
        found: Tensor = batch_similarities(self.table, labels)
        return found


class ImageTargets(nn.Module):
    """Language similarities of single images by their own pseudolabels ("Sample" of Table S3): (images, k) indices of names, best first.

    `names` are the similarities (m, m) of all names.
    """

    pseudolabels: Tensor
    names: Tensor

    def __init__(self, pseudolabels: NDArray[np.int64], names: NDArray[np.float32], variant: Any = "mean") -> None:
        super().__init__()
        self.variant = variant
        self.register_buffer("pseudolabels", torch.from_numpy(pseudolabels), persistent=False)
        self.register_buffer("names", torch.from_numpy(names).float(), persistent=False)

    def forward(self, labels: Tensor, rows: Tensor) -> Tensor:
        """Targets (t, n, n) of a batch of image row numbers (n,)."""
        found: Tensor = pseudolabel_similarities(self.pseudolabels[rows], self.names, self.variant)
        return found if found.ndim == 3 else found[None]


class VectorTargets(nn.Module):
    """Language similarities as cosines of language vectors of any length, (c, m) of classes or (images, m) of single images, computed for each batch.

    Rows `of_images` are "Caption" of Table 5. `learned` vectors are parameters that start there ("No stop grad." of Table 4): in the paper gradients
    flow into the language model; here they end at its vectors, so each name learns independently.
    """

    vectors: Tensor

    def __init__(self, vectors: NDArray[np.float32], of_images: bool = False, learned: bool = False) -> None:
        super().__init__()
        self.of_images = of_images
        if learned:
            self.vectors = nn.Parameter(torch.from_numpy(vectors).float().clone())
        else:
            self.register_buffer("vectors", torch.from_numpy(vectors).float(), persistent=False)

    def forward(self, labels: Tensor, rows: Tensor) -> Tensor:
        """Targets (1, n, n) of a batch of class numbers and image row numbers (n,)."""
        unit = normalize(self.vectors[rows if self.of_images else labels], dim=1)
        return (unit @ unit.T)[None]


Targets = ClassTargets | ImageTargets | VectorTargets


class LanguageGuidance(nn.Module):
    """L_match of a batch, averaged over the targets; weighted with omega and added to the objective in Eq. 4.

    Args:
        masked: masks entries of the same class (Eq. 3) on both sides: dense pseudolabels are below 1 there, which with only the image side masked
            would pull other classes nearer. True for names and pseudolabels of classes; for single images, the authors' code masks (`mask_language`
            of a config), the paper does not.
        options: of `language_match`.
    """

    replaces_objective, reads_maps = False, False

    def __init__(self, targets: Targets, masked: bool = True, **options: Any) -> None:
        super().__init__()
        self.targets, self.masked, self.options = targets, masked, options

    def forward(self, embeddings: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        """The loss of unit embeddings (n, d), with class numbers and image row numbers (n,), against their language targets."""
        sims = embeddings @ embeddings.T
        known = labels if self.masked else None
        targets = self.targets(labels, rows)
        return torch.stack([language_match(sims, target, known, mask_language=self.masked, **self.options) for target in targets]).mean()
