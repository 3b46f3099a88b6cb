"""A METEOR-like score (METEOR 1.5, Denkowski and Lavie, WMT 2014), without Java and without its paraphrase tables."""

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from experiments.captioning.metrics.alignment import Relation, align
from experiments.captioning.metrics.ngrams import check_captions
from experiments.captioning.metrics.relations import FUNCTION_WORDS, Relations


@dataclass(frozen=True)
class MeteorParameters:
    """Parameters of METEOR, with the paper's symbols.

    Attributes:
        alpha: weight of recall in the mean of precision and recall.
        beta, gamma: power and weight of the fragmentation penalty.
        delta: weight of a content word; a function word has 1 - delta.
        weights: of a match by its module: exact, stem, synonym.
    """

    alpha: float = 0.85
    beta: float = 0.2
    gamma: float = 0.6
    delta: float = 0.75
    weights: tuple[float, float, float] = (1.0, 0.6, 0.8)


METEOR_1_5 = MeteorParameters()


@dataclass(frozen=True)
class _Counts:
    """Statistics of a caption: weighted matches and words of caption and reference, matched pairs and chunks; they add up over a corpus."""

    caption_matches: float = 0.0
    caption_words: float = 0.0
    reference_matches: float = 0.0
    reference_words: float = 0.0
    pairs: int = 0
    chunks: int = 0

    def __add__(self, other: "_Counts") -> "_Counts":
        return _Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


class MeteorLike:
    """Sentence and corpus scores in [0, 1].

    (1 - gamma (chunks / matches)^beta) P R / (alpha P + (1 - alpha) R), with P and R the matched words over all words of the caption and of the
    reference, each weighted by its kind of word and its module (Eq. 1 to 4 of the paper on METEOR 1.3 and 1.5). Of several references the one that
    scores best counts; a corpus is scored by the sums over its sentences, as in the COCO evaluation. A sentence that is its reference has no
    penalty, and adds no chunk to its corpus.

    Against METEOR 1.5 there are no paraphrases, function words come from a short list, stems are Porter's, and synonyms count only where a
    WordNet is given: the scores are lower, and comparable among themselves alone.

    Args:
        parameters: by default those of METEOR 1.5 for English.
        wordnet: as in `Relations`.
        function_words: words that weigh 1 - delta.
        relation: which words match; by default `Relations`.

    Raises:
        InputError: if nltk is not here.
    """

    def __init__(
        self,
        parameters: MeteorParameters = METEOR_1_5,
        wordnet: Any = None,
        function_words: Collection[str] = FUNCTION_WORDS,
        relation: Relation | None = None,
    ) -> None:
        self.parameters, self.function_words = parameters, function_words
        self.relation = Relations(wordnet) if relation is None else relation

    def sentence(self, candidate: Sequence[str], references: Sequence[Sequence[str]]) -> float:
        """Of one caption; 0 for an empty one.

        Raises:
            InputError: no references, or one without words.
        """
        check_captions([candidate], [references])
        return self._score(self._best(candidate, references))

    def corpus(self, candidates: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> float:
        """Of a caption per image.

        Raises:
            InputError: as `check_captions`.
        """
        check_captions(candidates, references)
        found = [self._best(candidate, own) for candidate, own in zip(candidates, references, strict=True)]
        return self._score(sum(found, _Counts()))

    def _best(self, candidate: Sequence[str], references: Sequence[Sequence[str]]) -> _Counts:
        # of equal scores the reference with more matches, then the shorter, so that their order plays no part in the corpus
        counted = [self._counts(candidate, reference) for reference in references]
        return max(counted, key=lambda counts: (self._score(counts), counts.pairs, -counts.reference_words, -counts.chunks))

    def _counts(self, candidate: Sequence[str], reference: Sequence[str]) -> _Counts:
        pairs, chunks = align(candidate, reference, self.relation)
        weights = self.parameters.weights
        whole = chunks == 1 and len(pairs) == len(candidate) == len(reference)
        return _Counts(
            sum(weights[module] * self._weight(candidate[i]) for i, _, module in pairs),
            sum(map(self._weight, candidate)),
            sum(weights[module] * self._weight(reference[j]) for _, j, module in pairs),
            sum(map(self._weight, reference)),
            len(pairs),
            0 if whole else chunks,
        )

    def _weight(self, word: str) -> float:
        return 1 - self.parameters.delta if word in self.function_words else self.parameters.delta

    def _score(self, counts: _Counts) -> float:
        chosen = self.parameters
        if not counts.caption_matches or not counts.reference_matches:
            return 0.0
        precision, recall = counts.caption_matches / counts.caption_words, counts.reference_matches / counts.reference_words
        mean = precision * recall / (chosen.alpha * precision + (1 - chosen.alpha) * recall)
        return float(mean * (1 - chosen.gamma * (counts.chunks / counts.pairs) ** chosen.beta))
