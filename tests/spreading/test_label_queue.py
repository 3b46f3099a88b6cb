"""The queue: uncertain first, no copies among them, and labels that were changed are found."""

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.spreading import MISTAKE, UNCERTAIN, next_to_label, spread_labels
from likeness.spreading.label_queue import likely_mistakes, uncertain_rows


def _two_sides(n: int = 60) -> tuple[lk.Space, np.ndarray]:
    """Points on a quarter of a circle: one class up to its middle, the other from there."""
    angles = np.linspace(0, np.pi / 2, n)
    return lk.Space(np.column_stack([np.cos(angles), np.sin(angles)])), np.where(np.arange(n) < n // 2, "low", "high").astype(object)


def test_uncertain_images_lie_between_the_classes() -> None:
    space, labels = _two_sides()
    given = np.full(60, None, object)
    given[[0, 10, 50, 59]] = labels[[0, 10, 50, 59]]
    queue = next_to_label(spread_labels(space, given), 3)
    assert set(queue["reason"]) == {UNCERTAIN}
    assert queue["row"].between(12, 48).all()
    assert queue["given"].isna().all()
    assert queue["margin"].iloc[0] == queue["margin"].min()


def test_copies_are_offered_once() -> None:
    space, labels = _two_sides()
    rows = np.concatenate([np.arange(60), np.full(40, 30)])  # forty copies of the most uncertain image
    copied = lk.Space(space.vectors[rows])
    given = np.full(100, None, object)
    given[[0, 10, 50, 59]] = labels[[0, 10, 50, 59]]
    found = spread_labels(copied, given, "probe")
    most = np.flatnonzero(found.given < 0)[np.argsort(found.margin[found.given < 0], kind="stable")][:8]
    assert len(np.unique(copied.vectors[most], axis=0)) == 1  # by margin alone, copies would be all
    queue = next_to_label(found, 8)
    assert len(queue) == 8
    assert len(np.unique(copied.vectors[queue["row"]], axis=0)) == 8
    space = lk.Space(np.repeat(np.eye(2), 40, axis=0))
    given = np.full(80, None, object)
    given[[0, 40]] = ["a", "b"]
    rows = uncertain_rows(spread_labels(space, given, "probe"), 5)
    assert len(set(rows)) == 5
    assert not {0, 40} & set(rows)


@pytest.mark.parametrize("method", ["propagation", "probe"])
def test_labels_that_were_changed_come_first(method: str) -> None:
    space = lk.embed(lk.read("cars"), "cars").refit(get_notion("car color"))
    labels = space.table.frame["car_color"].to_numpy(dtype=object)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(space))[:400]
    given = np.full(len(space), None, object)
    given[rows] = labels[rows]
    changed = rows[:20]
    given[changed] = [rng.choice(np.setdiff1d(np.unique(labels), [labels[row]])) for row in changed]
    found = spread_labels(space, given, method)
    assert np.isin(likely_mistakes(found)[:20], changed).mean() >= 0.8  # 20 of 400 are: .05 by chance
    queue = next_to_label(found, 10)
    assert list(queue["reason"]) == [MISTAKE] * 5 + [UNCERTAIN] * 5
    assert queue["given"].notna().sum() == 5
    assert (queue["label"][:5] != queue["given"][:5]).all()
    assert set(next_to_label(found, 10, mistakes=False)["reason"]) == {UNCERTAIN}


def test_a_queue_ends_where_all_is_labeled_and_labels_keep_their_kind() -> None:
    space, labels = _two_sides()
    numbers = (labels == labels[0]).astype(int)
    numbers[3] = 1 - numbers[3]
    queue = next_to_label(spread_labels(space, numbers), 2)
    assert queue["row"].tolist() == [3]
    assert (queue["given"][0], queue["label"][0]) == (numbers[3], 1 - numbers[3])
    space, labels = _two_sides()
    assert not len(next_to_label(spread_labels(space, labels), mistakes=False))
    labels[3] = None
    assert list(next_to_label(spread_labels(space, labels), 5, mistakes=False)["row"]) == [3]
    with pytest.raises(InputError, match="at least 1"):
        next_to_label(spread_labels(space, labels), 0)
