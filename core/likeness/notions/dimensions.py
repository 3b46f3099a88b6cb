"""How many dimensions a notion needs, told from its prompts alone."""

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.arrays import checked_rows, unit_rows
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.notions.notion import Notion

_KEPT = 0.985


def suggest_dim(text: Any, kept: float = _KEPT) -> int:
    """The fewest dimensions that keep a share `kept` of the prompts' squared length, two at least; no labels are needed.

    The prompts' squared singular values are what each further dimension explains. What follows the main ones is small and mostly wording:
    kept in full, as InDiReCT does with dim above the number of prompts, it weighs as much in the images' space as what the notion is
    about. The share leaves a root mean square angle of arcsin sqrt(1 - kept), 7 degrees.

    On Synthetic Cars with the shipped model, MAP@R at dim 128 / suggested / best of nine sizes: car model .82 / .98 / .98 (4 dimensions),
    car color .35 / .78 / .78 (5), background color .32 / .98 / .98 (7), viewpoint .68 / .91 / .91 (5), camera height .86 / .86 / .86 (3),
    distance .70 / .70 / .70 (2), sun side .52 / .69 / .69 (3), 569 car names .47 / .98 / .98 (4). The share was chosen on these notions
    with an earlier state of the model: they show that one share serves all of them, not how well it serves other images. Where a large
    CLIP spreads its prompts over many directions, the suggestion is near the number of prompts and changes little.

    Args:
        text: (n, r) prompts' embeddings, NumPy or torch.
        kept: share between 0 and 1.

    Raises:
        InputError: unusable embeddings, or a share outside 0..1.
    """
    if not 0 < kept <= 1:
        raise InputError(f"kept is {kept}; give a share above 0 and up to 1, such as {_KEPT}.")
    rows = unit_rows(checked_rows(text, "The prompt embeddings", np.float64), "The prompt embeddings")
    gram = rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows
    explained = np.cumsum(np.linalg.eigvalsh(gram)[::-1]) / len(rows)
    # Rounding can leave the last sum just below 1.
    enough = int(np.searchsorted(explained, min(kept, explained[-1]) - 1e-12)) + 1
    return int(min(max(enough, 2), rows.shape[1]))


def text_rank(text: Any) -> int:
    """How many directions prompts span: their singular values above float32's rounding of the largest.

    Prompts that are many and different span all that the text side of their encoder has, its rank, which can be less than its width. Where a
    notion's space has at least as many dimensions, its minimum keeps all of the prompts, so that methods are alike there by construction.

    Args:
        text: (n, r) prompts' embeddings, NumPy or torch.

    Raises:
        InputError: unusable embeddings.

    Example:
        >>> text_rank([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
        2
    """
    rows = unit_rows(checked_rows(text, "The prompt embeddings", np.float64), "The prompt embeddings")
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > np.finfo(np.float32).eps * values[0]).sum())


def notion_dim(notion: "Notion", text: Any) -> int:
    """How many dimensions the space of a notion has where nobody says: the notion's own `dim`, or else what its prompts suggest.

    Args:
        text: (n, r) embeddings of the prompts. A notion made for a larger encoder gets r dimensions.

    Raises:
        InputError: as `suggest_dim`.
    """
    return suggest_dim(text) if notion.dim is None else min(notion.dim, np.shape(text)[1])
