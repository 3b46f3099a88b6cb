"""MPII Human Pose: the distances between poses that come with the images (Kim et al., CVPR 2019, section 4.3)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from likeness.data import MPII, MPII_DISTANCES, ImageTable, check_mpii_shape, mpii_image_parts
from likeness.errors import InputError
from likeness.io import PlainUnpickler, regular_file
from likeness.labels.kind import LabelKind
from likeness.labels.matrix import PartLabels

Matrix = NDArray[np.float32]
_TRAIN = "dist_pose_trn"
_LISTS = ("list_nn.pkl", "dist_nn.pkl")
# Distances may be off by so much of the largest, one way and the other and on the diagonal: how they were rounded is not published.
_ROUNDING = 1e-3
_BLOCK = 1024
_MOST_OF_A_MEAN = 150.0  # px


def mpii_labels(table: ImageTable) -> PartLabels:
    """Distances between poses of the images of `read_mpii_pose`, in pixels of the 288 px images.

    Section 4.3 defines them as sums over joints, but the authors' program prints them as mean joint distances. `unit` says which of the two the file
    has, by its median: two random people, mostly in the middle of the image, differ by some tens of pixels per joint, and by fifteen times that in
    the sum over 14 to 16 joints. So a median below 150 px is taken for a mean. The log-ratio loss does not depend on it, nDCG
    does.

    They are known among the training and among the test images. Those of the training images come from `dist_pose_trn.mat` (variable `dist_pose_trn`)
    where it is there, otherwise from the lists. Rounding errors up to a thousandth of the largest distance are removed: both directions get their
    mean, the diagonal 0. Memory: 4 bytes per pair, 0.6 GB for training and 0.4 GB for test. InputError: another table, a missing or damaged file,
    lists that leave out an image, or distances that are not finite, negative, or not symmetric.
    """
    if not MPII.is_root(table.root):
        raise InputError(f"'{table.name}' has no '{MPII_DISTANCES}.mat'; read {MPII.name} as mpii-pose:FOLDER, or name another kind of label.")
    images = dict(zip(("train", "test"), mpii_image_parts(table.root), strict=True))
    where = {path: (name, place) for name, paths in images.items() for place, path in enumerate(paths)}
    unknown = [path for path in table.frame["path"] if path not in where]
    if unknown:
        raise InputError(f"'{unknown[0]}' of '{table.name}' is in neither folder of {MPII.name}, and {len(unknown) - 1} more; leave them out.")
    found = [where[path] for path in table.frame["path"]]
    names = [name for name in images if any(name == each for each, _ in found)]
    matrices = {name: _matrix(table.root, name, len(images[name])) for name in names}
    first = next(iter(matrices.values()))
    some = first[:: max(1, len(first) // 1000), :: max(1, len(first) // 1000)]  # up to a million distances
    unit = "px, mean of joints" if np.median(some[some > 0]) < _MOST_OF_A_MEAN else "px, sum over joints"
    return PartLabels(matrices, np.array([names.index(name) for name, _ in found]), np.array([place for _, place in found]), unit)


def _matrix(root: Path, part: str, count: int) -> Matrix:
    if part == "test":
        return _from_mat(MPII.find(root, f"{MPII_DISTANCES}.mat"), MPII_DISTANCES, count, part)
    if (root / f"{_TRAIN}.mat").is_file():
        return _from_mat(root / f"{_TRAIN}.mat", _TRAIN, count, part)
    return _from_lists(root, count)


def _from_mat(file: Path, variable: str, count: int, part: str) -> Matrix:
    given = MPII.variable(file, variable)
    check_mpii_shape(file, given.shape, count, part)
    if given.dtype.kind not in "fiu":
        raise InputError(f"'{variable}' in '{file.name}' of {MPII.name} has type {given.dtype}, expected numbers; take it anew from {MPII.page}.")
    return _evened(given.astype(np.float32), file)


def _from_lists(root: Path, count: int) -> Matrix:
    """Rows of the lists are the indices of the other images, rows of the distances their distances."""
    lists, distances = (MPII.find(root, name) for name in _LISTS)
    others = _list(lists, count, np.int32, "iu")
    foreign = others[(others < 0) | (others >= count)]
    if foreign.size:
        raise InputError(f"'{lists.name}' of {MPII.name} names image {foreign[0]}, and there are {count} from 0; take it anew from {MPII.page}.")
    values = _list(distances, count, np.float32, "fiu")
    wrong = np.argwhere(~(values >= 0) | np.isinf(values))
    if wrong.size:
        row, place = wrong[0]
        raise _uneven(distances, (row, others[row, place]), f"{values[row, place]:g}, expected a number of 0 or more")
    # NaN marks entries that no list names
    matrix = np.full((count, count), np.nan, dtype=np.float32)
    for row in range(count):
        matrix[row, others[row]] = values[row]
        # a list that names its own image leaves another one out
        matrix[row, row] = 0 if np.isnan(matrix[row, row]) else np.nan
    left = np.argwhere(np.isnan(matrix))
    if left.size:
        raise InputError(f"Row {left[0][0]} of '{lists.name}' of {MPII.name} does not name the others once each; take it anew from {MPII.page}.")
    return _evened(matrix, distances)


def _list(file: Path, count: int, dtype: DTypeLike, kinds: str) -> NDArray[Any]:
    """The training part of a pickle (count, count - 1), in the smallest dtype; the rest is freed."""
    try:
        with regular_file(file).open("rb") as opened:
            content = PlainUnpickler(opened).load()
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"'{file.name}' of {MPII.name} cannot be read ({reason}); take it anew from {MPII.page}.") from error
    except Exception as error:  # whatever a damaged pickle does to its reader
        raise InputError(f"'{file.name}' of {MPII.name} is no pickle of plain arrays: {error}; take it anew from {MPII.page}.") from error
    if not isinstance(content, dict) or "trn" not in content:
        raise InputError(f"'{file.name}' of {MPII.name} has no key 'trn'; take it anew from {MPII.page}.")
    try:
        rows: NDArray[Any] = np.asarray(content["trn"])
        rows = np.stack(list(rows)) if rows.dtype == object and rows.size else rows
    except (TypeError, ValueError) as error:
        raise InputError(f"'trn' in '{file.name}' of {MPII.name} is no array ({error}); take it anew from {MPII.page}.") from error
    if rows.shape != (count, count - 1) or rows.dtype.kind not in kinds:
        raise InputError(
            f"'trn' in '{file.name}' of {MPII.name} has shape {rows.shape} and type {rows.dtype}, and there are {count} training images, expected "
            f"{(count, count - 1)}; unpack all images and take the files anew from {MPII.page}."
        )
    return rows.astype(dtype)


def _evened(matrix: Matrix, file: Path) -> Matrix:
    """Makes the matrix exactly symmetric, with zero diagonal, in place and in blocks."""
    lowest, largest = float(matrix.min()), float(matrix.max())
    if not 0 <= lowest <= largest < np.inf:
        wrong = np.argwhere(~(matrix >= 0) | np.isinf(matrix))[0]
        raise _uneven(file, wrong, f"{matrix[tuple(wrong)]:g}, expected a number of 0 or more")
    own = np.flatnonzero(np.diagonal(matrix) > _ROUNDING * largest)
    if own.size:
        raise _uneven(file, (own[0], own[0]), f"{matrix[own[0], own[0]]:g}, expected 0")
    starts = range(0, len(matrix), _BLOCK)
    # in blocks: a transposed copy of the whole matrix would double the memory
    for row, column in ((row, column) for row in starts for column in starts if column >= row):
        ours, theirs = matrix[row : row + _BLOCK, column : column + _BLOCK], matrix[column : column + _BLOCK, row : row + _BLOCK].T
        wrong = np.argwhere(np.abs(ours - theirs) > _ROUNDING * largest)
        if wrong.size:
            there, back = ours[tuple(wrong[0])], theirs[tuple(wrong[0])]
            raise _uneven(file, wrong[0] + (row, column), f"{there:g} one way and {back:g} the other, expected the same")
        mean = (ours + theirs) / 2
        ours[:], theirs[:] = mean, mean
    np.fill_diagonal(matrix, 0)
    return matrix


def _uneven(file: Path, pair: Any, what: str) -> InputError:
    return InputError(f"In '{file.name}' of {MPII.name}, the distance of images {pair[0]} and {pair[1]} is {what}; take it anew from {MPII.page}.")


KIND = LabelKind(
    "mpii",
    "the distances between poses that come with MPII Human Pose",
    lambda table, options, progress: mpii_labels(table),
    lambda table: {"Pose": {}} if MPII.is_root(table.root) else {},
)
