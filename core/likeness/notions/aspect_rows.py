"""One row per aspect of a notion, averaged over its templates, and zero-shot labels of images."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notions.notion import Notion

_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than memory


def aspect_rows(prompts: NDArray[np.float32], notion: Notion) -> NDArray[np.float32]:
    """Unit rows (k, d) of a notion's aspects, from unit rows (m, d) of its prompts; the input of every fit of a notion.

    With several templates, the prompts of an aspect are averaged and the mean is scaled to unit length, as in CLIP's prompt ensembles (Radford et al.
    2021, section 3.1.4). With one template, as in the InDiReCT paper, the rows are returned unchanged. Rows are in the order of `notion.prompts`.
    InputError: another number of rows.
    """
    if len(prompts) != len(notion.prompts):
        raise InputError(f"The notion '{notion.name}' has {len(notion.prompts)} prompts, but {len(prompts)} rows were passed; pass one for each.")
    if len(notion.templates) == 1:
        return prompts
    means = prompts.reshape(len(notion.templates), len(notion.aspects), -1).mean(axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return np.asarray(means)


def best_aspects(images: NDArray[np.float32], aspects: NDArray[np.float32]) -> NDArray[np.int64]:
    """Index (n,) of the aspect, of unit rows (k, d), nearest to each image (n, d): CLIP's zero-shot classification (Radford et al. 2021).

    These labels come from the encoder, so they cannot be used to evaluate it.
    """
    parts = [(images[begin : begin + _ROWS_AT_ONCE] @ aspects.T).argmax(axis=1) for begin in range(0, len(images), _ROWS_AT_ONCE)]
    return np.concatenate(parts).astype(np.int64)
