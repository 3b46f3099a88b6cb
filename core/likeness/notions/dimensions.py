"""Number of dimensions that a notion needs, from its prompts alone."""

from typing import Any

import numpy as np

from likeness.arrays import checked_rows, unit_rows
from likeness.notions.notion import Notion

_KEPT = 0.985


def suggest_dim(text: Any) -> int:
    """Fewest dimensions, at least two, that keep .985 of the squared length of the prompts' embeddings (n, r); needs no labels.

    The prompts' squared singular values are what each further dimension explains. Those after the main ones are small and mostly wording, but at full
    length, as in InDiReCT with more dimensions than prompts, they count as much for images as the notion itself. The share leaves a root mean square
    angle of arcsin sqrt(1 - .985), 7 degrees.

    On Synthetic Cars with the shipped model, MAP@R at dim 128 / suggested / best of nine sizes: car model .82 / .98 / .98 (4 dimensions), car color
    .35 / .78 / .78 (5), background color .32 / .98 / .98 (7), viewpoint .68 / .91 / .91 (5), camera height .86 / .86 / .86 (3), distance .70 / .70 /
    .70 (2), sun side .52 / .69 / .69 (3), 569 car names .47 / .98 / .98 (4). The share was chosen on these notions with an earlier version of the
    model: they show that one share fits all of them, not how well it fits other images. If a large CLIP spreads its prompts over many directions, the
    suggestion is near the number of prompts and changes little. InputError: unusable embeddings.
    """
    rows = unit_rows(checked_rows(text, "The prompt embeddings", np.float64), "The prompt embeddings")
    gram = rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows
    explained = np.cumsum(np.linalg.eigvalsh(gram)[::-1]) / len(rows)
    # rounding can leave the last sum just below 1
    enough = int(np.searchsorted(explained, min(_KEPT, explained[-1]) - 1e-12)) + 1
    return int(min(max(enough, 2), rows.shape[1]))


def text_rank(text: Any) -> int:
    """Number of directions that prompts (n, r) span: singular values above float32 rounding of the largest.

    Many different prompts span all of the text encoder's rank, which can be less than its width. If a notion's space has at least as many dimensions,
    its minimum keeps the prompts completely, so methods agree there by construction. InputError: unusable embeddings.

    Example:
        >>> text_rank([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
        2
    """
    rows = unit_rows(checked_rows(text, "The prompt embeddings", np.float64), "The prompt embeddings")
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > np.finfo(np.float32).eps * values[0]).sum())


def notion_dim(notion: Notion, text: Any) -> int:
    """Dimensions of the space of a notion with prompts (n, r): its `dim`, at most r, or what `suggest_dim` suggests; errors as there."""
    return suggest_dim(text) if notion.dim is None else min(notion.dim, np.shape(text)[1])
