"""CIDEr-D of captions (Vedantam et al., CVPR 2015), fast enough to be a reward in training."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.captioning.metrics.ngrams import Ngram, Words, check_captions, check_references, ngrams
from likeness.errors import InputError

HIGHEST, SIGMA = 4, 6.0


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many images' references each n-gram occurs (`counts`), and of how many images."""

    counts: Mapping[Ngram, int]
    images: int


@dataclass(frozen=True)
class _Vector:
    """TF-IDF of a sentence by order, the length of each such vector, and its words."""

    weights: list[dict[Ngram, float]]
    norms: list[float]
    words: int


def document_frequencies(references: Sequence[Sequence[Words]], highest: int = HIGHEST) -> DocumentFrequencies:
    """Counts of images, over all n-grams up to `highest` in the references of each."""
    counts: Counter[Ngram] = Counter()
    for own in references:
        counts.update({ngram for reference in own for n in range(1, highest + 1) for ngram in ngrams(reference, n)})
    return DocumentFrequencies(counts, len(references))


class CiderD:
    """CIDEr-D against fixed references, in [0, 10].

    CIDEr-D(c, S) = 10/N sum_n 1/m sum_j exp(-(l(c) - l(s_j))^2 / (2 sigma^2)) <min(g_n(c), g_n(s_j)), g_n(s_j)> / (|g_n(c)| |g_n(s_j)|), Eq. 4 and
    "CIDEr-D" there, with g_n the TF-IDF vector of n-grams and l the words. As in the COCO code, a term's frequency is its plain count (the scale
    cancels but for the clipping) and its IDF log(images) - log(max(1, df)), so that the references of a single image score 0.

    Args:
        references: some sentences per image, in words or their numbers.
        frequencies: of another corpus, such as the training captions; None: of these references.
        highest: N.
        sigma: of the length penalty, in words.
        keep: vectors of so many images are kept; 5 sentences of ten words take some 30 kB.

    Raises:
        InputError: as `check_references`, no references at all, or frequencies of no image.
    """

    def __init__(
        self,
        references: Sequence[Sequence[Words]],
        frequencies: DocumentFrequencies | None = None,
        highest: int = HIGHEST,
        sigma: float = SIGMA,
        keep: int = 20_000,
    ) -> None:
        check_references(references)
        if not references:
            raise InputError("There are no references to score against; pass those of at least one image.")
        frequencies = document_frequencies(references, highest) if frequencies is None else frequencies
        if frequencies.images < 1:
            raise InputError("The document frequencies are empty; count them over the references of at least one image.")
        self.references, self.highest, self.sigma, self.keep = references, highest, sigma, keep
        self._counts, self._log_images = frequencies.counts, math.log(frequencies.images)
        self._vectors = {image: self._vectors_of(image) for image in range(min(len(references), keep))}

    def score(self, candidate: Words, image: int) -> float:
        """Of one sentence against the references of image number `image`; 0 for an empty one."""
        found, references = self._vector(candidate), self._vectors.get(image) or self._vectors_of(image)
        return 10 * sum(self._similarity(found, reference) for reference in references) / len(references)

    def scores(self, candidates: Sequence[Words], images: Sequence[int] | NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Of each sentence, (n,); `images` (n,) tells whose references count, without them one sentence per image in order.

        Raises:
            InputError: if the numbers differ.
        """
        if images is None:
            check_captions(candidates, self.references)
            images = range(len(candidates))
        if len(candidates) != len(images):
            raise InputError(f"There are {len(candidates)} captions and {len(images)} image numbers; pass one number per caption.")
        return np.array([self.score(candidate, int(image)) for candidate, image in zip(candidates, images, strict=True)], np.float64)

    def _vectors_of(self, image: int) -> list[_Vector]:
        return [self._vector(reference) for reference in self.references[image]]

    def _vector(self, words: Words) -> _Vector:
        weights = [{ngram: count * self._idf(ngram) for ngram, count in ngrams(words, n).items()} for n in range(1, self.highest + 1)]
        return _Vector(weights, [math.sqrt(sum(value * value for value in own.values())) for own in weights], len(words))

    def _idf(self, ngram: Ngram) -> float:
        return self._log_images - math.log(max(1, self._counts.get(ngram, 0)))

    def _similarity(self, candidate: _Vector, reference: _Vector) -> float:
        """Mean over the orders, with the length penalty."""
        total = 0.0
        for n in range(self.highest):
            norm = candidate.norms[n] * reference.norms[n]
            if norm:
                theirs = reference.weights[n]
                total += sum(min(value, theirs[ngram]) * theirs[ngram] for ngram, value in candidate.weights[n].items() if ngram in theirs) / norm
        return total / self.highest * math.exp(-((candidate.words - reference.words) ** 2) / (2 * self.sigma**2))
