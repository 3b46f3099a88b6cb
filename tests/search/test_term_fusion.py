import math
from typing import Any

import numpy as np
import pytest

from likeness.search import all_hold, term_statistics


def _by_hand(similarities: Any, every: Any, weights: list[float]) -> list[float]:
    scores = []
    for image in range(similarities.shape[1]):
        product = 1.0
        for term, weight in enumerate(weights):
            low, high = min(every[term]), max(similarities[term])
            z = (similarities[term, image] - np.mean(every[term])) / np.std(every[term])
            holds = max((similarities[term, image] - low) / (high - low), 1e-3) if weight > 0 else 1 / (1 + math.exp(z - 2))
            product *= holds ** abs(weight)
        scores.append(product ** (1 / sum(map(abs, weights))))
    return scores


def test_the_score_is_the_weighted_geometric_mean_of_how_well_terms_hold() -> None:
    every = np.random.default_rng(0).normal(0.3, 0.1, (4, 200)).astype(np.float32)
    weights = [1.0, 0.5, -2.0, -0.25]
    found = all_hold(every[:, :50], term_statistics(every), weights)
    np.testing.assert_allclose(found, _by_hand(every[:, :50].astype(float), every.astype(float), weights), rtol=1e-4)
    assert 0 < found.min() < found.max() <= 1


def test_only_the_proportion_of_weights_counts() -> None:
    every = np.random.default_rng(1).normal(0, 1, (3, 50)).astype(np.float32)
    np.testing.assert_allclose(all_hold(every, term_statistics(every), [1, 2, -0.5]), all_hold(every, term_statistics(every), [2, 4, -1]), rtol=1e-5)


def test_a_shift_or_scale_of_one_terms_similarities_changes_nothing() -> None:
    every = np.random.default_rng(2).normal(0, 1, (3, 50)).astype(np.float32)
    moved = every * np.array([[0.1], [3], [0.5]], np.float32) + np.array([[0.7], [-1], [0.2]], np.float32)
    weights = [1, 0.5, -1]
    np.testing.assert_allclose(
        all_hold(moved, term_statistics(moved), weights), all_hold(every, term_statistics(every), weights), rtol=1e-3, atol=1e-5
    )


def test_what_is_taken_away_lowers_the_score_where_it_is_there_and_hardly_raises_it_elsewhere() -> None:
    every = np.random.default_rng(3).normal(0, 1, (2, 1000)).astype(np.float32)
    asked = np.array([[1, 1, 1], [0, -4, 4]], np.float32)
    plain, unlike, like = all_hold(asked, term_statistics(every), [1, -1])
    assert like < plain < unlike
    assert unlike - plain < (plain - like) / 4


def test_a_term_that_all_images_are_equally_like_says_nothing() -> None:
    every = np.array([[0.1, 0.3, 0.5], [0.2, 0.2, 0.2], [0.2, 0.2, 0.2]], np.float32)
    statistics = term_statistics(every)
    np.testing.assert_allclose(statistics.mean[:, 0], [0.3, 0.2, 0.2], atol=1e-6)
    assert statistics.deviation[0, 0] == pytest.approx(np.std([0.1, 0.3, 0.5]))
    assert np.isinf(statistics.deviation[1:]).all()
    assert np.argsort(-all_hold(every, statistics, [1, 1, -1])).tolist() == [2, 1, 0]
