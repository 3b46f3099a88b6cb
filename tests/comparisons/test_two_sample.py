"""The classifier two-sample test: against scikit-learn, by its laws, and where images repeat."""

import numpy as np
import pytest
from scipy.stats import binom, mannwhitneyu
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from likeness.comparisons import two_sample_test
from likeness.errors import InputError


def _versions(n: int, shift: float = 0.0, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rows = np.random.default_rng(seed).standard_normal((2 * n, d)).astype(np.float32)
    rows[n:, 0] += shift
    return rows, np.arange(2 * n) >= n


@pytest.mark.parametrize("shift", [0.3, 1.0, 2.0])
def test_the_auc_is_that_of_scikit_learn_and_the_interval_holds_the_true_one(shift: float) -> None:
    rows, new = _versions(400, shift)
    found = two_sample_test(rows, new, np.arange(800))
    scores = cross_val_predict(LogisticRegression(), rows, new, cv=5, method="decision_function")
    assert found.auc == pytest.approx(roc_auc_score(new, scores), abs=0.01)
    true = float(np.mean(np.random.default_rng(5).standard_normal(200_000) * np.sqrt(2) < shift))  # of the best linear classifier
    assert found.low < true < found.high
    assert found.p < 0.001
    assert 0.5 < found.chance < found.seen


def test_auc_and_variance_are_those_of_a_slow_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """With scores that are given: the share of pairs in order, and twice the variance of Mann and Whitney where nothing drifted."""
    rows, new = _versions(150, seed=3)
    rows[:, 0] = np.round(rows[:, 0], 1)  # with ties
    monkeypatch.setattr(LogisticRegression, "fit", lambda self, *_: self)
    monkeypatch.setattr(LogisticRegression, "decision_function", lambda self, given: given[:, 0].astype(np.float64))
    monkeypatch.setattr("likeness.comparisons.two_sample._FOLDS", 1)
    found = two_sample_test(rows, new, np.arange(300))
    pairs = [(a > b) + 0.5 * (a == b) for a in rows[new, 0] for b in rows[~new, 0]]
    assert found.auc == pytest.approx(np.mean(pairs))
    assert found.auc == pytest.approx(mannwhitneyu(rows[new, 0], rows[~new, 0]).statistic / 150**2)
    assert (found.high - found.auc) / 1.96 == pytest.approx(np.sqrt(2 * 301 / (12 * 150 * 150)), rel=0.05)


@pytest.mark.parametrize(("n", "d"), [(30, 60), (80, 5)])
def test_chance_is_called_drift_at_the_stated_rate(n: int, d: int) -> None:
    ps = np.array([two_sample_test(*_versions(n, d=d, seed=seed), np.arange(2 * n), seed=seed).p for seed in range(150)])
    assert (ps <= 0.05).sum() <= binom.ppf(0.99, 150, 0.05)
    assert np.mean(ps) == pytest.approx(0.5, abs=0.1)


def test_images_of_both_versions_tell_nothing() -> None:
    rows, new = _versions(60, 5.0)
    pairs = np.tile(np.arange(60), 2)
    found = two_sample_test(np.vstack([rows[:60], rows[:60]]), new, pairs)
    assert found.auc == 0.5
    assert found.p >= 0.5
    assert two_sample_test(rows, new, np.arange(120)).auc > 0.99
    # 30 of 150 images of one version are of another kind, and the others in both: (1 + s) / 2
    rows, new = _versions(150, 0.0)
    rows[150:270] = rows[:120]
    rows[270:, 0] += 100
    found = two_sample_test(rows, new, np.concatenate([np.arange(150), np.arange(120), np.arange(150, 180)]))
    assert found.auc == pytest.approx(0.6, abs=0.03)
    assert found.p <= 0.05


def test_copies_in_two_folds_would_be_called_drift() -> None:
    """Each image four times: what is learned from one copy is asked of another."""
    false = {"separate": 0, "grouped": 0}
    for seed in range(20):
        rows, new = _versions(32, d=60, seed=seed)
        for name, groups in (("separate", np.arange(256)), ("grouped", np.arange(256) // 4)):
            false[name] += two_sample_test(np.repeat(rows, 4, axis=0), new.repeat(4), groups, seed=seed).p <= 0.05
    assert false["separate"] == 20
    assert false["grouped"] <= 3


def test_too_few_are_named_and_bad_input_is_refused() -> None:
    found = two_sample_test(*_versions(20), np.arange(40))
    assert np.isnan(found[:6]).all()
    assert found.images == 20
    rows, new = _versions(40)
    assert two_sample_test(rows, new, np.arange(80) // 4).images == 10  # films of four scenes
    with pytest.raises(InputError, match="80 vectors, 80 marks and 79 groups"):
        two_sample_test(rows, new, np.arange(79))
    rows[3, 1] = np.nan
    with pytest.raises(InputError, match="row 3 holds NaN"):
        two_sample_test(rows, new, np.arange(80))


def test_of_many_images_some_are_drawn_by_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.comparisons.two_sample._MOST", 100)
    found = two_sample_test(*_versions(400, 1.0), np.arange(800))
    assert 30 <= found.images <= 50
    assert found.auc > 0.6
