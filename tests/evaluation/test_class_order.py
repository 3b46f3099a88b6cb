import numpy as np
import pytest

from likeness.errors import InputError
from likeness.evaluation import clustered_order


def test_blocks_stand_together() -> None:
    block = np.array([0, 1, 2, 0, 1, 2, 0, 1])
    similarities = np.where(block[:, None] == block, 0.9, 0.1) + 0.01 * np.abs(np.subtract.outer(range(8), range(8)))
    order = clustered_order(similarities)
    assert sorted(order.tolist()) == list(range(8))
    assert np.count_nonzero(np.diff(block[order])) == 2


def test_a_line_is_found_in_order() -> None:
    places = np.array([3.0, 0.5, 2.1, 1.2, 4.4])
    order = clustered_order(-np.abs(np.subtract.outer(places, places))).tolist()
    assert order in ([1, 3, 2, 0, 4], [4, 0, 2, 3, 1])


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(InputError, match="There are 1,001 classes, but at most 1,000"):
        clustered_order(np.eye(1001))
