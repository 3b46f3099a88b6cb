"""Structure of an embedding space: distances between and within classes, and how many directions it uses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices, to_numpy
from likeness.errors import InputError
from likeness.evaluation._inputs import label_codes, taken
from likeness.evaluation.class_means import class_sums

Matrix = NDArray[np.float64]
STRUCTURE = ("inter", "intra", "ratio", "spectral_decay")


def structure_metrics(embeddings: Any, labels: Any) -> dict[str, float]:
    """Properties proposed as predictors of generalization (ooDML, section 4.2; Roth et al., ICML 2020): inter, intra, ratio, spectral_decay.

    inter: mean cosine distance between class centers, the means of their rows scaled to unit length. intra: mean cosine distance between two rows of
    a class, averaged over the classes with at least two. ratio: intra / inter, the density. spectral_decay: KL(uniform || spectrum) of the singular
    values of the rows, divided by their sum; 0 if all directions are used equally, infinite if one is not used at all.

    The authors' NumPy code ignores the smallest singular value, which changes the decay by about a hundredth, and assigns a class of one row the
    larger of the first two classes' distances; here such a class is ignored. InputError: fewer than two classes, no class with two rows, rows of zero
    length or not finite.

    Args:
        embeddings: (n, d), NumPy or torch; may be memory-mapped and is read in parts. Rows are scaled to unit length.
        labels: (n,) of any hashable type; unlabeled rows (`likeness.data.has_label`) are ignored.
    """
    rows = to_numpy(embeddings)
    if rows.ndim != 2 or not rows.size:
        raise InputError(f"The embeddings have shape {rows.shape}; pass a row of finite numbers per image.")
    numbers = label_codes(labels, len(rows), "labels")
    rows, numbers = taken(rows, np.flatnonzero(numbers >= 0)), numbers[numbers >= 0]
    _check_lengths(rows)
    classes, counts = np.unique(numbers, return_counts=True)
    if len(classes) < 2 or counts.max() < 2:
        raise InputError(f"Structure needs 2 classes and a class of 2 rows; got {len(classes)} classes with at most {counts.max()} rows.")
    sums = class_sums(rows, numbers, len(classes), scale=_unit)
    norms = np.linalg.norm(sums, axis=1)
    several = counts > 1
    # over ordered pairs of a class: |sum|^2 is the sum of all cosines, including those of the n rows with themselves
    intra = float((1 - (norms[several] ** 2 - counts[several]) / (counts[several] * (counts[several] - 1.0))).mean())
    # a class whose rows cancel out has no direction; its center stays 0
    centers = sums / np.where(norms == 0, 1, norms)[:, None]
    total, own = np.square(centers.sum(axis=0)).sum(), float(np.square(centers).sum())
    inter = float(1 - (total - own) / (len(classes) * (len(classes) - 1)))
    return {"inter": inter, "intra": intra, "ratio": intra / inter if inter else float("inf"), "spectral_decay": _spectral_decay(rows)}


def _unit(rows: Matrix) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _check_lengths(rows: NDArray[Any]) -> None:
    for part in row_slices(*rows.shape):
        lengths = np.linalg.norm(rows[part].astype(np.float64), axis=1)
        if not np.isfinite(lengths).all():
            raise InputError(f"Row {part.start + int(np.isfinite(lengths).argmin())} is not finite; pass a row of finite numbers per image.")
        if lengths.min() == 0:
            raise InputError(f"Row {part.start + int(lengths.argmin())} has length 0 and no direction; remove it.")


def _spectral_decay(rows: NDArray[Any]) -> float:
    triangle: Matrix = np.empty((0, rows.shape[1]))
    for part in row_slices(*rows.shape):
        triangle = np.vstack([triangle, _unit(rows[part].astype(np.float64))])
        # R of the QR decomposition has the singular values of all rows so far, in (d, d)
        if len(triangle) > rows.shape[1]:
            triangle = np.asarray(np.linalg.qr(triangle, mode="r"))
    values = np.linalg.svd(triangle, compute_uv=False)
    share = values / values.sum()
    # the tolerance of a matrix rank: what is below is rounding, and its logarithm arbitrary
    if share[-1] <= len(share) * np.finfo(np.float64).eps:
        return float("inf")
    return float(-np.log(share * len(share)).mean())
