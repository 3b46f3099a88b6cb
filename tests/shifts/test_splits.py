"""Class swapping and removal against the reference and the equations taken literally."""

import numpy as np
import pytest

from likeness.shifts import removal_splits, swap_splits

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


def test_half_of_the_classes_remain_and_swapping_parts_the_groups(means: np.ndarray) -> None:
    apart = swap_splits(means, EVEN, ODD, 5, rule="official")
    assert apart[-1].distance > 5 * apart[0].distance
    assert set(apart[-1].train) in ({*range(10)}, {*range(10, 20)})
    mixed = swap_splits(means, range(10), range(10, 20), 5, inverse=True, rule="official")
    assert mixed[-1].distance < 0.2 * mixed[0].distance
    found = removal_splits(means, range(10), range(10, 20), 50)
    assert [len(each.train) for each in found] == [10, 9, 8, 7, 6, 5]
    assert len(removal_splits(means, range(10), range(10, 20), 50, per_step=2)) == 3


def test_half_of_the_images_remain_whatever_their_classes(means: np.ndarray) -> None:
    images = np.ones(20, dtype=int)
    removed = [step.train for step in removal_splits(means, range(10), range(10, 20), 50)]
    images[list(set(removed[0]) - set(removed[1]))] = 41  # the first train class to go holds two thirds of the 60 images
    assert len(removal_splits(means, range(10), range(10, 20), 50, images=images)) == 1
    images[:] = 1
    images[list(removed[-1])] = 100  # what is left at half of the classes holds nearly all of the images
    found = removal_splits(means, range(10), range(10, 20), 50, images=images)
    assert len(found) > len(removed)
    for step in found:
        assert images[[*step.train, *step.test]].sum() >= 0.5 * images.sum()
    images[:] = 0
    images[list(found[-1].train[:2])] = 100
    assert len(removal_splits(means, range(10), range(10, 20), 50, images=images)[-1].test) >= 2  # a distance needs two classes


def ids(row: np.ndarray) -> list[int]:
    return [int(each) for each in row if each >= 0]


OFFICIAL = [
    f"removal_per{per}_{direction}_from_{start}"
    for per in (1, 2)
    for direction, start in [("forward", "initial"), ("forward", "swapped"), ("inverse", "initial")]
]


@pytest.mark.parametrize("name", OFFICIAL)
def test_the_authors_rule_removes_in_their_order(splits: dict[str, np.ndarray], name: str) -> None:
    train, test = splits[f"{name}_train"], splits[f"{name}_test"]
    found = removal_splits(
        splits["class_means"], ids(train[0]), ids(test[0]), len(train) - 1, 1 if "per1" in name else 2, "inverse" in name, "official"
    )
    assert [list(each.train) for each in found] == [ids(row) for row in train]
    assert [list(each.test) for each in found] == [ids(row) for row in test]
    assert np.allclose([each.distance for each in found], splits[f"{name}_fid"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("per_step", [1, 2])
@pytest.mark.parametrize("start", ["initial", "swapped"])
@pytest.mark.parametrize(("rule", "named"), [("paper", "othermean"), ("score", "score")])
def test_the_papers_words(splits: dict[str, np.ndarray], per_step: int, start: str, rule: str, named: str) -> None:
    name = f"paper_removal_{named}_per{per_step}_from_{start}"
    train, test = splits[f"{name}_train_sorted"], splits[f"{name}_test_sorted"]
    found = removal_splits(splits["class_means"], ids(train[0]), ids(test[0]), len(train) - 1, per_step, rule=rule)  # type: ignore[arg-type]
    assert [sorted(each.train) for each in found] == [ids(row) for row in train]
    assert [sorted(each.test) for each in found] == [ids(row) for row in test]
    assert np.allclose([each.distance for each in found], splits[f"{name}_fid_exact"], rtol=1e-9, atol=0)
