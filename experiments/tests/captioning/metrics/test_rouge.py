"""ROUGE-L: a recursive oracle, subsets, the paper's example, laws."""

from functools import cache
from itertools import combinations
from types import SimpleNamespace

import pytest

from experiments.captioning.metrics import rouge_l
from experiments.captioning.metrics.rouge import longest_common


def recursive(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    @cache
    def longest(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        return 1 + longest(i + 1, j + 1) if a[i] == b[j] else max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


def by_subsets(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    def subsequences(words: tuple[str, ...]) -> set[tuple[str, ...]]:
        return {chosen for n in range(len(words) + 1) for chosen in combinations(words, n)}

    return max(map(len, subsequences(a) & subsequences(b)))


def test_the_longest_common_subsequence(corpus: SimpleNamespace) -> None:
    for said, own in zip(corpus.candidates, corpus.references, strict=True):
        for one in own:
            expected = recursive(tuple(said), tuple(one))
            assert longest_common(said, one) == longest_common(one, said) == expected
    assert by_subsets(tuple(said[:8]), tuple(one[:8])) == longest_common(said[:8], one[:8])


def test_equals_a_slow_loop(corpus: SimpleNamespace) -> None:
    total = 0.0
    for said, own in zip(corpus.candidates, corpus.references, strict=True):
        precision = max(recursive(tuple(said), tuple(one)) / len(said) if said else 0 for one in own)
        recall = max(recursive(tuple(said), tuple(one)) / len(one) for one in own)
        if precision and recall:
            total += (1 + 1.44) * precision * recall / (recall + 1.44 * precision)
    assert rouge_l(corpus.candidates, corpus.references) == pytest.approx(total / len(corpus.candidates), abs=1e-12)


def test_lins_example() -> None:
    """Lin, section 3.1: "police killed the gunman" against "police kill the gunman" shares 3 of 4 words, "the gunman kill police" 2; at beta 1 F
    is 3/4 and 1/2."""
    reference = [["police", "killed", "the", "gunman"]]
    assert rouge_l([["police", "kill", "the", "gunman"]], [reference], beta=1) == pytest.approx(0.75)
    assert rouge_l([["the", "gunman", "kill", "police"]], [reference], beta=1) == pytest.approx(0.5)


def test_the_largest_precision_and_recall_may_come_from_two_references() -> None:
    """Caption a b c: P = 1 from a x b y c z, R = 1 from a; F = 1."""
    assert rouge_l([["a", "b", "c"]], [[["a", "x", "b", "y", "c", "z"], ["a"]]]) == pytest.approx(1.0)


def test_laws(corpus: SimpleNamespace) -> None:
    first = [own[0] for own in corpus.references]
    assert rouge_l(first, corpus.references) == pytest.approx(1.0)
    found = rouge_l(corpus.candidates, corpus.references)
    assert 0 < found < 1
    assert rouge_l(corpus.candidates, [own[::-1] for own in corpus.references]) == pytest.approx(found)
    assert rouge_l([[]], [[["a"]]]) == 0
