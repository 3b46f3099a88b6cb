"""Agreement of clusters with classes: NMI, AMI and pair-counting F1, of given clusters or of k-means."""

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import checked_rows, device_of, row_slices, unit_rows
from likeness.errors import InputError
from likeness.evaluation._device import kmeans_on_device
from likeness.evaluation._inputs import DistanceMetric, checked_metric, group_codes, label_codes, scratch_array, taken

ITERATIONS = 20


def clustering_metrics(
    embeddings: Any, labels: Any, assignments: Any = None, seed: int = 0, *, metric: DistanceMetric = "cosine"
) -> dict[str, float]:
    """Agreement of clusters with classes.

    * nmi: mutual information of clusters and classes over the arithmetic mean of their entropies.
    * ami: (MI - E[MI]) / (mean entropy - E[MI]), with E[MI] over random clusters of the same sizes (Vinh, Epps and Bailey, JMLR 2010); 0 is chance
      level. As in scikit-learn.
    * f1: harmonic mean of pair precision and pair recall; a pair is retrieved if both items are in one cluster, and correct if both are of one class
      (Oh Song et al., Deep Metric Learning via Lifted Structured Feature Embedding, CVPR 2016).

    Args:
        embeddings: (n, d), NumPy or torch; a tensor on a GPU runs k-means there. May be None if `assignments` are given.
        labels: label of each row (n,), of any hashable type; unlabeled rows (`likeness.data.has_label`) are ignored.
        assignments: cluster of each row (n,), of any hashable type; None: k-means with as many clusters as classes.
        seed: of k-means, 0 to 2^31 - 1.
        metric: "cosine" runs k-means on rows of unit length, "euclidean" on the rows as they are.

    Returns:
        nmi and f1 in [0, 1], ami at most 1. If clusters equal classes, all are 1, also for a single class or only classes of one row.

    Raises:
        InputError: embeddings that are empty, not finite or (cosine) have a row of zeros; labels or assignments that do not fit; no row with a label,
            or a row without assignment; an unknown metric; a seed out of range.

    Memory is bounded: float32 embeddings may be memory-mapped; unit rows beyond 300 MB go to a scratch file (in TMPDIR).

    K-means is that of AccuracyCalculator in pytorch-metric-learning (faiss, 20 iterations), whose NMI and AMI follow with metric="euclidean" and
    seed=1234: centers are learned from at most 256 random rows per cluster. Repeated rows and empty clusters leave fewer clusters than classes.

    Example:
        >>> clustering_metrics(None, ["car", "car", "van", "van"], [0, 0, 1, 1])
        {'nmi': 1.0, 'ami': 1.0, 'f1': 1.0}
    """
    checked_metric(metric)
    if assignments is not None:
        count = len(labels) if embeddings is None else len(checked_rows(embeddings, "The embeddings"))
        if count == 0:
            raise InputError("labels is empty; pass one label for each item.")
        classes, groups = label_codes(labels, count, "labels"), group_codes(assignments, count, "assignments")
        return agreement(classes[classes >= 0], groups[classes >= 0])
    rows = checked_rows(embeddings, "The embeddings")
    classes = label_codes(labels, len(rows), "labels")
    rows, classes = taken(rows, np.flatnonzero(classes >= 0)), classes[classes >= 0]
    if metric != "euclidean":
        parts = (unit_rows(rows[part], "The embeddings", part.start) for part in row_slices(*rows.shape))
        rows = scratch_array(parts, rows.shape, np.float32)
    return agreement(classes, kmeans(rows, int(classes.max()) + 1, seed, device_of(embeddings)))


def kmeans(rows: NDArray[np.float32], clusters: int, seed: int, device: Any = None) -> NDArray[np.int64]:
    """Cluster number of each row (n,) by k-means of faiss, for at most n `clusters`.

    A torch device takes the same steps from the same start; results agree up to rounding.
    """
    import faiss

    if not 0 <= seed < 2**31:
        raise InputError(f"The seed is {seed}, but must be from 0 to {2**31 - 1}.")
    # the lower limit only silences a warning that faiss writes to the terminal for clusters of fewer than 39 points on average
    model = faiss.Kmeans(rows.shape[1], clusters, niter=0 if device else ITERATIONS, seed=index(seed), min_points_per_centroid=1)
    model.train(rows)
    if device:
        assert model.centroids is not None
        return kmeans_on_device(rows, _sampled(len(rows), clusters * model.cp.max_points_per_centroid, seed), model.centroids, ITERATIONS, device)
    found: NDArray[np.int64] = model.index.search(rows, 1)[1][:, 0]
    return found


def _sampled(count: int, most: int, seed: int) -> NDArray[np.int64]:
    """Numbers of the rows that faiss learns centers from (m,), if there are more than `most`."""
    import faiss

    if count <= most:
        return np.arange(count)
    order = np.empty(count, np.int32)
    faiss.rand_perm(faiss.swig_ptr(order), count, seed)  # type: ignore[attr-defined]
    return order[:most].astype(np.int64)


def agreement(classes: NDArray[np.intp], clusters: NDArray[np.intp]) -> dict[str, float]:
    """The metrics of `clustering_metrics` from class and cluster numbers (n,), counted from 0."""
    class_sizes, cluster_sizes = (sizes[sizes > 0] for sizes in (np.bincount(classes), np.bincount(clusters)))
    # only the nonempty cells of the table classes x clusters: at most n of them, however many classes there are
    cells, joint = np.unique(classes.astype(np.int64) * (int(clusters.max()) + 1) + clusters, return_counts=True)
    if len(cells) == len(class_sizes) == len(cluster_sizes):
        return {"nmi": 1.0, "ami": 1.0, "f1": 1.0}
    mean_entropy = (_entropy(class_sizes) + _entropy(cluster_sizes)) / 2
    # MI = H(classes) + H(clusters) - H(joint), which rounding could take below 0
    information = max(0.0, 2 * mean_entropy - _entropy(joint))
    expected = _expected_information(class_sizes, cluster_sizes)
    pairs = _pairs(class_sizes) + _pairs(cluster_sizes)
    single = len(class_sizes) == 1 or len(cluster_sizes) == 1
    return {
        "nmi": 0.0 if single else information / mean_entropy,
        "ami": 0.0 if single else (information - expected) / (mean_entropy - expected),
        # 2 P R / (P + R) with P = joint pairs / pairs of clusters and R = joint pairs / pairs of classes
        "f1": 2 * _pairs(joint) / pairs,
    }


def _entropy(sizes: NDArray[np.int64]) -> float:
    """Entropy in nats of the shares sizes / sum(sizes)."""
    shares = sizes / sizes.sum()
    return float(-(shares * np.log(shares)).sum())


def _pairs(sizes: NDArray[np.int64]) -> int:
    """Number of pairs of items in the same group."""
    return int((sizes * (sizes - 1) // 2).sum())


def _expected_information(class_sizes: NDArray[np.int64], cluster_sizes: NDArray[np.int64]) -> float:
    """E[MI] in nats over random clusters of the given sizes (Vinh et al.).

    A class of a items and a cluster of b share m items with hypergeometric probability, and contribute m/n log(n m / (a b)). The term depends on the
    two sizes alone, so it is computed once per pair of distinct sizes; n items allow few of those. For each a, the m of all clusters make at most n
    terms.
    """
    from scipy.special import gammaln

    n = int(class_sizes.sum())
    # logarithms of factorials: their ratios are probabilities, they themselves overflow
    log_factorial = gammaln(np.arange(1, n + 2))
    b_sizes, b_times = np.unique(cluster_sizes, return_counts=True)
    expected = 0.0
    for a, times in zip(*np.unique(class_sizes, return_counts=True), strict=True):
        lowest = np.maximum(1, a + b_sizes - n)
        counts = np.minimum(a, b_sizes) - lowest + 1
        b = np.repeat(b_sizes, counts)
        m = np.arange(len(b)) - np.repeat(np.cumsum(counts) - counts - lowest, counts)
        chosen, rest = log_factorial[a] - log_factorial[m] - log_factorial[a - m], log_factorial[n - a] - log_factorial[b - m]
        log_probability = chosen + rest - log_factorial[n - a - b + m] - log_factorial[n] + log_factorial[b] + log_factorial[n - b]
        terms = m / n * np.log(n * m / (a * b)) * np.exp(log_probability)
        expected += float(times * (terms * np.repeat(b_times, counts)).sum())
    return expected
