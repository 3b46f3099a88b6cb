"""Queue of images to review: uncertain labels, and labels that the others contradict."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import products_with_few
from likeness.errors import InputError
from likeness.spreading.spread_labels import LabelSpread

UNCERTAIN, MISTAKE = "uncertain", "mistake"
_POOL = 8  # uncertain images among which different ones are looked for, for each that is asked for
_TIMES = 2  # as probable is the class that contradicts a label
_KNOWN = 0.6  # mean probability from which on the surest images need no look
_LEAST = 1e-6  # uncertainty of an image that is not, so that those differ too


def next_to_label(found: LabelSpread, count: int = 24, *, mistakes: bool = True) -> pd.DataFrame:
    """A queue of up to `count` rows: labels that are probably wrong, then images whose label is uncertain, no near copies among them.

    A label is probably wrong where the other labels make another class at least twice as probable; the least probable come first (confident learning
    ranks so, too: Northcutt, Jiang and Chuang, JAIR 2021), and they take up to half of the queue. Uncertain is an image with a small margin between
    its two most probable classes. Of eight times as many as are asked for, the most uncertain comes first, then each time the one whose uncertainty
    times its distance to those before it (1 - cosine) is largest: farthest-first as in core sets (Sener and Savarese, ICLR 2018). Copies of one that
    was taken have a distance of 0 and come last. InputError: count < 1.

    Returns:
        Columns row, reason ("mistake" or "uncertain"), label (the most probable), confidence (its probability), margin, given (the label that was
        given, None where none was); and path where there are images.
    """
    if count < 1:
        raise InputError(f"{count} images were asked for; ask for at least 1.")
    wrong = likely_mistakes(found)[: count // 2] if mistakes else np.empty(0, np.int64)
    open_rows = uncertain_rows(found, count - len(wrong))
    rows = np.concatenate([wrong, open_rows])
    given = [found.classes[found.given[row]] if found.given[row] >= 0 else None for row in rows]
    queue = pd.DataFrame(
        {
            "row": rows,
            "reason": [MISTAKE] * len(wrong) + [UNCERTAIN] * len(open_rows),
            "label": found.classes[found.best[rows]],
            "confidence": np.take_along_axis(found.probabilities[rows], found.best[rows, None], axis=1)[:, 0],
            "margin": found.margin[rows],
            "given": pd.Series(given, dtype=object),
        }
    )
    return queue.assign(path=found.space.table.frame["path"].to_numpy()[rows]) if found.space.table.has_images else queue


def likely_mistakes(found: LabelSpread) -> NDArray[np.int64]:
    """Rows of given labels that the other labels contradict: another class is at least twice as probable. The least probable label comes first."""
    best = found.probabilities.max(axis=1)
    rows = np.flatnonzero((found.given >= 0) & (best >= _TIMES * found.confidence))
    return np.asarray(rows[np.argsort(found.confidence[rows], kind="stable")])


def uncertain_rows(found: LabelSpread, count: int) -> NDArray[np.int64]:
    """Rows of different images without a label, the most uncertain first in the choice; fewer where fewer have none."""
    rows = np.flatnonzero(found.given < 0)
    rows = rows[np.argsort(found.margin[rows], kind="stable")][: _POOL * count]
    if len(rows) <= count:
        return rows
    vectors, uncertain = found.space.vectors[rows], 1 - found.margin[rows].astype(np.float64) + _LEAST
    chosen, apart = [0], np.full(len(rows), 2.0)
    for _ in range(count - 1):
        apart = np.minimum(apart, 1 - products_with_few(vectors, vectors[chosen[-1:]])[:, 0])
        apart[chosen[-1]] = -1
        chosen.append(int((np.maximum(apart, 0) * uncertain + np.where(apart < 0, -1, 0)).argmax()))
    return np.asarray(rows[chosen])


def label_screens(found: LabelSpread, size: int = 24) -> list[NDArray[np.int64]]:
    """Groups of up to `size` unlabeled images with the same predicted label, to be confirmed at a glance.

    Each class's images are dealt to screens in the order of their probability, and the screens are sorted by their mean. The most probable come first
    as long as the labels of images without a given one are less than .6 probable in the mean: those that are sure are confirmed with few corrections
    and teach the others. Later, only those that are not need a look. InputError: size < 1.
    """
    if size < 1:
        raise InputError(f"A screen of {size} images was asked for; ask for at least 1.")
    rows = np.flatnonzero(found.given < 0)
    sign = -1 if len(rows) and float(found.confidence[rows].mean()) < _KNOWN else 1
    rows = rows[np.lexsort((sign * found.confidence[rows], found.numbers[rows]))]
    numbers = found.numbers[rows]
    place = np.arange(len(rows)) - np.searchsorted(numbers, numbers)
    screens = np.split(rows, np.flatnonzero(place[1:] % size == 0) + 1) if len(rows) else []
    return sorted(screens, key=lambda screen: sign * float(found.confidence[screen].mean()))
