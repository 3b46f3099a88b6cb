import numpy as np
import pytest

from likeness.errors import InputError
from likeness.samplers import MPerClassBatches

LABELS = np.repeat(np.arange(7), [5, 1, 3, 4, 2, 6, 4])


def test_a_batch_has_so_many_images_of_each_of_its_classes() -> None:
    batches = MPerClassBatches(LABELS, 12, 3, seed=1)
    for number in range(50):
        rows = batches.batch(number)
        classes, counts = np.unique(LABELS[rows], return_counts=True)
        assert len(classes) == 4
        assert counts.tolist() == [3] * 4
        for each in classes:
            own = rows[LABELS[rows] == each]
            expected = min(3, int((each == LABELS).sum())) if (each == LABELS).sum() >= 3 else 1
            assert len(set(own.tolist())) >= expected


def test_it_depends_on_seed_and_number_alone() -> None:
    batches, again = MPerClassBatches(LABELS, 12, 3, seed=1), MPerClassBatches(LABELS, 12, 3, seed=1)
    for number in (9, 2, 9):
        np.testing.assert_array_equal(batches.batch(number), again.batch(number))
    assert not np.array_equal(batches.batch(0), batches.batch(1))
    assert not np.array_equal(batches.batch(0), MPerClassBatches(LABELS, 12, 3, seed=2).batch(0))


def test_classes_and_images_are_drawn_evenly() -> None:
    batches, drawn = MPerClassBatches(LABELS, 4, 2, seed=0), np.zeros(len(LABELS))
    for number in range(3000):
        np.add.at(drawn, batches.batch(number), 1)
    per_class = np.array([drawn[each == LABELS].sum() for each in range(7)]) / 3000
    np.testing.assert_allclose(per_class, 4 / 7, atol=0.08)
    within = drawn[LABELS == 5]
    assert within.std() / within.mean() < 0.15


def test_with_replacement_classes_and_images_come_up_again_as_often_as_chance_has_it() -> None:
    batches, other = (MPerClassBatches(LABELS, 20, 2, seed=seed, draw="replacement") for seed in (0, 1))  # 10 draws of 7 classes
    np.testing.assert_array_equal(batches.batch(5), MPerClassBatches(LABELS, 20, 2, seed=0, draw="replacement").batch(5))
    assert not np.array_equal(batches.batch(5), other.batch(5))
    drawn = np.array([batches.batch(number).reshape(10, 2) for number in range(2000)])
    classes = LABELS[drawn]
    assert (classes[..., 0] == classes[..., 1]).all()
    np.testing.assert_allclose(np.bincount(classes[..., 0].ravel()) / classes[..., 0].size, 1 / 7, atol=0.01)
    assert np.mean([len(set(each)) for each in classes[..., 0].tolist()]) == pytest.approx(7 * (1 - (6 / 7) ** 10), abs=0.05)
    same = drawn[..., 0] == drawn[..., 1]
    assert same[classes[..., 0] == 0].mean() == pytest.approx(1 / 5, abs=0.02)
    assert same[classes[..., 0] == 5].mean() == pytest.approx(1 / 6, abs=0.02)
    with pytest.raises(InputError, match="has one class, and a loss needs two"):
        MPerClassBatches([0, 0, 0], 6, 2, draw="replacement")
    with pytest.raises(InputError, match="no draw 'twice'; choose from spread, replacement"):
        MPerClassBatches(LABELS, 12, 3, draw="twice")


@pytest.mark.parametrize(
    ("size", "per_class", "message"),
    [
        (10, 3, "can't have 3 of each class; choose a multiple of 3"),
        (16, 2, "needs 8 classes, but there are 7; choose at least 3 of each class, or a smaller batch"),
        (4, 4, "has one class, and a loss needs two"),
    ],
)
def test_batches_that_cannot_be_are_refused(size: int, per_class: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MPerClassBatches(LABELS, size, per_class)
