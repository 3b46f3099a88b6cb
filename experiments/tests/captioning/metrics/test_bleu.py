"""BLEU: nltk, and by hand where that counts otherwise."""

import math
import warnings
from types import SimpleNamespace

import pytest

from experiments.captioning.metrics import bleu


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


def test_captions_too_short_for_an_ngram_count_by_their_length_alone() -> None:
    found = bleu([["a", "b", "c", "d"], ["a"], []], [[["a", "b", "c", "d"]], [["a", "b"], ["x", "y", "z"]], [["a"]]])
    assert found == pytest.approx([math.exp(1 - 7 / 5)] * 4)  # 5 words said, the nearest references have 4, 2 and 1
    assert bleu([[]], [[["a"]]]) == (0, 0, 0, 0)
