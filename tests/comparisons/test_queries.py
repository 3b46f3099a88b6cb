"""Which queries got better or worse: against scikit-learn, SciPy and plain loops."""

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import average_precision_score

from likeness.comparisons import SCORES, query_changes
from likeness.comparisons.random_projections import random_projections
from likeness.data import UNLABELED
from likeness.errors import InputError
from likeness.space import Space

LABELS = np.array([f"class {number % 6}" for number in range(90)])


def _space(seed: int, pull: float = 0.0, d: int = 8) -> Space:
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((6, d))
    return Space(rng.standard_normal((90, d)) + pull * centers[np.arange(90) % 6], labels={"kind": LABELS}, name=f"space {seed}")


def _average_precision(space: Space, row: int, rows: np.ndarray) -> float:
    others = rows[rows != row]
    return float(average_precision_score(LABELS[others] == LABELS[row], space.vectors[others].astype(np.float64) @ space.vectors[row]))


def test_scores_are_those_of_scikit_learn_and_the_difference_is_after_minus_before() -> None:
    a, b = _space(0), _space(1, pull=1.0)
    found = query_changes(a, b, "kind")
    rows = np.arange(90)
    np.testing.assert_allclose(found.a, [_average_precision(a, row, rows) for row in rows])
    np.testing.assert_allclose(found.b, [_average_precision(b, row, rows) for row in rows])
    np.testing.assert_array_equal(found.difference, found.b - found.a)
    assert found.wide == "space 0"
    (projected,) = random_projections(a, b, [0])
    np.testing.assert_allclose(found.control[:, 0], [_average_precision(projected, row, rows) for row in rows])
    frame = found.frame(a.table)
    assert frame["difference"].is_monotonic_increasing
    assert frame.set_index("row")["a"][7] == found.a[7]


def test_images_that_do_not_ask_and_spaces_that_do_not_change() -> None:
    a, b = _space(0), _space(1)
    labels = LABELS.astype(object).copy()
    labels[[3, 50]] = None, UNLABELED
    labels[4] = "alone"
    found = query_changes(Space(a.vectors, labels={"kind": labels}), b, "kind", rows=[3, 4, 5, 8], seeds=[])
    assert found.rows.tolist() == [5, 8]
    kept = np.delete(np.arange(90), [3, 50])
    others = kept[kept != 5]
    expected = average_precision_score(labels[others] == labels[5], a.vectors[others].astype(np.float64) @ a.vectors[5])
    assert found.a[0] == pytest.approx(expected)
    assert np.isnan(found.summary()["control"])
    a = _space(0)
    figures = query_changes(a, a, "kind", seeds=[]).summary()
    assert (figures["difference"], figures["low"], figures["high"], figures["p"]) == (0, 0, 0, 1)
    assert figures["equal"] == 90


@pytest.mark.parametrize("score", list(SCORES))
def test_every_score_is_1_in_a_perfect_space_and_the_interval_is_scipys(score: str) -> None:
    perfect = Space(np.eye(6)[np.arange(90) % 6] + 1e-3, labels={"kind": LABELS})
    found = query_changes(_space(0, d=6), perfect, "kind", score)
    assert found.b.tolist() == [1.0] * 90
    figures = found.summary()
    drawn = scipy.stats.bootstrap((found.difference,), np.mean, n_resamples=5000, method="basic", rng=1).confidence_interval
    center = figures["difference"]
    # the basic interval is the percentile one, mirrored
    assert figures["low"] == pytest.approx(2 * center - drawn.high, abs=0.1 * (drawn.high - drawn.low))
    assert figures["high"] == pytest.approx(2 * center - drawn.low, abs=0.1 * (drawn.high - drawn.low))
    better = int((found.a < 1).sum())
    assert (figures["better"], figures["worse"], figures["equal"]) == (better, 0, 90 - better)
    assert figures["p"] == pytest.approx(0.5 ** (better - 1))


def test_the_interval_over_classes_is_wider_where_classes_change_as_a_whole() -> None:
    a = _space(0, pull=1.5)
    vectors = a.vectors.copy()
    lost = np.arange(90) % 6 == 2
    vectors[lost] = np.random.default_rng(3).standard_normal((15, 8)) / 3
    found = query_changes(a, Space(vectors, labels={"kind": LABELS}), "kind", seeds=[])
    figures = found.summary()
    assert figures["class_high"] - figures["class_low"] > figures["high"] - figures["low"]
    classes = found.per_class()
    assert classes["label"][0] == "class 2"
    assert classes["queries"].tolist() == [15] * 6
    mine = found.labels == "class 2"
    assert classes["difference"][0] == pytest.approx(found.difference[mine].mean())
    worse, better = int((found.difference[mine] < 0).sum()), int((found.difference[mine] > 0).sum())
    assert (classes["better"][0], classes["worse"][0]) == (better, worse)
    single = [scipy.stats.binomtest(int(row.better), int(row.better + row.worse)).pvalue for row in classes.itertuples()]
    ranked = np.sort(single)
    adjusted = [min(ranked[place:] * 6 / np.arange(place + 1, 7)) for place in range(6)]
    np.testing.assert_allclose(np.sort(classes["p"]), adjusted)


@pytest.mark.parametrize(
    ("labels", "score", "said"),
    [
        ("color", "map", "no attribute 'color'; it has kind"),
        ("kind", "accuracy", "no score 'accuracy' here; choose from map"),
        ("own", "map", "No image has another one of its label"),
    ],
)
def test_what_can_not_be_scored_is_refused(labels: str, score: str, said: str) -> None:
    a = Space(_space(0).vectors, labels={"kind": LABELS, "own": np.arange(90)})
    with pytest.raises(InputError, match=said):
        query_changes(a, _space(1), labels, score)
