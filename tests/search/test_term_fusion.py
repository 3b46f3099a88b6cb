import math
from typing import Any

import numpy as np
import pytest

from likeness.search import all_hold, spread


def _by_hand(z: list[float], weights: list[float]) -> Any:
    product = 1.0
    for value, weight in zip(z, weights, strict=True):
        holds = 1 / (1 + math.exp(-(value - 2) / 2)) if weight > 0 else 1 - 1 / (1 + math.exp(-(value - 2)))
        product *= holds ** abs(weight)
    return product ** (1 / sum(map(abs, weights)))


def test_the_score_is_the_weighted_geometric_mean_of_how_well_terms_hold() -> None:
    z = np.random.default_rng(0).normal(0, 3, (4, 50)).astype(np.float32)
    weights = [1.0, 0.5, -2.0, -0.25]
    np.testing.assert_allclose(all_hold(z, weights), [_by_hand(column.tolist(), weights) for column in z.T], rtol=1e-4)


def test_only_the_proportion_of_weights_counts() -> None:
    z = np.random.default_rng(1).normal(0, 3, (3, 50)).astype(np.float32)
    np.testing.assert_allclose(all_hold(z, [1, 2, -0.5]), all_hold(z, [2, 4, -1]), rtol=1e-5)


def test_what_is_liked_raises_the_score_and_what_is_not_lowers_it_where_it_is_there() -> None:
    z = np.array([[1.0, 2.0, 1.0, 1.0], [0.0, 0.0, -4.0, 4.0]], np.float32)
    plain, liked, unlike, like = all_hold(z, [1, -1])
    assert liked > plain
    assert like < plain
    assert 0 < unlike - plain < (plain - like) / 4  # what is absent anyway cannot be more absent
    assert np.isfinite(all_hold(np.full((2, 1), -1e4, np.float32), [1, -1])).all()


def test_mean_and_deviation_of_each_term() -> None:
    similarities = np.array([[0.1, 0.3, 0.5], [0.2, 0.2, 0.2]], np.float32)
    mean, deviation = spread(similarities)
    np.testing.assert_allclose(mean[:, 0], [0.3, 0.2], atol=1e-6)
    assert deviation[0, 0] == pytest.approx(np.std([0.1, 0.3, 0.5]))
    assert deviation[1, 0] == np.inf
