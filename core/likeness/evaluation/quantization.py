"""What smaller vectors lose."""

from typing import Any

import numpy as np
import pandas as pd

from likeness.arrays import as_unit_rows
from likeness.evaluation.retrieval import retrieval_metrics
from likeness.search import rank, scan


def quantization_losses(vectors: Any, labels: Any = None, *, k: int = 10, sample: int = 1_000, seed: int = 0) -> pd.DataFrame:
    """What vectors (n, d), or of a Space, lose by 8 bits or one per dimension: a row for each ranking of `likeness.search`, cosines first.

    The columns: ranking, bytes_per_image, neighbors_kept, the share of the k nearest by cosine that are among the k first, and with labels (n,)
    recall_at_1 and map_at_r. At most `sample` images are queries. "binary" compares the vectors of the 100 nearest by signs, and so needs both.
    InputError: as `retrieval_metrics`, or fewer than two images.
    """
    rows, found = as_unit_rows(getattr(vectors, "vectors", vectors), "The vectors"), []
    chosen = np.sort(np.random.default_rng(seed).choice(len(rows), min(sample, len(rows)), replace=False))
    exact = scan(rows, rows[chosen], k, exclude=chosen).rows
    full, signs = 4 * rows.shape[1], -(-rows.shape[1] // 8)
    sizes = {"cosine": full, "int8": full // 4, "binary:candidates=0": signs, "binary": signs + full}
    for ranking, size in sizes.items():
        near = exact if ranking == "cosine" else rank(ranking, rows, rows[chosen], k, exclude=chosen).rows
        kept = float((near[:, :, None] == exact[:, None]).any(axis=2).mean())
        scores = {} if labels is None else retrieval_metrics(rows, labels, (1,), rows=chosen, metric=ranking, only=("recall_at_1", "map_at_r"))
        found.append({"ranking": ranking, "bytes_per_image": size, "neighbors_kept": kept, **scores})
    return pd.DataFrame(found)
