"""Batches of classes near each other, against a slow loop."""

import numpy as np
import pytest
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.samplers import HardClassBatches, MPerClassBatches

LABELS = np.repeat([4, 7, 9, 12, 30, 31, 40], [5, 1, 3, 4, 2, 6, 4])  # class numbers need not be 0 to c - 1


def _embeddings(seed: int = 0) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(41, 5))[LABELS] + 0.3 * rng.normal(size=(len(LABELS), 5)), np.float32)


def _nearest(embeddings: NDArray[np.float32]) -> dict[int, list[int]]:
    """All other classes of each class, nearest first."""
    means = {each: embeddings[each == LABELS].astype(float).mean(axis=0) for each in np.unique(LABELS)}
    return {each: sorted((other for other in means if other != each), key=lambda other: np.linalg.norm(means[each] - means[other])) for each in means}


@pytest.mark.parametrize("drawn", [1, 2, 3, 4])
def test_a_batch_has_its_anchor_classes_and_those_nearest_to_them(drawn: int) -> None:
    batches, nearest = HardClassBatches(LABELS, 8, 2, seed=1, drawn=drawn), _nearest(_embeddings())
    batches.refresh(_embeddings())
    firsts = []
    for number in range(60):
        classes = LABELS[batches.batch(number)].reshape(4, 2)
        assert (classes[:, 0] == classes[:, 1]).all()
        found = classes[:, 0].tolist()
        expected = found[:drawn]
        for rank in range(6):
            for anchor in found[:drawn]:
                if len(expected) < 4 and nearest[anchor][rank] not in expected:
                    expected.append(nearest[anchor][rank])
        assert found == expected
        firsts += found[:drawn]
    counts = np.unique(firsts, return_counts=True)[1]
    assert len(counts) == 7
    assert counts.min() > 0.4 * counts.mean()


def test_a_batch_depends_on_seed_number_and_neighbors_alone_and_changes_with_the_embeddings() -> None:
    first, again, other = (HardClassBatches(LABELS, 6, 2, seed=seed) for seed in (1, 1, 2))
    for each in (first, again, other):
        each.refresh(_embeddings())
    for number in (9, 2, 9):
        np.testing.assert_array_equal(first.batch(number), again.batch(number))
    assert any(first.batch(number).tolist() != other.batch(number).tolist() for number in range(5))
    again.refresh(_embeddings(1))
    assert any(first.batch(number).tolist() != again.batch(number).tolist() for number in range(20))
    again.neighbors = first.neighbors
    np.testing.assert_array_equal(first.batch(4), again.batch(4))


def test_without_embeddings_they_are_those_of_m_per_class() -> None:
    for number in range(5):
        np.testing.assert_array_equal(HardClassBatches(LABELS, 6, 2, 3).batch(number), MPerClassBatches(LABELS, 6, 2, 3).batch(number))


def test_classes_with_equal_means_are_no_neighbors_of_themselves() -> None:
    batches = HardClassBatches(LABELS, 14, 2)
    batches.refresh(np.ones((len(LABELS), 3), np.float32))
    assert batches.neighbors is not None
    assert [sorted([number, *row]) for number, row in enumerate(batches.neighbors.tolist())] == [list(range(7))] * 7
    assert sorted(set(LABELS[batches.batch(0)].tolist())) == np.unique(LABELS).tolist()


@pytest.mark.parametrize("drawn", [0, 4])
def test_more_anchors_than_classes_in_a_batch_are_refused(drawn: int) -> None:
    with pytest.raises(InputError, match=f"A batch has 3 classes, so {drawn} can't be drawn as anchors; draw 1 to 3"):
        HardClassBatches(LABELS, 6, 2, drawn=drawn)
