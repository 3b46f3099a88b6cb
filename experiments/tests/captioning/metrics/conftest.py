"""Random sentences of few words, so that n-grams are shared."""

from types import SimpleNamespace

import numpy as np
import pytest

LETTERS = ["a", "man", "rides", "horse", "red", "car", "on", "the", "street"]


def sentences(rng: np.random.Generator, count: int, shortest: int = 1) -> list[list[str]]:
    return [[LETTERS[i] for i in rng.integers(len(LETTERS), size=rng.integers(shortest, 12))] for _ in range(count)]


@pytest.fixture(params=range(5))
def corpus(request: pytest.FixtureRequest) -> SimpleNamespace:
    """`candidates`, one of them empty, and two to five `references` of each of twelve images."""
    rng = np.random.default_rng(request.param)
    references = [sentences(rng, int(rng.integers(2, 6))) for _ in range(12)]
    return SimpleNamespace(candidates=[*sentences(rng, 11, 4), []], references=references, rng=rng)
