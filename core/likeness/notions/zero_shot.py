"""Zero-shot labels: of each image the aspect that it matches best."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notions.notion import Notion

_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than the memory


def best_aspects(images: NDArray[np.float32], prompts: NDArray[np.float32], notion: Notion) -> NDArray[np.int64]:
    """Place in `notion.aspects` of the aspect whose prompts lie nearest to each image, as CLIP classifies without training (Radford et al. 2021).

    Args:
        images: unit rows (n, d).
        prompts: unit rows (m, d) of `notion.prompts`; with several templates, an aspect's prompts count by their mean of unit length.
        notion: whose aspects are compared.

    Returns:
        (n,) whole numbers. What the encoder says of the images, so nothing that the encoder could be judged by.

    Raises:
        InputError: another number of prompts than the notion has.
    """
    means = aspect_rows(prompts, notion)
    parts = [(images[begin : begin + _ROWS_AT_ONCE] @ means.T).argmax(axis=1) for begin in range(0, len(images), _ROWS_AT_ONCE)]
    return np.concatenate(parts).astype(np.int64)


def aspect_rows(prompts: NDArray[np.float32], notion: Notion) -> NDArray[np.float32]:
    """Unit rows (k, d) of a notion's aspects, from those of its prompts (m, d): the mean over the templates.

    Raises:
        InputError: another number of prompts than the notion has.
    """
    if len(prompts) != len(notion.prompts):
        raise InputError(f"The notion '{notion.name}' has {len(notion.prompts)} prompts, but {len(prompts)} rows were passed; pass one for each.")
    means = prompts.reshape(len(notion.templates), len(notion.aspects), -1).mean(axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return np.asarray(means)
