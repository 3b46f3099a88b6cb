"""Captions: word mover's distance between sets of sentences (Kim et al., CVPR 2019, Eq. 13; Kusner et al., ICML 2015)."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
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


class Bag(NamedTuple):
    """A sentence as words (w,), numbers of a vocabulary, and their shares (w,), which sum to 1."""

    words: NDArray[np.int64]
    shares: Numbers


def word_movers_distance(a: Bag, b: Bag, costs: Numbers) -> float:
    """The least cost at which the words of one sentence travel to those of the other; exact optimal transport, solved by POT.

    Args:
        a, b: sentences.
        costs: (v, v) between words of the vocabulary.
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
    """`caption_distances` of n images.

    Attributes:
        bags: the captions of each image.
        costs: (v, v) distances between the vectors of words.
    """

    bags: list[list[Bag]]
    costs: Numbers
    unit: str = field(default="word mover's distance", init=False)

    def __len__(self) -> int:
        return len(self.bags)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        """Distances (r, c), Eq. 13: the sum of each caption's distance to the nearest of the other image, both ways."""
        found, known = np.zeros((len(rows), len(columns)), np.float32), dict[tuple[int, int], float]()
        ours, theirs = ([self.bags[row] for row in each] for each in (rows, columns))
        bounds = self._bounds([bag for each in ours for bag in each], [bag for each in theirs for bag in each])
        tops, lefts = (np.cumsum([0, *(len(each) for each in side)]) for side in (ours, theirs))
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                pair = (min(row, column), max(row, column))
                if pair not in known:
                    own = bounds[tops[i] : tops[i + 1], lefts[j] : lefts[j + 1]]
                    known[pair] = 0.0 if row == column else self._between_images(ours[i], theirs[j], own)
                found[i, j] = known[pair]
        return found

    def _between_images(self, ours: list[Bag], theirs: list[Bag], bounds: Numbers) -> float:
        """Transports are solved in the order of a bound from below, and only while the bound is under the least one found."""
        solved = np.full(bounds.shape, np.nan)
        sides = ((bounds[i], solved[i], ours[i : i + 1], theirs) for i in range(len(ours)))
        others = ((bounds[:, j], solved[:, j], ours, theirs[j : j + 1]) for j in range(len(theirs)))
        return sum(self._least(*each) for each in (*sides, *others))

    def _least(self, bounds: Numbers, solved: Numbers, ours: list[Bag], theirs: list[Bag]) -> float:
        best = np.inf
        for place in np.argsort(bounds, kind="stable"):
            if bounds[place] >= best:
                break
            if np.isnan(solved[place]):
                solved[place] = word_movers_distance(ours[place % len(ours)], theirs[place % len(theirs)], self.costs)
            best = min(best, solved[place])
        return float(best)

    def _bounds(self, ours: list[Bag], theirs: list[Bag]) -> Numbers:
        """Bounds (a, b) of all pairs of sentences, as two products of matrices.

        Each word travels to its nearest one, whoever else goes there; the larger of both ways (relaxed word mover's distance).
        """
        words = np.unique(np.concatenate([bag.words for bag in (*ours, *theirs)]))
        shares, nearest = [], []
        for side in (ours, theirs):
            held = np.zeros((len(side), len(words)))
            for row, bag in enumerate(side):
                held[row, np.searchsorted(words, bag.words)] = bag.shares
            shares.append(held)
            nearest.append(np.array([self.costs[np.ix_(bag.words, words)].min(axis=0) for bag in side]))
        return np.asarray(np.maximum(shares[0] @ nearest[1].T, nearest[0] @ shares[1].T) * (1 - 1e-12))


def caption_distances(captions: Sequence[Sequence[str]], vectors: str = "minilm", device: str = "auto") -> CaptionLabels:
    """Label distances of n images by their captions.

    Args:
        captions: of each image, the same number or not.
        vectors: of words: "vectors:FILE" for word2vec, GloVe or FastText as text, the paper's choice, where words that the file does not hold
            are left out; or a language model of `likeness.language`, which is asked for each word alone.
        device: where a language model computes.

    Raises:
        InputError: no image, an image without captions, a caption none of whose words is known, or a model or file that is not there.
    """
    from scipy.spatial.distance import cdist

    sentences = [[words_of(caption) for caption in each] for each in captions]
    if not sentences:
        raise InputError("There are no images to compare by their captions; name one at least.")
    empty = [row for row, each in enumerate(sentences) if not each or not all(each)]
    if empty:
        raise InputError(f"Image {empty[0]} has no caption, or one without words, and {len(empty) - 1} more; write one or leave these out.")
    known = _vectors(sorted({word for each in sentences for words in each for word in words}), vectors, device)
    number = {word: place for place, word in enumerate(known)}
    bags = [[_bag(words, number, row, vectors) for words in each] for row, each in enumerate(sentences)]
    rows = np.array(list(known.values()), dtype=np.float64)
    return CaptionLabels(bags, cdist(rows, rows))


def _bag(words: list[str], number: dict[str, int], image: int, vectors: str) -> Bag:
    numbers = [number[word] for word in words if word in number]
    if not numbers:
        raise InputError(
            f"None of the words of the caption '{' '.join(words)}' of image {image} is known to '{vectors}'; write it anew or leave it out."
        )
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
    content = hashlib.sha256(labels.costs.tobytes())
    content.update(json.dumps(captions).encode())
    return stored_distances(labels, f"captions 1 {content.hexdigest()}", progress)


def _offered(table: ImageTable) -> dict[str, dict[str, Any]]:
    return {"Captions": {}} if "captions" in table.attributes else {}


KIND = LabelKind("captions", "a column of captions", _read, _offered)
