"""BLEU: nltk, a slow loop, hand-computed cases, laws."""

import math
import warnings
from types import SimpleNamespace

import pytest

from experiments.captioning.metrics import bleu


def slow(candidates: list[list[str]], references: list[list[list[str]]], highest: int) -> float:
    """BLEU of one order, n-gram by n-gram."""
    logs, c, r = 0.0, 0, 0
    for n in range(1, highest + 1):
        matched = total = 0
        for said, own in zip(candidates, references, strict=True):
            grams = [tuple(said[i : i + n]) for i in range(len(said) - n + 1)]
            total += len(grams)
            for gram in set(grams):
                limit = max(sum(tuple(one[i : i + n]) == gram for i in range(len(one) - n + 1)) for one in own)
                matched += min(grams.count(gram), limit)
        if not matched:
            return 0.0
        logs += math.log(matched / total) / highest
    for said, own in zip(candidates, references, strict=True):
        c += len(said)
        r += sorted((abs(len(one) - len(said)), len(one)) for one in own)[0][1]
    return math.exp(logs) * (1 if c >= r else math.exp(1 - r / c))


def test_equals_a_slow_loop(corpus: SimpleNamespace) -> None:
    found = bleu(corpus.candidates, corpus.references)
    assert found == pytest.approx([slow(corpus.candidates, corpus.references, n) for n in range(1, 5)], abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_equals_nltk(corpus: SimpleNamespace, n: int) -> None:
    from nltk.translate.bleu_score import corpus_bleu

    # nltk counts one n-gram of a candidate that is too short to have any
    chosen = [i for i, said in enumerate(corpus.candidates) if len(said) >= 4]
    candidates, references = [corpus.candidates[i] for i in chosen], [corpus.references[i] for i in chosen]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of orders without a match
        theirs = corpus_bleu(references, candidates, weights=[1 / n] * n)
    ours = bleu(candidates, references)[n - 1]
    assert ours == pytest.approx(theirs, abs=1e-12) or (ours == 0 and theirs < 1e-50)


def test_empty_captions_alone_score_0() -> None:
    assert bleu([[]], [[["a"]]]) == (0, 0, 0, 0)
