import pytest

from likeness.errors import InputError
from likeness.shifts import group_halves, read_splits


def test_siblings_share_a_side_and_the_halves_are_about_equal() -> None:
    groups = ["jay", "wren", "wren", "gull", "wren", "gull", "crow", "owl"]
    # wren (3) on one side, gull (2) on the other, then crow, jay, owl to the smaller one
    assert group_halves(groups) == ([0, 1, 2, 4], [3, 5, 6, 7])


def test_groups_that_cannot_be_divided_are_refused() -> None:
    with pytest.raises(InputError, match="2 groups of 4 classes leave 1 of them on one side; each side needs 2"):
        group_halves(["a", "a", "a", "b"])


def test_the_halves_of_the_birds_keep_families_together() -> None:
    forth, back = read_splits("cub100-families").splits
    assert (forth.train, forth.test) == (back.test, back.train)
    assert (len(forth.train), len(forth.test)) == (50, 50)
    families = [{name.split()[-1] for name in side} for side in (forth.train, forth.test)]
    assert not families[0] & families[1]
