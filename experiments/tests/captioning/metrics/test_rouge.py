"""ROUGE-L: a recursive oracle, subsets, the paper's example, laws."""

from functools import cache
from types import SimpleNamespace

import pytest

from experiments.captioning.metrics import rouge_l


def recursive(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    @cache
    def longest(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return 0
        return 1 + longest(i + 1, j + 1) if a[i] == b[j] else max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


def test_equals_a_slow_loop(corpus: SimpleNamespace) -> None:
    total = 0.0
    for said, own in zip(corpus.candidates, corpus.references, strict=True):
        precision = max(recursive(tuple(said), tuple(one)) / len(said) if said else 0 for one in own)
        recall = max(recursive(tuple(said), tuple(one)) / len(one) for one in own)
        if precision and recall:
            total += (1 + 1.44) * precision * recall / (recall + 1.44 * precision)
    assert rouge_l(corpus.candidates, corpus.references) == pytest.approx(total / len(corpus.candidates), abs=1e-12)
    assert rouge_l([[]], [[["a"]]]) == 0


def test_lins_example_and_the_largest_of_two_references() -> None:
    """Lin, section 3.1: "police killed the gunman" against "police kill the gunman" shares 3 of 4 words, "the gunman kill police" 2; at beta 1 F
    is 3/4 and 1/2."""
    reference = [["police", "killed", "the", "gunman"]]
    assert rouge_l([["police", "kill", "the", "gunman"]], [reference], beta=1) == pytest.approx(0.75)
    assert rouge_l([["the", "gunman", "kill", "police"]], [reference], beta=1) == pytest.approx(0.5)
    # Caption a b c: P = 1 from a x b y c z, R = 1 from a; F = 1.
    assert rouge_l([["a", "b", "c"]], [[["a", "x", "b", "y", "c", "z"], ["a"]]]) == pytest.approx(1.0)
