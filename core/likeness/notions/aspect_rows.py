"""One row per aspect of a notion, whatever the number of its templates."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notions.notion import Notion


def aspect_rows(prompts: NDArray[np.float32], notion: Notion) -> NDArray[np.float32]:
    """Unit rows (k, d) of a notion's aspects, from unit rows (m, d) of its prompts: what every fit, count and comparison of a notion reads.

    With several templates, the prompts of an aspect are averaged and the mean is scaled to unit length, as CLIP's prompt ensembles are (Radford
    et al. 2021, section 3.1.4), so that a template adds no row. With one template, as in InDiReCT's paper, the rows are returned as they are.

    Args:
        prompts: of `notion.prompts`, in their order.
        notion: of k aspects; m is k times the number of templates.

    Raises:
        InputError: another number of prompts than the notion has.
    """
    if len(prompts) != len(notion.prompts):
        raise InputError(f"The notion '{notion.name}' has {len(notion.prompts)} prompts, but {len(prompts)} rows were passed; pass one for each.")
    if len(notion.templates) == 1:
        return prompts
    means = prompts.reshape(len(notion.templates), len(notion.aspects), -1).mean(axis=0)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return np.asarray(means)
