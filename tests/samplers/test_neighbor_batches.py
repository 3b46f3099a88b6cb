"""Batches of anchors and their nearest neighbors by label."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.samplers import NeighborBatches


def nearest(n: int = 30, p: int = 6) -> np.ndarray:
    """Of numbers on a line."""
    apart = np.abs(np.arange(n)[:, None] - np.arange(n)[None]).astype(float)
    np.fill_diagonal(apart, np.inf)
    return np.argsort(apart, axis=1, kind="stable")[:, :p]


def test_anchor_first_then_its_nearest_then_others() -> None:
    batches = NeighborBatches(nearest(p=5), 12)
    for number in range(40):
        batch = batches.batch(number)
        assert len(set(batch.tolist())) == 12
        assert batch[1:6].tolist() == nearest(p=5)[batch[0]].tolist()


def test_each_image_is_an_anchor_once_in_an_epoch() -> None:
    batches = NeighborBatches(nearest(p=2), 8, nearest=2)
    assert batches.epoch == 30
    for epoch in range(3):
        assert sorted(batches.batch(30 * epoch + number)[0] for number in range(30)) == list(range(30))
    assert [batches.batch(number)[0] for number in range(30)] != [batches.batch(30 + number)[0] for number in range(30)]


def test_several_anchors_share_a_batch() -> None:
    batches = NeighborBatches(nearest(p=2), 12, nearest=2, drawn=4)
    assert batches.epoch == 7
    seen = []
    for number in range(8):
        batch = batches.batch(number)
        assert len(set(batch.tolist())) == 12
        assert all(set(nearest(p=2)[anchor]) <= set(batch.tolist()) for anchor in batch[:4])
        seen += batch[:4].tolist()
    assert set(seen[:28]) | set(seen[28:]) == set(range(30))


def test_all_rows_as_anchors_make_shorter_epochs() -> None:
    assert NeighborBatches(nearest(), 10, nearest=6, drawn=1, anchors=10).epoch == 3


def test_neighbors_are_drawn_from_a_pool_and_others_from_beyond() -> None:
    """The authors' binary labels: 2 of the 6 nearest, and none of the other 4."""
    batches, pool, seen = NeighborBatches(nearest(), 10, nearest=2), nearest(), set()
    for number in range(60):
        batch = batches.batch(number)
        assert set(batch[1:3]) <= set(pool[batch[0]])
        assert not set(batch[3:]) & set(pool[batch[0]])
        seen |= {pool[batch[0]].tolist().index(each) for each in batch[1:3]}
    assert seen == set(range(6))


def test_a_batch_is_a_function_of_seed_and_number() -> None:
    first, again = NeighborBatches(nearest(), 10, seed=3), NeighborBatches(nearest(), 10, seed=3)
    assert [again.batch(number).tolist() for number in (5, 2)] == [first.batch(number).tolist() for number in (5, 2)]
    assert first.batch(2).tolist() != NeighborBatches(nearest(), 10, seed=4).batch(2).tolist()


def test_a_batch_of_all_images() -> None:
    assert sorted(NeighborBatches(nearest(), 30, nearest=2).batch(0)) == list(range(30))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"size": 31}, "A batch of 31 images needs as many, and there are 30"),
        ({"size": 10, "nearest": 5, "drawn": 2}, "A batch of 10 can't hold 2 anchors with 5 neighbors each; draw at most 1"),
        ({"size": 20, "nearest": 7}, "nearest is 7, but 6 neighbors are known; choose at most 6"),
    ],
)
def test_bad_input(options: dict[str, int], told: str) -> None:
    with pytest.raises(InputError, match=told):
        NeighborBatches(nearest(), **options)
