"""How clearly a notion's aspects divide given images, without labels: to choose what to show first."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.floating]

_IMAGES = 500
_DRAWINGS = 20
_DEVIATIONS = 2.0
# above what meaningless words reach; the shipped encoder has .10 to .23 for the best starter notion of four sets of photos, below 0 on noise
FEWEST_DIVIDED = 0.02


def division_scores(images: Rows, aspects: Sequence[Rows], seed: int = 0) -> list[float]:
    """Information of each notion's aspects about the images, beyond that of meaningless words; 1 is the maximum, 0 and below is none.

    With p(k|x) = softmax of the similarities of image x to the aspects, the mutual information of image and aspect is I = H(mean of p) - mean of H(p)
    (Krause et al., Discriminative Clustering by Regularized Information Maximization, NIPS 2010, eq. 1): large if the images spread over the aspects
    and each matches one clearly. Similarities are divided by their standard deviation within an image, over the aspects of all notions. The same
    aspects after random rotations, which keep their similarities to each other but not their meaning, give the chance level: the mean of 20 draws
    plus two standard deviations. It is subtracted from I, and the rest divided by log K, so that two aspects can win over twenty.

    Args:
        images: (n, d) unit rows; a random sample of 500 if there are more.
        aspects: of each notion (k, d) unit rows, k at least 2; see `aspect_rows`.
    """
    random = np.random.default_rng(seed)
    rows = np.asarray(images[np.sort(random.permutation(len(images))[:_IMAGES])], np.float64)
    similarities = [rows @ np.asarray(texts, np.float64).T for texts in aspects]
    unit = math.sqrt(np.mean(np.concatenate([((each - each.mean(1, keepdims=True)) ** 2).ravel() for each in similarities])))
    if unit == 0:
        return [0.0] * len(aspects)
    return [_score(rows, texts, found / unit, unit, random) for texts, found in zip(aspects, similarities, strict=True)]


def _score(images: Rows, aspects: Rows, similarities: Rows, unit: float, random: np.random.Generator) -> float:
    # A = left diag(lengths) V^T: random orthonormal directions in place of V keep the products of aspects with each other
    left, lengths, _ = np.linalg.svd(np.asarray(aspects, np.float64), full_matrices=False)
    turned = [
        _information(images @ np.linalg.qr(random.normal(size=(aspects.shape[1], len(lengths))))[0] @ (left * lengths).T / unit)
        for _ in range(_DRAWINGS)
    ]
    chance = np.mean(turned) + _DEVIATIONS * np.std(turned)
    return float((_information(similarities) - chance) / math.log(len(aspects)))


def _information(similarities: Rows) -> float:
    """Mutual information of rows and columns, in nats."""
    from scipy.special import softmax

    shares = softmax(similarities, axis=1)
    return float(_entropy(shares.mean(0)) - _entropy(shares).mean())


def _entropy(shares: Rows) -> Rows:
    # 0 log 0 = 0: tiny instead of 0 in the logarithm
    return np.asarray(-(shares * np.log(np.maximum(shares, np.finfo(float).tiny))).sum(-1))
