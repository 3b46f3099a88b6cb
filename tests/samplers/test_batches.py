from collections.abc import Callable

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.samplers import MPerClassBatches, NeighborBatches

LABELS = np.repeat(np.arange(7), [5, 1, 3, 4, 2, 6, 4])


def test_a_batch_has_so_many_images_of_each_of_its_classes_by_seed_and_number_alone() -> None:
    batches, again, other = (MPerClassBatches(LABELS, 12, 3, seed=seed) for seed in (1, 1, 2))
    for number in range(50):
        rows = batches.batch(number)
        classes, counts = np.unique(LABELS[rows], return_counts=True)
        assert counts.tolist() == [3] * 4
        for each in classes:
            there = int((each == LABELS).sum())
            assert len(set(rows[LABELS[rows] == each].tolist())) >= (3 if there >= 3 else 1)
    for number in (9, 2, 9):
        np.testing.assert_array_equal(batches.batch(number), again.batch(number))
    assert not np.array_equal(batches.batch(0), batches.batch(1))
    assert not np.array_equal(batches.batch(0), other.batch(0))


def test_classes_and_images_are_drawn_evenly() -> None:
    batches, drawn = MPerClassBatches(LABELS, 4, 2, seed=0), np.zeros(len(LABELS))
    for number in range(3000):
        np.add.at(drawn, batches.batch(number), 1)
    per_class = np.array([drawn[each == LABELS].sum() for each in range(7)]) / 3000
    np.testing.assert_allclose(per_class, 4 / 7, atol=0.08)
    within = drawn[LABELS == 5]
    assert within.std() / within.mean() < 0.15


def test_with_replacement_classes_and_images_come_up_again_as_often_as_chance_has_it() -> None:
    batches, again, other = (MPerClassBatches(LABELS, 20, 2, seed=seed, draw="replacement") for seed in (0, 0, 1))  # 10 draws of 7 classes
    np.testing.assert_array_equal(batches.batch(5), again.batch(5))
    assert not np.array_equal(batches.batch(5), other.batch(5))
    drawn = np.array([batches.batch(number).reshape(10, 2) for number in range(2000)])
    classes = LABELS[drawn]
    assert (classes[..., 0] == classes[..., 1]).all()
    np.testing.assert_allclose(np.bincount(classes[..., 0].ravel()) / classes[..., 0].size, 1 / 7, atol=0.01)
    assert np.mean([len(set(each)) for each in classes[..., 0].tolist()]) == pytest.approx(7 * (1 - (6 / 7) ** 10), abs=0.05)
    same = drawn[..., 0] == drawn[..., 1]
    for each, count in ((0, 5), (5, 6)):
        assert same[classes[..., 0] == each].mean() == pytest.approx(1 / count, abs=0.02)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: MPerClassBatches(LABELS, 10, 3), "can't have 3 of each class; choose a multiple of 3"),
        (lambda: MPerClassBatches(LABELS, 16, 2), "needs 8 classes, but there are 7; choose at least 3 of each class, or a smaller batch"),
        (lambda: MPerClassBatches(LABELS, 4, 4), "has one class, but a loss needs two"),
        (lambda: MPerClassBatches(LABELS, 12, 3, draw="twice"), "no draw 'twice'; choose from spread, replacement"),
        (lambda: MPerClassBatches([0, 0, 0], 6, 2, draw="replacement"), "has one class, but a loss needs two"),
        (lambda: NeighborBatches(nearest(), 31), "A batch of 31 images needs at least as many, but there are 30"),
        (lambda: NeighborBatches(nearest(), 10, drawn=2), "A batch of 10 can't hold 2 anchors with 5 neighbors each; draw at most 1"),
        (lambda: NeighborBatches(nearest(), 20, nearest=7), "nearest is 7, but 6 neighbors are known; choose at most 6"),
    ],
)
def test_batches_that_cannot_be_are_refused(made: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made()


def nearest(n: int = 30, p: int = 6) -> np.ndarray:
    apart = np.abs(np.arange(n)[:, None] - np.arange(n)[None]).astype(float)
    np.fill_diagonal(apart, np.inf)
    return np.argsort(apart, axis=1, kind="stable")[:, :p]


def test_anchor_first_then_its_nearest_then_others_by_seed_and_number() -> None:
    batches = NeighborBatches(nearest(p=5), 12)
    for number in range(40):
        batch = batches.batch(number)
        assert len(set(batch.tolist())) == 12
        assert batch[1:6].tolist() == nearest(p=5)[batch[0]].tolist()
    assert sorted(NeighborBatches(nearest(), 30, nearest=2).batch(0)) == list(range(30))
    assert NeighborBatches(nearest(), 10, nearest=6, drawn=1, anchors=10).epoch == 3  # all rows as anchors
    first, again, other = (NeighborBatches(nearest(), 10, seed=seed) for seed in (3, 3, 4))
    assert [again.batch(number).tolist() for number in (5, 2)] == [first.batch(number).tolist() for number in (5, 2)]
    assert first.batch(2).tolist() != other.batch(2).tolist()


def test_each_image_is_an_anchor_once_in_an_epoch_and_several_anchors_share_a_batch() -> None:
    batches = NeighborBatches(nearest(p=2), 8, nearest=2)
    assert batches.epoch == 30
    epochs = [[batches.batch(30 * epoch + number)[0] for number in range(30)] for epoch in range(3)]
    assert [sorted(each) for each in epochs] == [list(range(30))] * 3
    assert epochs[0] != epochs[1]
    batches = NeighborBatches(nearest(p=2), 12, nearest=2, drawn=4)
    assert batches.epoch == 7
    seen = []
    for number in range(8):
        batch = batches.batch(number)
        assert len(set(batch.tolist())) == 12
        assert all(set(nearest(p=2)[anchor]) <= set(batch.tolist()) for anchor in batch[:4])
        seen += batch[:4].tolist()
    assert set(seen[:28]) | set(seen[28:]) == set(range(30))


def test_neighbors_are_drawn_from_a_pool_and_others_from_beyond() -> None:
    """The authors' binary labels: 2 of the 6 nearest, and none of the other 4."""
    batches, pool, seen = NeighborBatches(nearest(), 10, nearest=2), nearest(), set()
    for number in range(60):
        batch = batches.batch(number)
        assert set(batch[1:3]) <= set(pool[batch[0]])
        assert not set(batch[3:]) & set(pool[batch[0]])
        seen |= {pool[batch[0]].tolist().index(each) for each in batch[1:3]}
    assert seen == set(range(6))
