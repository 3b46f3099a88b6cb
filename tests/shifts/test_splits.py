"""Class swapping against the reference, against the equations taken literally, and its faults."""

from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
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


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"test": [0, 1, 3]}, "Class 0 is on both sides"),
        ({"train": [0, 0, 2]}, "names a class twice"),
        ({"train": [0, 2, 99]}, "names class 99, but there are 20"),
        ({"train": [0]}, "has 1 classes, too few"),
        ({"per_step": 11}, "has 10 classes, too few to give 11"),
        ({"per_step": 0}, "per_step is 0"),
        ({"steps": -1}, "steps is -1"),
        ({"rule": "mine"}, "no rule 'mine'"),
    ],
)
def test_what_does_not_fit_is_one_sentence(means: np.ndarray, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        swap_splits(**{"class_means": means, "train": EVEN, "test": ODD, "steps": 1, **changes})


def test_means_that_are_not_finite_are_refused(means: np.ndarray) -> None:
    means[3, 1] = np.nan
    with pytest.raises(InputError, match="not finite"):
        swap_splits(means, EVEN, ODD, 1)


def test_more_exchanges_than_places_that_the_history_leaves_are_refused(means: np.ndarray) -> None:
    with pytest.raises(InputError, match="No class is left to exchange"):
        swap_splits(means, [0, 2, 4], [1, 3, 5], 9, rule="official")
