"""Labels that spread: against scikit-learn's dense form, and what calibration promises."""

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.data import UNLABELED
from likeness.errors import InputError
from likeness.spreading import LabelSpread, neighbor_graph, spread_labels
from likeness.spreading.class_scores import propagation_scores
from likeness.spreading.given_labels import GivenLabels, held_out_groups
from likeness.spreading.neighbor_graph import normalized_graph, propagate
from likeness.spreading.spread_labels import fit_temperature, temper


def _blobs(per: int, classes: int = 3, noise: float = 0.5, seed: int = 0) -> tuple[lk.Space, np.ndarray]:
    rng = np.random.default_rng(seed)
    numbers = np.repeat(np.arange(classes), per)
    centers = rng.normal(size=(classes, 8))
    return lk.Space(centers[numbers] + noise * rng.normal(size=(len(numbers), 8))), np.array([f"class {each}" for each in numbers], dtype=object)


def _few(labels: np.ndarray, per: int, seed: int = 0) -> np.ndarray:
    """Of each class so many labels, None elsewhere."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(labels == each))[:per] for each in np.unique(labels)])
    given = np.full(len(labels), None, object)
    given[rows] = labels[rows]
    return given


def test_propagation_is_that_of_scikit_learn() -> None:
    from sklearn.semi_supervised import LabelSpreading

    space, labels = _blobs(20)
    given = GivenLabels.of(_few(labels, 3), len(space))
    weights = neighbor_graph(space, 6).toarray()
    for alpha in (0.2, 0.9):
        model = LabelSpreading(kernel=lambda left, right: weights, alpha=alpha, max_iter=5000, tol=1e-10).fit(space.vectors, given.numbers)
        starts = np.zeros((len(space), 3), np.float32)
        starts[given.rows, given.numbers[given.rows]] = 1
        found = propagate(normalized_graph(neighbor_graph(space, 6)), starts, alpha, 1e-6)
        np.testing.assert_allclose(found / found.sum(axis=1, keepdims=True), model.label_distributions_, atol=2e-5)


def test_the_graph_is_symmetric_and_holds_the_nearest() -> None:
    space, _ = _blobs(10)
    graph = neighbor_graph(space, 3).toarray()
    np.testing.assert_array_equal(graph, graph.T)
    assert not graph.diagonal().any()
    similarities = space.vectors @ space.vectors.T
    np.fill_diagonal(similarities, -1)
    order = np.argsort(-similarities, axis=1)[:, :3]
    distance = np.sqrt(np.maximum(2 - 2 * similarities, 0))
    reach = np.take_along_axis(distance, order[:, 2:], axis=1)[:, 0]
    for row, nearest in enumerate(order):
        for other in nearest:
            assert graph[row, other] == pytest.approx(np.exp(-(distance[row, other] ** 2) / (reach[row] * reach[other])), rel=1e-4)
    assert (graph > 0).sum(axis=1).min() == 3


def test_a_graph_through_an_index_spreads_the_same(tmp_path: Any) -> None:
    space, labels = _blobs(100)
    indexed = space.replace(provenance="through the index").build_index(tmp_path / "index")
    given = _few(labels, 2)
    np.testing.assert_allclose(spread_labels(indexed, given).probabilities, spread_labels(space, given).probabilities, atol=1e-5)


@pytest.mark.parametrize(("most", "together", "parts"), [(300, None, 12), (4, None, 3), (300, np.arange(12) // 2, 6)])
def test_held_out_scores_are_those_without_the_group(most: int, together: np.ndarray | None, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.spreading.class_scores._MOST_COLUMNS", most)
    space, labels = _blobs(20)
    given = GivenLabels.of(_few(labels, 4), len(space))
    scores = propagation_scores(space, given, together, seed=3)
    groups = scores.apart_groups
    assert len(set(groups)) == parts
    assert together is None or (groups == together).all()
    for group in set(groups):
        others = given.numbers.copy()
        others[given.rows[groups == group]] = -1
        expected = propagation_scores(space, GivenLabels(given.classes, others)).all[given.rows[groups == group]]
        np.testing.assert_allclose(scores.apart[groups == group], expected, atol=2e-2)
        if together is None:
            np.testing.assert_array_equal(scores.held_out, scores.apart)


def _many_classes() -> tuple[lk.Space, GivenLabels]:
    """400 images of 80 classes, two labels each: more columns than are solved for at once."""
    space, labels = _blobs(5, classes=80)
    return space, GivenLabels.of(_few(labels, 2), len(space))


def test_scores_are_those_of_all_columns_at_once() -> None:
    space, given = _many_classes()
    rows, c = given.rows, 80
    groups = np.arange(len(rows))
    starts = np.zeros((len(space), len(rows)), np.float32)
    starts[rows, groups] = 1
    graph = normalized_graph(neighbor_graph(space))
    spread = np.hstack([propagate(graph, starts[:, begin : begin + 64]) for begin in range(0, len(rows), 64)])
    to_class = np.eye(c)[given.numbers[rows]]
    others = spread[rows].copy()
    np.fill_diagonal(others, 0)
    found = propagation_scores(space, given)
    for logs, sums in ((found.all, spread @ to_class), (found.held_out, others @ to_class)):
        shares = np.where(sums.sum(axis=1, keepdims=True) > 0, sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-30), 1 / c)
        np.testing.assert_allclose(np.exp(logs), 0.999 * shares + 0.001 / c, rtol=1e-5)


def test_many_parts_of_classes_take_no_memory_for_all_images_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.spreading.class_scores._AT_ONCE", 8)
    space, given = _many_classes()
    space = lk.Space(np.vstack([space.vectors, np.random.default_rng(1).normal(size=(3_600, 8))]))
    given = GivenLabels(given.classes, np.concatenate([given.numbers, np.full(3_600, -1)]))
    neighbor_graph(space)
    tracemalloc.start()
    propagation_scores(space, given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 4_000 * 160 * 2  # fewer bytes than starts and scores of the 160 parts in single precision


def test_groups_deal_each_class_evenly_and_the_temperature_is_the_best() -> None:
    numbers = np.repeat([0, 1, 2], [7, 3, 5])
    groups = held_out_groups(numbers, 3, 0)
    counts = pd.crosstab(numbers, groups).to_numpy()
    assert (counts.max(axis=1) - counts.min(axis=1)).max() <= 1
    rng = np.random.default_rng(0)
    logs = np.log(rng.dirichlet(np.ones(4), 4000))
    numbers = np.array([rng.choice(4, p=row) for row in temper(logs, 2.5)])
    assert fit_temperature(logs, numbers) == pytest.approx(2.5, rel=0.1)
    assert fit_temperature(logs[:0], numbers[:0]) == 1
    sure = np.log(np.array([[0.98, 0.02]] * 2))
    assert 0.4 < fit_temperature(sure, np.array([0, 0])) < 1 < fit_temperature(sure, np.array([1, 1])) < 2.5


@pytest.mark.parametrize("method", ["propagation", "probe"])
def test_confidence_is_how_often_labels_are_right(method: str) -> None:
    gaps, inside = [], 0
    for seed in range(4):
        space, labels = _blobs(400, 5, 1.0, seed)
        rows = np.random.default_rng(seed).permutation(len(space))[:150]
        given = np.full(len(space), None, object)
        given[rows] = labels[rows]
        found = spread_labels(space, given, method)
        rest = found.given < 0
        accuracy = (found.labels == labels)[rest].mean()
        assert accuracy > 0.6
        gaps.append(found.confidence[rest].mean() - accuracy)
        low, high = found.accuracy_interval
        inside += low <= accuracy <= high
        assert low < found.accuracy < high
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1, atol=1e-5)
    assert np.abs(gaps).mean() < 0.06
    assert inside >= 3


@pytest.mark.parametrize("method", ["propagation", "probe"])
def test_few_labels_of_a_class(method: str) -> None:
    space, labels = _blobs(20)
    single = spread_labels(space, _few(labels, 1), method)
    assert (single.temperature, single.accuracy_interval, single.unseen) == (1, (0, 1), 1)
    assert np.isnan(single.accuracy)
    assert (single.labels == labels).mean() > 0.8
    mixed = _few(labels, 3)
    mixed[np.flatnonzero(labels == "class 2")] = None
    mixed[59] = "class 2"
    once = spread_labels(space, mixed, method)
    assert (once.held_out, once.unseen) == (6, 1 / 7)
    assert once.labels[59] == "class 2"


def _lassos(space: lk.Space, labels: np.ndarray, of_each: int, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of some images and their nearest of the same class, and which of them were chosen together."""
    rng = np.random.default_rng(seed)
    given, together = np.full(len(labels), None, object), np.arange(-len(labels), 0)
    for number, label in enumerate(np.repeat(np.unique(labels), of_each)):
        left = np.array([row for row in np.flatnonzero(labels == label) if given[row] is None])
        near = left[np.argsort(-(space.vectors[left] @ space.vectors[rng.choice(left)]))[:size]]
        given[near], together[near] = label, number
    return given, together


@pytest.mark.parametrize("method", ["propagation", "probe"])
@pytest.mark.parametrize("attribute", ["car_color", "body_type"])
def test_lassos_of_neighbors_do_not_flatter(method: str, attribute: str) -> None:
    space = lk.embed(lk.read("cars"), "cars")
    labels = space.table.frame[attribute].astype(str).to_numpy()
    above, sure_above, flattery = [], [], []
    for seed in range(3):
        given, together = _lassos(space, labels, 3, 8, seed)
        found, plain = spread_labels(space, given, method, together=together), spread_labels(space, given, method)
        rest = found.given < 0
        truth = float((found.labels == labels)[rest].mean())
        above.append(found.accuracy - truth)
        sure_above.append(found.confidence[rest].mean() - truth)
        flattery.append(plain.accuracy - truth)
        assert found.selections == 3 * len(np.unique(labels))
        assert "with all that were chosen at once with them" in found.sentence()
        assert "With so few selections that is rather too low." in found.sentence()
    assert np.mean(flattery) > 0.05  # what one label at a time says of images that were chosen together
    assert np.mean(above) < 0.03
    assert np.mean(sure_above) < 0.05


def test_what_was_all_chosen_at_once_says_nothing() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    labels = space.table.frame["body_type"].astype(str).to_numpy()
    given, together = _lassos(space, labels, 1, 12, 0)
    found = spread_labels(space, given, together=together)
    truth = float((found.labels == labels)[found.given < 0].mean())
    assert (found.held_out, found.unjudged, found.temperature, found.accuracy_interval) == (0, 72, 1, (0, 1))
    assert "Nothing says yet how often the others are right" in found.sentence()
    assert found.confidence[found.given < 0].mean() < truth + 0.1
    assert spread_labels(space, given).accuracy > truth + 0.4


def test_labels_given_one_by_one_are_judged_as_before() -> None:
    space, labels = _blobs(20)
    given = _few(labels, 4)
    for method in ("propagation", "probe"):
        plain, one_by_one = spread_labels(space, given, method), spread_labels(space, given, method, together=np.arange(60))
        assert (one_by_one.held_out, one_by_one.selections, one_by_one.unjudged) == (12, 12, 0)
        assert not one_by_one.is_low
        if method == "propagation":
            assert (one_by_one.held_out_right, one_by_one.temperature) == (plain.held_out_right, pytest.approx(plain.temperature))
    with pytest.raises(InputError, match="one number per image"):
        spread_labels(space, given, together=[1, 2])


def test_missing_labels_may_be_written_in_any_way() -> None:
    space, _ = _blobs(2)
    texts = spread_labels(space, ["a", None, "", "b", UNLABELED, float("nan")])
    series = spread_labels(space, pd.Series(["a", pd.NA, None, "b", None, None], dtype="string"))
    numbers = spread_labels(space, np.array([1.0, np.nan, np.nan, 2.0, np.nan, np.nan]))
    for found in (texts, series, numbers):
        np.testing.assert_array_equal(found.given, [0, -1, -1, 1, -1, -1])
        np.testing.assert_array_equal(found.numbers, texts.numbers)
    assert list(numbers.classes) == [1, 2]


def test_what_no_label_reaches_may_be_anything_and_copies_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = np.eye(6)[[0, 0, 0, 2, 2, 2, 4, 4, 4]] + 0.05 * np.eye(6)[[1, 1, 1, 3, 3, 3, 5, 5, 5]] * np.arange(9)[:, None]
    space = lk.Space(axes)
    graph = normalized_graph(neighbor_graph(space, 2))
    starts = np.zeros((9, 2), np.float32)
    starts[0, 0] = starts[3, 1] = 1
    assert not propagate(graph, starts)[6:].any()
    with monkeypatch.context() as patch:
        patch.setattr("likeness.spreading.class_scores.neighbor_graph", lambda space, progress: neighbor_graph(space, 2))
        scores = propagation_scores(space, GivenLabels.of(["a", None, None, "b", None, None, None, None, None], 9))
    np.testing.assert_allclose(np.exp(scores.all[6:]), 0.5)
    assert np.exp(scores.all[1, 0]) > 0.99
    copies = lk.Space(np.repeat(np.eye(2), 30, axis=0))
    given = np.full(60, None, object)
    given[[0, 30]] = ["a", "b"]
    found = spread_labels(copies, given)
    assert found.labels[0] == "a"
    assert np.isfinite(found.probabilities).all()
    assert set(spread_labels(copies, given, "probe").labels[:30]) == {"a"}


def test_what_cannot_spread_is_refused() -> None:
    space, labels = _blobs(3)
    for given, message in (
        ([None] * 9, "no image has a label"),
        (["a"] + [None] * 8, "all labels are 'a'"),
        (["a", "b"], "one label per image"),
        (np.full((9, 2), "a"), "one label per image"),
        (np.array(["a", 1] + [None] * 7, dtype=object), "as texts"),
    ):
        with pytest.raises(InputError, match=message):
            spread_labels(space, given)
    with pytest.raises(InputError, match="choose propagation or probe"):
        spread_labels(space, labels, "magic")
    with pytest.raises(InputError, match="at least 2 images"):
        neighbor_graph(lk.Space(np.ones((1, 2))))


def test_the_table_has_a_row_per_image() -> None:
    space, labels = _blobs(5)
    steps: list[tuple[int, int]] = []
    found: LabelSpread = spread_labels(space, _few(labels, 2), "probe", progress=lambda done, total, stage="": steps.append((done, total)))
    table = found.table()
    assert list(table) == ["label", "confidence", "given"]
    assert table["given"].sum() == 6
    assert steps[-1] == (len(steps), len(steps))
    assert repr(found) == "LabelSpread(3 classes, 6 of 15 labels given, by probe)"
