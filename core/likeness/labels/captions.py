"""Captions: word mover's distance between sets of sentences (Kim et al., CVPR 2019, Eq. 13; Kusner et al., ICML 2015)."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable, read_captions
from likeness.errors import InputError
from likeness.labels.distance_cache import stored_distances
from likeness.labels.kind import LabelKind, LabelOptions
from likeness.labels.protocol import Distances, LabelDistances, Rows
from likeness.language import embed_names, read_word_vectors
from likeness.progress import Progress

Numbers = NDArray[np.float64]
# Words that say how a sentence is built, not what it is about; word mover's distance leaves them out.
_STOP_WORDS = """
    a an the this that these those and or but of in on at by for from to with as is are was were be been being am it its he she they his her
    their there here has have had do does did i you we us them my your our who which what some any s t
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
# Images up to which all pairs are computed once and stored: a quarter of an hour on two cores. Beyond, distances are computed when asked for.
_MOST_STORED = 2_000
# Words up to which costs of all pairs are held: 128 MB.
_MOST_WORDS = 4_000
# Images a side that are compared at once, and rows whose bounds are: tens of megabytes each.
_BLOCK, _BOUND_ROWS = 64, 16


class Bag(NamedTuple):
    """A sentence as word ids (w,) and their shares (w,), which sum to 1."""

    words: NDArray[np.int64]
    shares: Numbers


def word_movers_distance(a: Bag, b: Bag, costs: Numbers) -> float:
    """Minimum cost of transporting the words of one sentence to those of the other, with costs (v, v) between words: exact optimal transport, solved
    by POT.
    """
    import ot

    between = np.ascontiguousarray(costs[np.ix_(a.words, b.words)])
    if min(between.shape) == 1:  # all words go to or come from one place
        return float(a.shares @ between @ b.shares)
    found: Any = ot.emd2(a.shares, b.shares, between, check_marginals=False, center_dual=False)
    return max(0.0, float(found))


def words_of(sentence: str) -> list[str]:
    """Words in lower case, without `STOP_WORDS` unless there are no others."""
    words = re.findall(r"\w+", sentence.lower())
    return [word for word in words if word not in STOP_WORDS] or words


@dataclass(frozen=True)
class CaptionLabels:
    """`caption_distances` of n images, computed on demand.

    Attributes:
        bags: the captions of each image.
        costs: (v, v) between words; None if they would not fit in memory: then costs of needed words are computed.
        vectors: (v, d) of the words.
    """

    bags: list[list[Bag]]
    costs: Numbers | None
    vectors: Numbers
    unit: str = field(default="word mover's distance", init=False)

    def __len__(self) -> int:
        return len(self.bags)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c), Eq. 13: the sum of each caption's distance to the nearest of the other image, both ways; exact."""
        found, known = np.zeros((len(rows), len(columns)), np.float32), dict[tuple[int, int], float]()
        for top in range(0, len(rows), _BLOCK):
            for left in range(0, len(columns), _BLOCK):
                block = slice(top, top + _BLOCK), slice(left, left + _BLOCK)
                found[block] = self._block(rows[block[0]], columns[block[1]], known)
        return found

    def lower_bounds(self, rows: Rows, columns: Rows) -> Distances:
        """Bounds (r, c) of `between` from below, by products of matrices.

        The words of a caption cannot reach those of another at less cost than the distance of the means of their vectors (Kusner et al., section 4.1,
        word centroid distance). So each term of Eq. 13, the distance of a caption to the nearest one, is at least the smallest of these, and their
        sum is a bound of the sum.
        """
        (ours, tops), (theirs, lefts) = (self._centers(each) for each in (rows, columns))
        bounds = np.empty((len(rows), len(columns)), np.float32)
        ends = np.append(tops, len(ours))
        for row in range(0, len(rows), _BOUND_ROWS):
            start, end = ends[row], ends[min(row + _BOUND_ROWS, len(rows))]
            apart = _distances_below(ours[start:end], theirs)
            firsts = tops[row : row + _BOUND_ROWS] - start
            there = np.add.reduceat(np.minimum.reduceat(apart, lefts, axis=1), firsts, axis=0)
            bounds[row : row + _BOUND_ROWS] = there + np.add.reduceat(np.minimum.reduceat(apart, firsts, axis=0), lefts, axis=1)
        # slightly smaller, so that rounding never lifts a bound above the distance
        return bounds * np.float32(1 - 1e-5)

    def _centers(self, rows: Rows) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Mean vectors (s, d) of the captions of these images, image by image, and the start of each image (r,)."""
        means, starts = self._means
        ends = np.append(starts, len(means))
        counts = ends[rows + 1] - starts[rows]
        firsts = np.cumsum(counts) - counts
        return means[np.repeat(starts[rows] - firsts, counts) + np.arange(int(counts.sum()))], firsts

    @cached_property
    def _means(self) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """`_centers` of all images."""
        means = np.array([bag.shares @ self.vectors[bag.words] for each in self.bags for bag in each], dtype=np.float32)
        counts = np.array([len(each) for each in self.bags])
        return means, np.cumsum(counts) - counts

    def _block(self, rows: Rows, columns: Rows, known: dict[tuple[int, int], float]) -> Distances:
        ours, theirs = ([self.bags[row] for row in each] for each in (rows, columns))
        words = np.unique(np.concatenate([bag.words for each in (*ours, *theirs) for bag in each]))
        costs = self._costs_of(words)
        ours, theirs = ([[Bag(np.searchsorted(words, bag.words), bag.shares) for bag in each] for each in side] for side in (ours, theirs))
        bounds = _relaxed([bag for each in ours for bag in each], [bag for each in theirs for bag in each], costs)
        tops, lefts = (np.cumsum([0, *(len(each) for each in side)]) for side in (ours, theirs))
        found = np.empty((len(rows), len(columns)), np.float32)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                pair = (min(row, column), max(row, column))
                if pair not in known:
                    own = bounds[tops[i] : tops[i + 1], lefts[j] : lefts[j + 1]]
                    known[pair] = 0.0 if row == column else _between_images(ours[i], theirs[j], own, costs)
                found[i, j] = known[pair]
        return found

    def _costs_of(self, words: NDArray[np.int64]) -> Numbers:
        if self.costs is not None:
            return self.costs[np.ix_(words, words)]
        from sklearn.metrics.pairwise import euclidean_distances

        return np.asarray(euclidean_distances(self.vectors[words]))


def _between_images(ours: list[Bag], theirs: list[Bag], bounds: Numbers, costs: Numbers) -> float:
    """Solves transports in the order of their lower bounds, and stops when the bound exceeds the smallest one found."""
    solved = np.full(bounds.shape, np.nan)
    sides = ((bounds[i], solved[i], ours[i : i + 1], theirs) for i in range(len(ours)))
    others = ((bounds[:, j], solved[:, j], ours, theirs[j : j + 1]) for j in range(len(theirs)))
    return sum(_least(*each, costs) for each in (*sides, *others))


def _least(bounds: Numbers, solved: Numbers, ours: list[Bag], theirs: list[Bag], costs: Numbers) -> float:
    best = np.inf
    for place in np.argsort(bounds, kind="stable"):
        # bounds ascend: no later caption can be nearer
        if bounds[place] >= best:
            break
        if np.isnan(solved[place]):
            solved[place] = word_movers_distance(ours[place % len(ours)], theirs[place % len(theirs)], costs)
        best = min(best, solved[place])
    return float(best)


def _relaxed(ours: list[Bag], theirs: list[Bag], costs: Numbers) -> Numbers:
    """Lower bounds (a, b) of all pairs of sentences: each word moves to its nearest one, without capacity limits; the larger of both directions
    (relaxed word mover's distance).
    """
    shares, nearest = [], []
    for side in (ours, theirs):
        held = np.zeros((len(side), len(costs)))
        for row, bag in enumerate(side):
            held[row, bag.words] = bag.shares
        # dense vectors over the vocabulary of the block, so that all pairs are one product of matrices
        shares.append(held)
        nearest.append(np.array([costs[bag.words].min(axis=0) for bag in side]))
    return np.asarray(np.maximum(shares[0] @ nearest[1].T, nearest[0] @ shares[1].T) * (1 - 1e-12))


def _distances_below(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Lower bounds of Euclidean distances (m, n) of rows: single-precision values minus their rounding error."""
    lengths = np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1)[None, :]
    return np.asarray(np.sqrt(np.maximum(lengths * np.float32(1 - 4e-6) - 2 * (a @ b.T), 0)), dtype=np.float32)


def caption_distances(captions: Sequence[Sequence[str]], vectors: str = "minilm", device: str = "auto") -> CaptionLabels:
    """Label distances of n images by all of their captions.

    InputError: no image, an image without captions, a caption without known words, or a missing model or file.

    Args:
        vectors: of words: "vectors:FILE" for word2vec, GloVe or FastText as text, the paper's choice, where unknown words are skipped; or a language
            model of `likeness.language`, applied to single words.
    """
    from scipy.spatial.distance import cdist

    sentences = [[words_of(caption) for caption in each] for each in captions]
    if not sentences:
        raise InputError("There are no images to compare by their captions; pass at least one.")
    empty = [row for row, each in enumerate(sentences) if not each or not all(each)]
    if empty:
        raise InputError(f"Image {empty[0]} has no caption, or one without words, and {len(empty) - 1} more; write one or remove these images.")
    known = _vectors(sorted({word for each in sentences for words in each for word in words}), vectors, device)
    number = {word: place for place, word in enumerate(known)}
    bags = [[_bag(words, number, row, vectors) for words in each] for row, each in enumerate(sentences)]
    rows = np.array(list(known.values()), dtype=np.float64)
    return CaptionLabels(bags, cdist(rows, rows) if len(rows) <= _MOST_WORDS else None, rows)


def _bag(words: list[str], number: dict[str, int], image: int, vectors: str) -> Bag:
    numbers = [number[word] for word in words if word in number]
    if not numbers:
        raise InputError(f"None of the words of the caption '{' '.join(words)}' of image {image} is known to '{vectors}'; rewrite or remove it.")
    kinds, counts = np.unique(numbers, return_counts=True)
    return Bag(kinds.astype(np.int64), counts / len(numbers))


def _vectors(words: list[str], vectors: str, device: str) -> dict[str, NDArray[Any]]:
    kind, _, target = vectors.partition(":")
    if kind != "vectors":
        return dict(zip(words, embed_names(words, vectors, device), strict=True))
    file = Path(target).expanduser()
    if not file.is_file():
        raise InputError(f"There is no file of word vectors '{target}'; give the .txt file of GloVe or the .vec file of FastText.")
    return dict(sorted(read_word_vectors(file, set(words)).items()))


def _read(table: ImageTable, options: LabelOptions, progress: Progress | None) -> LabelDistances:
    captions = read_captions(table)
    labels = caption_distances(captions, options.language)
    if len(labels) > _MOST_STORED or labels.costs is None:
        return labels
    content = hashlib.sha256(labels.costs.tobytes())
    content.update(json.dumps(captions).encode())
    return stored_distances(labels, f"captions 1 {content.hexdigest()}", progress)


KIND = LabelKind("captions", "a column of captions", _read, lambda table: {"Captions": {}} if "captions" in table.attributes else {})
