"""What a run is judged by, on classes that it has not seen."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation import clustering_metrics, retrieval_metrics
from likeness.search import nearest

RECALLS = (1, 2, 4, 8, 10, 100, 1000)


def scores(embeddings: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, float]:
    """R@1 to R@1000, mAP@R, mAP@1000 on recall, NMI and F1 of embeddings (n, d), 0 to 1 each; recalls beyond n - 1 are left out."""
    ks = tuple(k for k in RECALLS if k < len(labels))
    found = retrieval_metrics(embeddings, labels, ks=ks)
    clusters = clustering_metrics(embeddings, labels)
    names = [*(f"recall_at_{k}" for k in ks), "map_at_r", "map_at_1000"]
    return {name: float(found[name]) for name in names} | {name: float(clusters[name]) for name in ("nmi", "f1")}


def matched_recall(embeddings: NDArray[np.float32], labels: NDArray[np.int64], classes: int, choices: int = 10) -> float:
    """R@1 among the images of so many classes, the mean over random choices of them, which are the same in every call.

    Args:
        embeddings: (n, d).
        labels: (n,) class numbers.
        classes: how many of them look for each other.
        choices: how many draws; one where all classes take part.

    Raises:
        InputError: there are fewer classes.
    """
    numbers = np.unique(labels)
    if classes > len(numbers):
        raise InputError(f"R@1 among {classes} classes needs as many test classes, and there are {len(numbers)}; set matched_classes to fewer.")
    found = []
    for choice in range(choices if classes < len(numbers) else 1):
        kept = np.random.default_rng([choice, 7]).permutation(numbers)[:classes]
        rows = np.flatnonzero(np.isin(labels, kept))
        first = nearest(embeddings[rows], embeddings[rows], 1, exclude=np.arange(len(rows))).rows[:, 0]
        found.append(float((labels[rows][first] == labels[rows]).mean()))
    return float(np.mean(found))
