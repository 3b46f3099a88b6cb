"""METEOR's alignment: all alignments of short sentences, hand-made cases."""

from collections.abc import Sequence

import numpy as np
import pytest

from experiments.captioning.metrics.alignment import align


def same_letter(a: str, b: str) -> int | None:
    """0 for the same word, 1 for the same first letter."""
    return 0 if a == b else 1 if a[0] == b[0] else None


def runs(places: list[tuple[int, int]]) -> int:
    return sum((i - 1, j - 1) not in places for i, j in places)


def exhaustive(candidate: Sequence[str], reference: Sequence[str]) -> tuple[int, int, int]:
    """Best (-matches, chunks, distance) of all alignments."""
    best = (0, 0, 0)

    def extend(i: int, places: list[tuple[int, int]]) -> None:
        nonlocal best
        if i == len(candidate):
            best = min(best, (-len(places), runs(places), sum(abs(a - b) for a, b in places)))
            return
        extend(i + 1, places)
        for j, other in enumerate(reference):
            if same_letter(candidate[i], other) is not None and j not in {b for _, b in places}:
                extend(i + 1, [*places, (i, j)])

    extend(0, [])
    return best


@pytest.mark.parametrize("seed", range(60))
def test_equals_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = ["a", "b", "c", "ax", "bx"]
    candidate, reference = ([words[i] for i in rng.integers(len(words), size=rng.integers(1, 7))] for _ in range(2))
    pairs, chunks = align(candidate, reference, same_letter)
    places = [(i, j) for i, j, _ in pairs]
    assert (-len(pairs), chunks, sum(abs(i - j) for i, j in places)) == exhaustive(candidate, reference)
    assert runs(places) == chunks
    assert all(module == same_letter(candidate[i], reference[j]) for i, j, module in pairs)


def test_nothing_in_common() -> None:
    assert align(["a"], ["b"], same_letter) == ((), 0)
    assert align([], ["b"], same_letter) == ((), 0)
