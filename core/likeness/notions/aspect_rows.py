"""One row per aspect of a notion, whatever the number of its templates, and zero-shot labels: of each image the aspect that it matches best."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notions.notion import Notion

_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than the memory


def aspect_rows(prompts: NDArray[np.float32], notion: Notion) -> NDArray[np.float32]:
    """Unit rows (k, d) of a notion's aspects, from unit rows (m, d) of its prompts: what every fit, count and comparison of a notion reads.

    With several templates, the prompts of an aspect are averaged and the mean is scaled to unit length, as CLIP's prompt ensembles are (Radford et
    al. 2021, section 3.1.4), so that a template adds no row. With one template, as in InDiReCT's paper, the rows are returned as they are. Rows are
    in the order of `notion.prompts`; another number of them is an InputError.
    """
    if len(prompts) != len(notion.prompts):
        raise InputError(f"The notion '{notion.name}' has {len(notion.prompts)} prompts, but {len(prompts)} rows were passed; pass one for each.")
    if len(notion.templates) == 1:
        return prompts
    means = prompts.reshape(len(notion.templates), len(notion.aspects), -1).mean(axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return np.asarray(means)


def best_aspects(images: NDArray[np.float32], aspects: NDArray[np.float32]) -> NDArray[np.int64]:
    """Place (n,) of the aspect, of unit rows (k, d), that lies nearest to each image (n, d), as CLIP classifies without training (Radford et al.
    2021).

    That is what the encoder says of the images, so nothing that the encoder could be judged by.
    """
    parts = [(images[begin : begin + _ROWS_AT_ONCE] @ aspects.T).argmax(axis=1) for begin in range(0, len(images), _ROWS_AT_ONCE)]
    return np.concatenate(parts).astype(np.int64)
