"""Class swapping against the reference, against the equations taken literally, and its faults."""

from typing import Any

import numpy as np
import pytest

from likeness.shifts import frechet_distance, swap_splits

EVEN, ODD = range(0, 20, 2), range(1, 20, 2)


@pytest.mark.parametrize("per_step", [1, 2])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_the_authors_rule_gives_their_splits_in_their_order(splits: dict[str, np.ndarray], per_step: int, direction: str) -> None:
    name = f"swap_per{per_step}_{direction}"
    found = swap_splits(splits["class_means"], splits["train_ids"], splits["test_ids"], 19, per_step, direction == "inverse", "official")
    assert [each.train for each in found] == [tuple(row) for row in splits[f"{name}_train"].tolist()]
    assert [each.test for each in found] == [tuple(row) for row in splits[f"{name}_test"].tolist()]
    assert np.allclose([each.distance for each in found], splits[f"{name}_fid"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("per_step", [1, 2])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_the_equations_as_printed(splits: dict[str, np.ndarray], per_step: int, direction: str) -> None:
    name = f"paper_swap_per{per_step}_{direction}"
    found = swap_splits(splits["class_means"], splits["train_ids"], splits["test_ids"], 19, per_step, direction == "inverse")
    assert [sorted(each.train) for each in found] == splits[f"{name}_train_sorted"].tolist()
    assert [sorted(each.test) for each in found] == splits[f"{name}_test_sorted"].tolist()
    assert np.allclose([each.distance for each in found], splits[f"{name}_fid_exact"], rtol=1e-9, atol=0)


def test_one_exchange_is_that_of_the_highest_scores(means: np.ndarray) -> None:
    start, after = swap_splits(means, EVEN, ODD, 1)

    def score(row: int, own: Any, other: Any) -> float:
        return float(np.linalg.norm(means[row] - means[list(own)].mean(0)) - np.linalg.norm(means[row] - means[list(other)].mean(0)))

    leaves = max(EVEN, key=lambda row: score(row, EVEN, ODD)), max(ODD, key=lambda row: score(row, ODD, EVEN))
    assert start.train == tuple(EVEN)
    assert set(after.train) == {*EVEN, leaves[1]} - {leaves[0]}
    assert after.distance == frechet_distance(means[list(after.train)], means[list(after.test)])


def test_swapping_parts_the_groups_and_its_inverse_mixes_them(means: np.ndarray) -> None:
    apart = swap_splits(means, EVEN, ODD, 5, rule="official")
    assert apart[-1].distance > 5 * apart[0].distance
    assert set(apart[-1].train) in ({*range(10)}, {*range(10, 20)})
    mixed = swap_splits(means, range(10), range(10, 20), 5, inverse=True, rule="official")
    assert mixed[-1].distance < 0.2 * mixed[0].distance


def test_every_class_stays_on_one_side(means: np.ndarray) -> None:
    for each in swap_splits(means, EVEN, ODD, 8, per_step=2):
        assert sorted([*each.train, *each.test]) == list(range(20))
