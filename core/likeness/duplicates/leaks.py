"""Find copies between two sets of images that should be disjoint, such as train and test."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable, image_classes
from likeness.duplicates.near_copies import near_copies
from likeness.duplicates.pairs import NearPairs
from likeness.space import Space


def leaks(train: Space, test: Space, threshold: float, **options: Any) -> pd.DataFrame:
    """The test images that have copies among the training images, by the same encoder and notion: a row per image, the nearest first.

    Args:
        options: of `near_copies` (exact, seed, progress).

    Returns:
        Columns row, copies (how many training images reach the threshold), nearest (the row of the most similar one), similarity; and path and
        nearest_path where there are images. `frame.attrs["message"]` says how many pairs were found.

    Raises:
        InputError: as `near_copies`.

    Example:
        >>> import numpy as np, likeness as lk
        >>> train, test = lk.Space(np.eye(3)), lk.Space(np.array([[1.0, 1.0, 0.0], [0.0, 0.01, 1.0]]))
        >>> leaks(train, test, 0.9)[["row", "copies", "nearest"]].to_numpy().tolist()
        [[1, 1, 2]]
    """
    pairs = near_copies(test, threshold, train, **options)
    return _frame(pairs, pairs.rows, pairs.similarities, test.table, train.table)


def leaks_by(pairs: NearPairs, table: ImageTable, attribute: str) -> pd.DataFrame:
    """As `leaks`, of pairs within a table's images (`near_copies`): images with copies under another value of an attribute, such as "split", or a
    class with inconsistent labels; with value and nearest_value. Images without the attribute are skipped.

    Raises:
        InputError: no such attribute, or one that no image has.
    """
    classes = image_classes(table, attribute)
    values, labels = np.array([*classes.names, None], dtype=object)[classes.labels], classes.labels
    rows, similarities = np.concatenate([pairs.rows, pairs.rows[:, ::-1]]), np.concatenate([pairs.similarities, pairs.similarities])
    apart = (labels[rows[:, 0]] != labels[rows[:, 1]]) & (labels[rows] >= 0).all(axis=1)
    found = _frame(pairs, rows[apart], similarities[apart], table, table)
    found.insert(1, "value", values[found["row"]])
    found["nearest_value"] = values[found["nearest"]]
    return found


def rarer_side(pairs: NearPairs, table: ImageTable, attribute: str) -> NDArray[np.int64]:
    """Ascending rows to drop so that no copies under different values remain: of each pair the image with the rarer value.

    Example:
        >>> import numpy as np, likeness as lk
        >>> from likeness.duplicates import near_copies
        >>> space = lk.Space(np.array([[1.0, 0.0], [1.0, 0.01], [0.0, 1.0]]), labels={"split": ["test", "train", "train"]})
        >>> rarer_side(near_copies(space, 0.99), space.table, "split").tolist()
        [0]
    """
    labels = image_classes(table, attribute).labels
    counts = np.bincount(labels[labels >= 0])
    place = np.empty(len(counts), np.int64)
    place[np.lexsort((np.arange(len(counts)), -counts))] = np.arange(len(counts))
    rows = pairs.rows[(labels[pairs.rows] >= 0).all(axis=1)]
    first, second = place[labels[rows]].T
    return np.unique(np.concatenate([rows[first > second, 0], rows[second > first, 1]]))


def _frame(pairs: NearPairs, rows: NDArray[np.int64], similarities: NDArray[np.float32], table: ImageTable, other: ImageTable) -> pd.DataFrame:
    """A row per image of the first side."""
    order = np.lexsort((rows[:, 1], -similarities, rows[:, 0]))
    image, begins, counts = np.unique(rows[order, 0], return_index=True, return_counts=True)
    nearest, similarity = rows[order[begins], 1], similarities[order[begins]]
    frame = pd.DataFrame({"row": image, "copies": counts, "nearest": nearest, "similarity": similarity})
    if table.has_images and other.has_images:
        frame["path"], frame["nearest_path"] = table.frame["path"].to_numpy()[image], other.frame["path"].to_numpy()[nearest]
    frame = frame.sort_values(["similarity", "row"], ascending=[False, True], ignore_index=True)
    frame.attrs["message"] = pairs.message
    return frame
