"""Ranks and average precision against hand-computed cases, scikit-learn, and the loop of the official code's definition."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from experiments.public_benchmarks.ranks import average_precision, target_rank


def test_ties_count_against_the_method() -> None:
    assert target_rank(np.array([0.9, 0.1, 0.2]), 0) == 1
    assert target_rank(np.array([0.5, 0.5, 0.5]), 0) == 3
    assert average_precision(np.zeros(4), np.array([True, False, False, False])) == 1 / 4
    assert np.isnan(average_precision(np.arange(4.0), np.zeros(4, bool)))


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_is_scikit_learns(seed: int) -> None:
    draw = np.random.default_rng(seed)
    similarities, relevant = draw.permutation(40) / 40, draw.random(40) < 0.2
    relevant[3] = True
    assert average_precision(similarities, relevant) == pytest.approx(average_precision_score(relevant, similarities), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_area_under_straight_lines(seed: int) -> None:
    """Between the recalls before and at each answer, precision runs from that of the images before it to that with it."""
    draw = np.random.default_rng(seed)
    relevant = draw.random(30) < 0.3
    relevant[7] = True
    area, found = 0.0, 0
    for place in range(30):
        if relevant[place]:
            before = found / place if place else 1.0
            found += 1
            area += (before + found / (place + 1)) / 2 / relevant.sum()
    value = average_precision(-np.arange(30.0), relevant, trapezoid=True)
    assert value == pytest.approx(area, abs=1e-12)
    assert value <= average_precision(-np.arange(30.0), relevant) + 1e-12
