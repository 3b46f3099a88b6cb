"""Pseudolabels: the k best ImageNet names of a class or an image, and language similarities from them.

They are stored in CSV files, computed once by any classifier and read by runs without one.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import is_torch, to_numpy
from likeness.errors import InputError, check_known
from likeness.io import as_path, assets_dir, csv_bytes, csv_rows, text_of, write_atomic

SHIPPED_PSEUDOLABELS = "synthetic-cars"
Average = Literal["softmax", "logits"]
Variant = Literal["mean", "multi", "dense", "dense+multi"]


def top_pseudolabels(logits: Any, labels: Any = None, k: int = 5, average: Average = "softmax") -> NDArray[np.int64]:
    """The k names with the highest outputs, best first (Sec. 3.3 of "Integrating Language Guidance", Roth et al. 2022).

    InputError: shapes do not fit, outputs are not finite, or k is not between 1 and m.

    Args:
        logits: (n, m) raw outputs of a classifier for n images, NumPy or torch.
        labels: (n,) class of each image: one row per class, the paper's class-level pseudolabels. None: one row per image ("Sample" of Table S3).
        k: how many; the paper finds 5 to 10 best.
        average: what is averaged within a class: "softmax" outputs (the paper) or the raw "logits" (the authors' code). For single images both give
            the same.

    Returns:
        (classes, k) int64 in ascending order of the labels, or (n, k). Of equal outputs the lower index comes first.
    """
    from scipy.special import softmax

    outputs = to_numpy(logits).astype(np.float64)
    if outputs.ndim != 2 or not outputs.size or not np.isfinite(outputs).all():
        raise InputError(f"The classifier's outputs have shape {outputs.shape} or are not finite; give finite numbers of shape (images, names).")
    if not 1 <= k <= outputs.shape[1]:
        raise InputError(f"Expected k between 1 and the {outputs.shape[1]} names, got {k}; choose another number of pseudolabels.")
    check_known("average", average, get_args(Average))
    if labels is not None:
        classes = to_numpy(labels)
        if classes.shape != (len(outputs),):
            raise InputError(f"The labels have shape {classes.shape}, the outputs {outputs.shape}; give one label per image.")
        outputs = class_means(softmax(outputs, axis=1) if average == "softmax" else outputs, classes)
    return np.argsort(-outputs, axis=1, kind="stable")[:, :k].astype(np.int64)


def names_in_use(topk: Any, names: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The names used as pseudolabels, and `topk` (n, k) as indices into them, so that only these are embedded. Raises InputError if an index is out
    of range, or `topk` is not an integer array (n, k).
    """
    used, indices = np.unique(_checked(topk, len(names)), return_inverse=True)
    return [names[index] for index in used], indices.reshape(to_numpy(topk).shape).astype(np.int64)


def pseudolabel_similarities(topk: Any, name_similarities: Any, variant: Variant = "mean") -> Any:
    """Similarities of items (classes, or images of a batch) by their pseudolabels: the language side of Eq. 5 and its variants (Table S3).

    With S the similarities of names and t_i^a the a-th pseudolabel of item i:

    - "mean": Eq. 5, the mean over j of S[t_i^j, t_j'^j], ranks matched; ones on the diagonal and between items with equal lists.
    - "multi": these k matrices, to be distilled jointly.
    - "dense": the mean over all k x k pairings of ranks, S[t_i^a, t_j^b].
    - "dense+multi": these k x k matrices, pairing (a, b) at a * k + b; those with a != b are not symmetric.

    "Sample" is any of them with rows per image. For training, compute the table over all classes once and gather each batch from it
    (`batch_similarities`). InputError: the variant is unknown, shapes do not fit, or an index is outside the names.

    Args:
        topk: (n, k) indices into the names, best first, as `top_pseudolabels` gives them; NumPy or torch.
        name_similarities: (m, m) similarities of the names (`class_similarities`), NumPy or torch; its kind, precision and device are the result's.

    Returns:
        (n, n), or (k, n, n) for "multi" and (k * k, n, n) for "dense+multi".
    """
    check_known("variant", variant, get_args(Variant))
    names, shape = name_similarities, tuple(name_similarities.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"The similarities of names have shape {shape}; give a square matrix, a row and a column per name.")
    ranks = _checked(topk, shape[0])
    if not is_torch(names):
        return _matrices(np.asarray(names), ranks, variant, np.stack)
    import torch

    if _numpy_is_faster(names):
        return torch.from_numpy(_matrices(names.numpy(), ranks, variant, np.stack))
    return _matrices(names, torch.as_tensor(ranks, device=names.device), variant, torch.stack)


def batch_similarities(table: Any, rows: Any) -> Any:
    """The matrices of a batch, (b, b) or (x, b, b), gathered from a table over all classes or images; of the table's kind.

    Args:
        table: (c, c) or (x, c, c), NumPy or torch: from `class_similarities` or `pseudolabel_similarities`.
        rows: (b,) row of each image in the table: its class, counted in ascending order of the labels; of the table's kind and device.
    """
    if not is_torch(table):
        return _gathered(np.asarray(table), to_numpy(rows), to_numpy(rows))
    import torch

    if _numpy_is_faster(table):
        return torch.from_numpy(_gathered(table.numpy(), to_numpy(rows), to_numpy(rows)))
    return _gathered(table, rows, rows)


def _numpy_is_faster(tensor: Any) -> bool:
    """torch splits even small gathers over threads: on two busy cores a 112 x 112 matrix takes 8 ms, and 0.06 ms with NumPy."""
    return bool(tensor.device.type == "cpu" and not tensor.requires_grad)


def _gathered(matrix: Any, first: Any, second: Any) -> Any:
    """Entries (first_i, second_j) of the last two dimensions, all of one kind of array."""
    return matrix[..., first[:, None], second[None, :]]


def _matrices(names: Any, ranks: Any, variant: str, stack: Callable[[list[Any]], Any]) -> Any:
    """The matrices S[t_i^a, t_j^b] of the variant's pairs of ranks, stacked or averaged; arrays all of one kind."""
    k = ranks.shape[1]
    pairs = [(a, a) for a in range(k)] if variant in ("mean", "multi") else [(a, b) for a in range(k) for b in range(k)]
    matrices = (_gathered(names, ranks[:, a], ranks[:, b]) for a, b in pairs)
    return sum(matrices) / len(pairs) if variant in ("mean", "dense") else stack(list(matrices))


def _checked(topk: Any, n_names: int) -> NDArray[np.int64]:
    ranks = to_numpy(topk)
    if ranks.ndim != 2 or not ranks.size or ranks.dtype.kind not in "iu":
        raise InputError(f"The pseudolabels have shape {ranks.shape}, type {ranks.dtype}; give whole numbers of shape (items, k).")
    if ranks.min() < 0 or ranks.max() >= n_names:
        raise InputError(f"A pseudolabel is {ranks.min() if ranks.min() < 0 else ranks.max()}, but there are {n_names} names; give all names.")
    return ranks.astype(np.int64)


def class_means(outputs: NDArray[np.float64], labels: NDArray[Any]) -> NDArray[np.float64]:
    """Means (classes, m) of rows (n, m), classes in ascending order."""
    classes, rows = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(classes), outputs.shape[1]))
    np.add.at(sums, rows, outputs)
    return np.asarray(sums / np.bincount(rows)[:, None])


def read_pseudolabels(file: str) -> dict[str, list[str]]:
    """The names of each class, best first. `file` is a CSV file with a line per class, the class and then its names; or "synthetic-cars": those of
    Synthetic Cars by color and body type. Raises InputError for a missing file, one that is not text, or a class that is listed twice or has no
    names.
    """
    path = assets_dir() / "pseudolabels" / "synthetic-cars.csv" if file == SHIPPED_PSEUDOLABELS else as_path(file)
    found: dict[str, list[str]] = {}
    for name, *labels in csv_rows(text_of(path)):
        if name in found or (name and not any(labels)):
            raise InputError(
                f"The pseudolabels '{path.name}' have the class '{name}' {'twice' if name in found else 'without a name'}; correct its line."
            )
        if name:
            found[name] = [label for label in labels if label]
    if not found:
        raise InputError(f"The pseudolabels '{path.name}' are empty; give a line per class: the class, then its names, best first.")
    return found


def write_pseudolabels(file: Path, labels: Mapping[str, Sequence[str]]) -> None:
    """Writes a file for `read_pseudolabels`."""
    columns = zip_longest(*([name, *names] for name, names in labels.items()), fillvalue="")
    write_atomic(file, csv_bytes(pd.DataFrame(dict(enumerate(map(list, columns)))), header=False))


def pseudolabels_of(classes: Sequence[str], labels: Mapping[str, Sequence[str]], k: int) -> list[list[str]]:
    """The k best names of each class, in the order of the classes; raises InputError for a class without pseudolabels, or with fewer than k."""
    for name in classes:
        if len(labels.get(name, ())) < k:
            problem = f"has {len(labels[name])}" if name in labels else "has none"
            raise InputError(f"k is {k}, but the class '{name}' {problem} in the file of pseudolabels; add them, or lower guidance.k.")
    return [list(labels[name][:k]) for name in classes]
