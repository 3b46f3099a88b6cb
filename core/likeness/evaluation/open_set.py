"""Open-set identification: which item of a gallery does a query show, or none of them? Thresholds, rates, and the number of items."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import as_unit_rows
from likeness.errors import InputError

Floats = NDArray[np.floating[Any]]
Rows = NDArray[np.int64]
_SECOND = 0.5  # weight of the second item
_BLOCK_BYTES = 64_000_000
_RATES = (0.0003, 0.001, 0.003, 0.01, 0.03)  # false-accept rates of pairs, of which the one that tells most counts items
_MOST = 3_000  # rows whose pairs give these rates


@dataclass(frozen=True)
class OpenSet:
    """Answers to queries: scores (q,); right (q,), whether the best item is the query's; known (q,), whether the gallery has that one.

    Example:
        >>> found = OpenSet(np.array([0.9, 0.8, 0.3, 0.5]), np.array([True, False, True, False]), np.array([True, True, True, False]))
        >>> round(found.auroc, 3), round(found.dir_at(0), 3), round(found.aurc, 3)
        (0.667, 0.333, 0.417)
    """

    scores: Floats
    right: NDArray[np.bool_]
    known: NDArray[np.bool_]

    def curve(self) -> pd.DataFrame:
        """A row per score from which on queries may be accepted, best first, with its rates; those of no queries are NaN.

        threshold; far: accepted share of unknown queries; tar: of known ones; dir: share of known ones accepted with the right item (detection and
        identification rate; Phillips, Grother and Micheals, 2011); coverage: share of queries that are answered; accuracy: share of these that
        are right (1 - risk; El-Yaniv and Wiener, JMLR 2010).
        """
        order = np.argsort(-self.scores, kind="stable")
        last = np.append(np.diff(self.scores[order]) != 0, True)
        accepted, unknown, known, right = (
            np.cumsum(mask[order])[last] for mask in (np.ones(len(order)), ~self.known, self.known, self.right & self.known)
        )
        with np.errstate(invalid="ignore"):
            rates = {"far": unknown / unknown[-1], "tar": known / known[-1], "dir": right / known[-1]}
        return pd.DataFrame({"threshold": self.scores[order][last], **rates, "coverage": accepted / len(order), "accuracy": right / accepted})

    @property
    def auroc(self) -> float:
        """How often a known query scores higher than an unknown one, ties as half."""
        found = self.curve()
        return float(np.trapezoid(np.append(0, found["tar"]), np.append(0, found["far"])))

    @property
    def aurc(self) -> float:
        """Area under the risk-coverage curve: the mean share of wrong answers over all numbers of answers."""
        found = self.curve()
        return float(((1 - found["accuracy"]) * np.diff(found["coverage"], prepend=0)).sum())

    def dir_at(self, far: float) -> float:
        """The largest `dir` at which at most this share of unknown queries is accepted."""
        found = self.curve()
        return float(found.loc[found["far"] <= far, "dir"].max()) if (found["far"] <= far).any() else 0.0


class Threshold(NamedTuple):
    """A score above which queries are accepted, the false-accept rate that was asked for, and the 95 % interval of that of as many further items."""

    value: float
    far: float
    low: float
    high: float


class ItemCount(NamedTuple):
    """The estimated number of items with its 95 % interval; `components`, the plain count of groups of images that the threshold joins."""

    items: float
    low: float
    high: float
    components: int


def best_items(queries: Any, gallery: Any, items: Any, own: Any = None) -> tuple[Rows, Floats, Rows]:
    """The three best items of each query: numbers (q, 3), cosine similarities (q, 3) to the nearest image of each, and the rows (q,) of the best.

    Exact, ties in order of items, which are numbered in sorted order, and of rows; a block of similarities takes 64 MB. `own` (q,): a row that each
    query does not find. Missing items have -inf. InputError: as `likeness.search.nearest`, or other numbers of items.
    """
    given, rows = as_unit_rows(queries, "The queries"), as_unit_rows(gallery, "The gallery")
    names = pd.Series(np.asarray(items)) if len(items) == len(rows) else pd.Series(dtype=object)
    if given.shape[1] != rows.shape[1] or len(names) != len(rows):
        raise InputError(
            f"The vectors are {given.shape}, with a gallery of {rows.shape} and {len(items)} items; pass rows of one encoder, each with its item."
        )
    codes = pd.factorize(names, sort=True)[0]
    order = np.argsort(codes, kind="stable")
    place, starts = np.argsort(order), np.flatnonzero(np.diff(codes[order], prepend=-1))
    rows, width = rows[order], max(3, len(starts))
    found, similarities, nearest = np.zeros((len(given), 3), np.int64), np.full((len(given), 3), -np.inf, np.float32), np.zeros(len(given), np.int64)
    size = max(1, _BLOCK_BYTES // (4 * len(rows)))
    for begin in range(0, len(given), size):
        part = slice(begin, begin + size)
        products = given[part] @ rows.T
        numbers = np.arange(len(products))
        if own is not None:
            products[numbers, place[own[part]]] = -np.inf
        nearest[part] = order[products.argmax(axis=1)]
        best = np.full((len(products), width), -np.inf, np.float32)
        best[:, : len(starts)] = np.maximum.reduceat(products, starts, axis=1)
        for rank in range(3):
            found[part, rank] = best.argmax(axis=1)
            similarities[part, rank] = best[numbers, found[part, rank]]
            best[numbers, found[part, rank]] = -np.inf
    return found, similarities, nearest


def known_scores(similarities: Floats) -> Floats:
    """Scores (q,) of similarities (q, 2 or more) to the best items: the first minus half of the second, since what looks like two shows neither for
    sure. On birds that finds half as many again at a false-accept rate of 1 % (`experiments/results/known.csv`).
    """
    return np.asarray(similarities[:, 0] - _SECOND * similarities[:, 1])


def leave_one_out(vectors: Any, items: Any) -> tuple[OpenSet, Rows]:
    """Each image as a query of the others, known; and of the other items' images, unknown: what a gallery alone says of queries like its own.

    Images whose item has no other are only unknown. Also returns the row of each query. InputError: as `best_items`, or fewer than three items.
    """
    found, similarities, _ = best_items(vectors, vectors, items, np.arange(len(vectors)))
    codes, names = pd.factorize(pd.Series(np.asarray(items)), sort=True)
    if len(names) < 3:
        raise InputError(f"There are {len(names)} items; three are needed, so that two are left to compare with when one is left out.")
    several = np.flatnonzero(np.bincount(codes)[codes] > 1)
    others = np.argsort(found == codes[:, None], axis=1, kind="stable")[:, :2]
    scores = known_scores(similarities[several]), known_scores(np.take_along_axis(similarities, others, axis=1))
    known = np.repeat([True, False], [len(several), len(codes)])
    right = np.concatenate([found[several, 0] == codes[several], np.zeros(len(codes), bool)])
    return OpenSet(np.concatenate(scores), right, known), np.concatenate([several, np.arange(len(codes))])


def accept_threshold(scores: Any, items: Any, far: float = 0.01) -> Threshold:
    """The score above which a query of a new item lies with a probability of at most `far`, from scores (n,) of queries whose items (n,) are new.

    The k-th largest score, k = floor(far (n + 1)): split conformal prediction (Vovk et al., 2005), exact for any n if new items are drawn as these
    are. The interval is of the rate of as many further items: Clopper and Pearson's for as many independent images as these, whose errors come
    together in items, weigh (Korn and Graubard, 1998). InputError: `far` out of range, or fewer than 1 / far - 1 images.

    Example:
        >>> accept_threshold(np.arange(100), np.arange(100), 0.05)[:2]
        (95.0, 0.05)
    """
    from scipy.stats import beta

    values = np.sort(np.asarray(scores, np.float64))[::-1]
    rank = int(far * (len(values) + 1) + 1e-9) if 0 < far < 1 else 0
    if rank < 1:
        raise InputError(f"A false-accept rate of {far} cannot be set by {len(values)} images; pass one from {1 / (len(values) + 1):.2g} to below 1.")
    false = np.asarray(scores, np.float64) > values[rank - 1]
    rate, clusters = float(false.mean()), np.bincount(pd.factorize(pd.Series(np.asarray(items)))[0], false - false.mean())
    variance = float((clusters**2).sum()) / len(values) ** 2 * len(clusters) / max(len(clusters) - 1, 1)
    # half of the weight: the rate of as many further items differs as much from the true one as this
    weight = min(len(values), rate * (1 - rate) / variance) / 2 if variance else len(clusters) / 2
    low = float(beta.ppf(0.025, rate * weight, weight - rate * weight + 1)) if rate else 0.0
    return Threshold(float(values[rank - 1]), far, low, float(beta.ppf(0.975, rate * weight + 1, weight - rate * weight)))


def count_items(vectors: Any, gallery: Any, items: Any, seed: int = 0) -> ItemCount:
    """The number of items that n images show, from their pairs and from a gallery with known items.

    The share q of all pairs reaches a threshold; in the gallery, t of those of one item and f of those of two. So an image shares its item with
    m - 1 = (n - 1)(q - f)/(t - f) others, and there are n / m items: n^2 / sum m_i^2 (Simpson, Nature 1949), which is too few where some have more
    images. The interval is that of f and t, which differ between items; where the gallery's items cannot be told apart, the answer is NaN, 1 to n.

    InputError: as `best_items`, or a gallery without two items and two images of one.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    given, rows = as_unit_rows(vectors, "The vectors"), as_unit_rows(gallery, "The gallery")
    drawn = np.sort(np.random.default_rng([seed, 17]).permutation(len(rows))[:_MOST])
    codes, n = pd.factorize(pd.Series(np.asarray(items)))[0][drawn], len(given)
    products, apart = rows[drawn] @ rows[drawn].T, codes[:, None] != codes
    same = ~apart & ~np.eye(len(codes), dtype=bool)
    if not same.any() or not apart.any():
        raise InputError("The gallery needs two items, and two images of one; add images, or choose another attribute.")
    levels = np.quantile(products[apart], 1 - np.array(_RATES))
    rates = [(level, *_pair_rate(products > level, same, codes), *_pair_rate(products > level, apart, codes)) for level in levels]
    level, true, true_error, false, false_error = min(rates, key=lambda each: each[4] / max(each[1] - each[3], 1e-9))
    edges, size = [np.empty((2, 0), np.int64)], max(1, _BLOCK_BYTES // (4 * n))
    for begin in range(0, n, size):
        one, other = np.nonzero(given[begin : begin + size] @ given.T > level)
        edges.append(np.stack([one + begin, other])[:, one + begin != other])
    pairs = np.concatenate(edges, axis=1)
    components = int(connected_components(coo_array((np.ones(pairs.shape[1], bool), tuple(pairs)), shape=(n, n)), directed=False)[0])
    if true - false <= 2 * np.hypot(true_error, 2 * false_error):
        return ItemCount(np.nan, 1.0, float(n), components)
    share = (pairs.shape[1] / max(n * (n - 1), 1) - false) / (true - false)
    # a pair of two items is in the sums of both, so that its rate has twice this error; 2 ** 0.5: other items than the gallery's
    error = 1.96 * 2**0.5 * (n - 1) * np.hypot(2 * false_error, share * true_error) / (true - false)
    mean = 1 + (n - 1) * share
    found, low, high = (float(n / np.clip(each, 1, n)) for each in (mean, mean + error, mean - error))
    return ItemCount(found, low, high, components)


def _pair_rate(hits: NDArray[np.bool_], pairs: NDArray[np.bool_], codes: Rows) -> tuple[float, float]:
    """The share of these pairs (n, n) that hit, and its standard error over items (n,)."""
    counts, found = pairs.sum(axis=1), (hits & pairs).sum(axis=1)
    rate = float(found.sum() / counts.sum())
    return rate, float(np.sqrt((np.bincount(codes, found - rate * counts) ** 2).sum()) / counts.sum())
