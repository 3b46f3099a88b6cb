"""What a run is judged by, on classes that it has not seen."""

import numpy as np
from numpy.typing import NDArray

from likeness.evaluation import clustering_metrics, retrieval_metrics

RECALLS = (1, 2, 4, 8, 10, 100, 1000)


def scores(embeddings: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, float]:
    """R@1 to R@1000, mAP@R, mAP@1000 on recall, NMI and F1 of embeddings (n, d), 0 to 1 each; recalls beyond n - 1 are left out."""
    ks = tuple(k for k in RECALLS if k < len(labels))
    found = retrieval_metrics(embeddings, labels, ks=ks)
    clusters = clustering_metrics(embeddings, labels)
    names = [*(f"recall_at_{k}" for k in ks), "map_at_r", "map_at_1000"]
    return {name: float(found[name]) for name in names} | {name: float(clusters[name]) for name in ("nmi", "f1")}
