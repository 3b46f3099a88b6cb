"""How an embedding space is built: how far classes lie apart, how tight they are, how many directions it uses."""

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
    """Properties that were thought to tell how well a space generalizes (ooDML, section 4.2; Roth et al., ICML 2020): inter, intra, ratio,
    spectral_decay.

    inter: mean cosine distance between two class centres, the means of their rows scaled to unit length. intra: mean cosine distance between two rows
    of a class, averaged over the classes that have two. ratio: intra / inter, the density. spectral_decay: KL(uniform || spectrum) of all singular
    values of the rows, divided by their sum; 0 where every direction is used alike, and infinite where one is not used at all.

    The authors' NumPy code leaves the smallest singular value out, which changes the decay by about a hundredth, and gives a class of one row the
    larger of the first two classes' distances; here it is left out.

    Args:
        embeddings: (n, d), NumPy or torch; may be memory-mapped, a part is worked on at a time. Rows are scaled to unit length.
        labels: (n,) of any hashable kind; rows without one (`likeness.data.has_label`) take no part.

    Raises:
        InputError: fewer than two classes, no class with two rows, rows of zero length or not finite.
    """
    rows = to_numpy(embeddings)
    if rows.ndim != 2 or not rows.size:
        raise InputError(f"The embeddings have shape {rows.shape}; give a row of finite numbers per image.")
    numbers = label_codes(labels, len(rows), "labels")
    rows, numbers = taken(rows, np.flatnonzero(numbers >= 0)), numbers[numbers >= 0]
    _check_lengths(rows)
    classes, counts = np.unique(numbers, return_counts=True)
    if len(classes) < 2 or counts.max() < 2:
        raise InputError(f"{len(classes)} classes with {counts.max()} rows at most; the structure of a space needs two classes, and two rows in one.")
    sums = class_sums(rows, numbers, len(classes), scale=_unit)
    norms = np.linalg.norm(sums, axis=1)
    several = counts > 1
    # over ordered pairs of a class: |sum|^2 is the sum of all its cosines, those of n rows with themselves included
    intra = float((1 - (norms[several] ** 2 - counts[several]) / (counts[several] * (counts[several] - 1.0))).mean())
    centres = sums / np.where(norms == 0, 1, norms)[:, None]
    total, own = np.square(centres.sum(axis=0)).sum(), float(np.square(centres).sum())
    inter = float(1 - (total - own) / (len(classes) * (len(classes) - 1)))
    return {"inter": inter, "intra": intra, "ratio": intra / inter if inter else float("inf"), "spectral_decay": _spectral_decay(rows)}


def _unit(rows: Matrix) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _check_lengths(rows: NDArray[Any]) -> None:
    for part in row_slices(*rows.shape):
        lengths = np.linalg.norm(rows[part].astype(np.float64), axis=1)
        if not np.isfinite(lengths).all():
            raise InputError(f"Row {part.start + int(np.isfinite(lengths).argmin())} is not finite; give a row of finite numbers per image.")
        if lengths.min() == 0:
            raise InputError(f"Row {part.start + int(lengths.argmin())} has length 0 and so no direction; take it out.")


def _spectral_decay(rows: NDArray[Any]) -> float:
    triangle: Matrix = np.empty((0, rows.shape[1]))
    for part in row_slices(*rows.shape):
        triangle = np.vstack([triangle, _unit(rows[part].astype(np.float64))])
        if len(triangle) > rows.shape[1]:
            triangle = np.asarray(np.linalg.qr(triangle, mode="r"))
    values = np.linalg.svd(triangle, compute_uv=False)
    share = values / values.sum()
    if share[-1] <= len(share) * np.finfo(np.float64).eps:
        return float("inf")
    return float(-np.log(share * len(share)).mean())
