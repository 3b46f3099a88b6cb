import numpy as np
import pytest
from scipy import stats

from likeness.evaluation import bootstrap_interval


def test_intervals_are_those_of_scipy_and_of_the_normal_distribution() -> None:
    values = np.random.default_rng(0).normal(0.6, 0.2, 400)
    found = bootstrap_interval(values)
    own = stats.bootstrap((values,), np.mean, n_resamples=5000, method="percentile", rng=1).confidence_interval
    assert found == pytest.approx([own.low, own.high], abs=0.002)
    assert found == pytest.approx(values.mean() + np.array([-1.96, 1.96]) * values.std(ddof=1) / 20, abs=0.002)


def test_columns_are_as_alone_and_missing_values_are_left_out() -> None:
    values = np.random.default_rng(0).random((50, 3))
    values[::4, 1] = np.nan
    found = bootstrap_interval(values)
    assert found.shape == (2, 3)
    assert found[:, 2] == pytest.approx(bootstrap_interval(values[:, 2]))
    assert found[0, 1] < np.nanmean(values[:, 1]) < found[1, 1]
    assert bootstrap_interval(np.full(9, 0.25)).tolist() == [0.25, 0.25]


def test_groups_are_drawn_whole() -> None:
    """Against a slow loop; queries of a class that are all alike tell as much as one."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), rng.integers(3, 9, 12))
    values = rng.random(12)[groups]
    draws = []
    for _ in range(5000):
        drawn = np.concatenate([values[groups == group] for group in rng.integers(12, size=12)])
        draws.append(drawn.mean())
    found = bootstrap_interval(values, groups.astype(str))
    assert found == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.02)
    assert np.ptp(found) > 1.5 * np.ptp(bootstrap_interval(values))
    assert np.isnan(bootstrap_interval(values[groups < 4], groups[groups < 4])).all()


def test_weights_count_as_repeated_queries() -> None:
    values, weights = np.array([0.0, 1, 0, 1, 1]), np.array([1, 5, 2, 1, 1])
    repeated = np.repeat(values, weights)
    assert bootstrap_interval(values, np.arange(5), weights) == pytest.approx(bootstrap_interval(repeated, np.repeat(np.arange(5), weights)))
