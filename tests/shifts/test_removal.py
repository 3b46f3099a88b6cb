"""Class removal against the reference, and how far it goes."""

import numpy as np
import pytest

from likeness.shifts import removal_splits


def ids(row: np.ndarray) -> list[int]:
    return [int(each) for each in row if each >= 0]


OFFICIAL = [
    f"removal_per{per}_{direction}_from_{start}"
    for per in (1, 2)
    for direction, start in [("forward", "initial"), ("forward", "swapped"), ("inverse", "initial")]
]


@pytest.mark.parametrize("name", OFFICIAL)
def test_the_authors_rule_gives_their_splits_in_their_order(splits: dict[str, np.ndarray], name: str) -> None:
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


def test_half_of_the_classes_remain(means: np.ndarray) -> None:
    found = removal_splits(means, range(10), range(10, 20), 50)
    assert [len(each.train) for each in found] == [10, 9, 8, 7, 6, 5]
    assert len(removal_splits(means, range(10), range(10, 20), 50, per_step=2)) == 3


def test_what_lies_nearest_to_the_other_side_goes_first(means: np.ndarray) -> None:
    _, after = removal_splits(means, range(10), range(10, 20), 1)
    nearest = int(np.linalg.norm(means[:10] - means[10:].mean(0), axis=1).argmin())
    assert set(range(10)) - set(after.train) == {nearest}
