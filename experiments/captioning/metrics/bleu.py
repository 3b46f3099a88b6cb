"""BLEU of captions (Papineni et al., ACL 2002), as the COCO caption evaluation computes it."""

import math
from collections import Counter
from collections.abc import Sequence

from experiments.captioning.metrics.ngrams import Ngram, Words, check_captions, ngrams


def bleu(candidates: Sequence[Words], references: Sequence[Sequence[Words]], highest: int = 4) -> tuple[float, ...]:
    """BLEU-1 to BLEU-`highest` of a whole corpus, each in [0, 1].

    BLEU-N = BP (p_1 ... p_N)^(1/N), with p_n the clipped matches over the n-grams of all candidates, and the brevity penalty BP = 1 where the
    candidates have c words and the references r <= c, else exp(1 - r/c). Of each image the reference nearest in length counts for r, the shorter
    one of two as near. Without a match of some order BLEU is 0; the COCO code adds 1e-15 and 1e-9 instead, which shows from the ninth digit on.

    Args:
        candidates: a sentence in words per image; an empty one has no matches, and makes the corpus shorter.
        references: some per image.
        highest: N of the last value.

    Raises:
        InputError: as `check_captions`.
    """
    check_captions(candidates, references)
    matches, totals = [0] * highest, [0] * highest
    for candidate, own in zip(candidates, references, strict=True):
        for n in range(1, highest + 1):
            counts = ngrams(candidate, n)
            matches[n - 1] += (counts & _most(own, n)).total()
            totals[n - 1] += counts.total()
    brevity = _brevity(sum(map(len, candidates)), sum(_closest(len(candidate), own) for candidate, own in zip(candidates, references, strict=True)))
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    return tuple(brevity * math.prod(precisions[:n]) ** (1 / n) for n in range(1, highest + 1))


def _most(references: Sequence[Words], n: int) -> Counter[Ngram]:
    """Of each n-gram the largest count in one reference."""
    most: Counter[Ngram] = Counter()
    for reference in references:
        most |= ngrams(reference, n)
    return most


def _closest(length: int, references: Sequence[Words]) -> int:
    return min((len(reference) for reference in references), key=lambda own: (abs(own - length), own))


def _brevity(candidate_words: int, reference_words: int) -> float:
    if candidate_words == 0:
        return 0.0
    return min(1.0, math.exp(1 - reference_words / candidate_words))
