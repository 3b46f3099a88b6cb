"""Class scores of all images from a few labels, by graph propagation or a linear probe, with held-out scores of the labeled images."""

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.progress import Progress, report_progress
from likeness.spreading.given_labels import GivenLabels, held_out_groups
from likeness.spreading.neighbor_graph import neighbor_graph, normalized_graph, propagate

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from likeness.space import Space

Floats = NDArray[np.float64]

_MOST_COLUMNS = 300  # one for each part of the labels that spreads by itself
_AT_ONCE = 64  # columns that are solved for, so that what a step reads stays in the processor's cache
_FEWEST_GROUPS, _PROBE_GROUPS = 3, 3
_SELECTION_GROUPS = 12  # of the probe: what was labeled in one go is held out as a whole, so that with few selections nearly each is one by itself
_FLOOR = 1e-3  # share of all classes together that is not by the graph: it has seen no image of most
_C = 0.1


class ClassScores(NamedTuple):
    """Log scores of classes.

    Attributes:
        all: (n, c) of all images, from all labels.
        held_out: (m, c) of the labeled images, each from labels without its own and those of its group.
        apart: (m, c) the same, from labels without any that was given together with its own.
        apart_groups: (m,) what was held out at once for that.
    """

    all: Floats
    held_out: Floats
    apart: Floats
    apart_groups: NDArray[np.int64]


def propagation_scores(
    space: "Space", given: GivenLabels, together: NDArray[Any] | None = None, *, seed: int = 0, progress: Progress | None = None
) -> ClassScores:
    """Scores by `propagate`: shares of the classes in each image's row, equal where no label reaches it.

    What spreads is a sum over labels, so each group of labels spreads by itself: all together are the scores of all images, all but one group what
    the others say of its images. `together` (m,): equal for labels that were given in one go; None where nothing is known of that.
    """
    graph = normalized_graph(neighbor_graph(space, progress=progress))
    rows, c = given.rows, len(given.classes)
    numbers = given.numbers[rows]
    most = max(_FEWEST_GROUPS, _MOST_COLUMNS // c)
    groups = held_out_groups(numbers, most if len(rows) > _MOST_COLUMNS else _MOST_COLUMNS, seed)
    everything, held_out = _spread_parts(graph, given, groups)
    apart, apart_groups = held_out, groups
    if together is not None:
        apart_groups = held_out_groups(numbers, most, seed, together)
        _, apart = _spread_parts(graph, given, apart_groups)
    return ClassScores(_log_shares(everything), _log_shares(held_out), _log_shares(apart), apart_groups)


def _spread_parts(graph: "csr_array", given: GivenLabels, groups: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Scores (n, c) of all images from all labels, and (m, c) of the labeled ones from the labels of other groups."""
    rows, c = given.rows, len(given.classes)
    numbers, n = given.numbers[rows], len(given.numbers)
    parts, column = np.unique(groups * c + numbers, return_inverse=True)
    everything, held_out = (np.zeros((count, c), np.float32, order="F") for count in (n, len(rows)))  # written column by column
    for begin in range(0, len(parts), _AT_ONCE):
        some = parts[begin : begin + _AT_ONCE]
        starts, inside = np.zeros((n, len(some)), np.float32), (column >= begin) & (column < begin + _AT_ONCE)
        starts[rows[inside], column[inside] - begin] = 1
        for part, spread in zip(some, propagate(graph, starts).T, strict=True):
            everything[:, part % c] += spread
            held_out[:, part % c] += np.where(groups == part // c, 0, spread[rows])  # nothing from an image's own group
    return everything, held_out


def probe_scores(
    space: "Space", given: GivenLabels, together: NDArray[Any] | None = None, *, seed: int = 0, progress: Progress | None = None
) -> ClassScores:
    """Log probabilities by scikit-learn's LogisticRegression on the space's vectors, each dimension scaled to deviation 1 over all images. Of a class
    with a single label the held-out score is that of a class never seen: the lowest of the image. `together` as in `propagation_scores`.
    """
    rows = given.rows
    numbers, c = given.numbers[rows], len(given.classes)
    deviation = space.vectors.std(axis=0)
    scaled = (space.vectors - space.vectors.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    groups = [held_out_groups(numbers, _PROBE_GROUPS, seed)]
    if together is not None:
        groups.append(held_out_groups(numbers, _SELECTION_GROUPS, seed, together))
    total = 1 + sum(len(np.unique(each)) for each in groups)
    numbered = iter(range(1, total + 1))

    def fit(kept: NDArray[np.bool_], read: NDArray[np.float32]) -> Floats:
        report_progress(progress, next(numbered), total)
        return _probed(scaled[rows[kept]], numbers[kept], read, c)

    held_out = [np.zeros((len(rows), c)) for _ in groups]
    for scores, each in zip(held_out, groups, strict=True):
        for group in np.unique(each):
            scores[each == group] = fit(each != group, scaled[rows[each == group]])
    return ClassScores(fit(np.ones(len(rows), np.bool_), scaled), held_out[0], held_out[-1], groups[-1])


def _probed(rows: NDArray[np.float32], numbers: NDArray[np.int64], read: NDArray[np.float32], c: int) -> Floats:
    """Log probabilities (r, c) of the rows that are read; classes that have no label here share what little is left."""
    present, shares = np.unique(numbers), np.zeros((len(read), c))
    if len(present) < 2:
        # a probe needs two classes; with one it is certain
        shares[:, present] = 1
        return _log_shares(shares)
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():  # that labels are few is nothing to warn of here
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        fitted = LogisticRegression(C=_C, tol=1e-3, max_iter=200).fit(rows, numbers)
    shares[:, present] = fitted.predict_proba(read)
    return _log_shares(shares)


def _log_shares(scores: NDArray[np.floating]) -> Floats:
    """Logarithm of each row's shares (n, c), of which a thousandth is dealt to all classes alike; rows of zeros to each the same."""
    shares = np.array(scores, np.float64, order="C")
    c, sums = shares.shape[1], shares.sum(axis=1, keepdims=True)
    np.divide(shares, sums, out=shares, where=sums > 0)
    shares[sums[:, 0] <= 0] = 1 / c
    # a floor: the logarithm stays finite, and no class is excluded for sure
    shares *= 1 - _FLOOR
    shares += _FLOOR / c
    return np.asarray(np.log(shares, out=shares))
