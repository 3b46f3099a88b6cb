"""CIDEr-D: dense vectors in a slow loop, a hand-computed case, laws, the speed of a reward."""

import math
import time
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.captioning.metrics import CiderD, DocumentFrequencies, document_frequencies
from likeness.errors import InputError


def grams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def slow(candidates: list[list[str]], references: list[list[list[str]]]) -> list[float]:
    """With dense vectors over all n-grams of an order."""
    found = np.zeros(len(candidates))
    for n in range(1, 5):
        terms = sorted({gram for own in [*references, candidates] for words in own for gram in grams(words, n)})
        frequency = np.array([sum(any(term in grams(words, n) for words in own) for own in references) for term in terms])
        idf = np.log(len(references) / np.maximum(1, frequency))

        def vector(words: list[str], n: int = n, terms: list[tuple[str, ...]] = terms, idf: np.ndarray = idf) -> np.ndarray:
            return np.array([grams(words, n).count(term) for term in terms]) * idf

        for image, (said, own) in enumerate(zip(candidates, references, strict=True)):
            for one in own:
                g, h = vector(said), vector(one)
                length = np.linalg.norm(g) * np.linalg.norm(h)
                if length > 0:
                    penalty = math.exp(-((len(said) - len(one)) ** 2) / 72)
                    found[image] += 10 / 4 / len(own) * penalty * float(np.minimum(g, h) @ h) / length
    return list(found)


def test_equals_dense_vectors(corpus: SimpleNamespace) -> None:
    scorer, expected = CiderD(corpus.references), slow(corpus.candidates, corpus.references)
    assert scorer.scores(corpus.candidates) == pytest.approx(expected, abs=1e-10)
    assert expected[-1] == 0  # the empty one
    chosen = [7, 7, 2]
    assert scorer.scores([corpus.candidates[0]] * 3, chosen) == pytest.approx([scorer.score(corpus.candidates[0], i) for i in chosen])


def test_words_may_be_numbers(corpus: SimpleNamespace) -> None:
    numbers = {word: i for i, word in enumerate({word for own in corpus.references for one in own for word in one})}
    coded = CiderD([[[numbers[word] for word in one] for one in own] for own in corpus.references])
    plain = CiderD(corpus.references)
    for said in corpus.candidates:
        assert coded.score([numbers.get(word, -1) for word in said], 3) == pytest.approx(plain.score(said, 3))


def test_a_single_image_scores_0_unless_frequencies_are_given_and_what_is_not_kept_scores_the_same(corpus: SimpleNamespace) -> None:
    whole, own = CiderD(corpus.references), corpus.references[:1]
    assert CiderD(own).score(own[0][0], 0) == 0
    assert CiderD(own, document_frequencies(corpus.references)).score(own[0][0], 0) == pytest.approx(whole.score(own[0][0], 0))
    assert CiderD(corpus.references, keep=2).scores(corpus.candidates) == pytest.approx(whole.scores(corpus.candidates))


def test_wrong_input_is_told(corpus: SimpleNamespace) -> None:
    with pytest.raises(InputError, match="There are 1 captions and 2 image numbers"):
        CiderD(corpus.references).scores([["a"]], [0, 1])
    with pytest.raises(InputError, match="There are 1 captions and references of 12 images"):
        CiderD(corpus.references).scores([["a"]])
    with pytest.raises(InputError, match="Image 1 has no reference caption"):
        CiderD([[["a"]], []])
    with pytest.raises(InputError, match="There are no references to score against"):
        CiderD([])
    with pytest.raises(InputError, match="The document frequencies are empty"):
        CiderD(corpus.references, DocumentFrequencies({}, 0))


def test_a_batch_of_rewards_takes_little_time() -> None:
    """500 sentences of ten words against five references each: some 30 ms."""
    rng = np.random.default_rng(0)
    references = [[list(rng.integers(200, size=10)) for _ in range(5)] for _ in range(100)]
    scorer = CiderD(references)
    candidates, images = [list(rng.integers(200, size=10)) for _ in range(500)], [i % 100 for i in range(500)]
    begun = time.process_time()
    scorer.scores(candidates, images)
    assert time.process_time() - begun < 1
