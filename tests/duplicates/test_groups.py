"""Groups are stars: every member is a copy of the best, and no two that stay are copies of each other."""

import numpy as np
import pandas as pd
import pytest

from likeness import Space
from likeness.data import ImageTable
from likeness.duplicates import ExactCopies, copy_groups, equal_groups, near_copies
from likeness.errors import InputError


def turned(degrees: list[float]) -> Space:
    angles = np.radians(degrees)
    return Space(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def test_a_chain_is_no_group_and_the_best_image_gathers_its_copies_first() -> None:
    space = turned([0, 10, 20, 30, 40, 180])  # each near to the next alone, and one far away
    found = copy_groups(near_copies(space, np.cos(np.radians(11))), len(space))
    assert found.frame().to_numpy()[:, :3].tolist() == [[0, 0, True], [0, 1, False], [1, 2, True], [1, 3, False]]
    assert found.kept.tolist() == [0, 2, 4, 5]
    assert found.dropped.tolist() == [1, 3]
    space = turned([0, 10, 20, 30])
    found = copy_groups(near_copies(space, np.cos(np.radians(11))), 4, rank=[3, 0, 1, 2])
    assert found.best.tolist() == [1]
    assert found.rows.tolist() in ([1, 0, 2], [1, 2, 0])
    assert found.kept.tolist() == [1, 3]
    np.testing.assert_allclose(found.similarities, [1, *np.cos(np.radians([10, 10]))], atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_laws_on_random_images(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space, threshold = Space(rng.standard_normal((300, 3))), 0.95
    found = copy_groups(near_copies(space, threshold), 300, rng.permutation(300))
    assert len(np.unique(found.rows)) == len(found.rows)
    assert sorted([*found.kept, *found.dropped]) == list(range(300))
    similar = space.vectors @ space.vectors.T >= threshold - 1e-6
    for best, own in zip(found.best, (found.rows[found.group == group] for group in range(len(found))), strict=True):
        assert own[0] == best
        assert len(own) > 1
        assert similar[best, own].all()
    stay = similar[np.ix_(found.kept, found.kept)]
    assert stay.sum() == len(found.kept)  # each with itself alone
    assert similar[np.ix_(found.dropped, found.kept)].any(axis=1).all()


def test_equal_images_keep_the_best_and_frames_have_paths(tmp_path: object) -> None:
    table = ImageTable("x", tmp_path, pd.DataFrame({"path": ["a.png", "b.png", "c.png"]}))  # type: ignore[arg-type]
    found = copy_groups(near_copies(turned([0, 90, 1]), 0.99), 3)
    assert found.frame(table)["path"].tolist() == ["a.png", "c.png"]
    apart = near_copies(turned([0, 90]), 0.99)
    none = copy_groups(apart, 2)
    assert len(none.frame(table)) == len(none) == 0
    with pytest.raises(InputError, match="pass one for each"):
        copy_groups(apart, 2, rank=[0, 1, 2])
    found = equal_groups(ExactCopies((np.array([0, 3, 4]), np.array([2, 5]))), 6, rank=[5, 0, 2, 1, 4, 3])
    assert found.frame()[["group", "row", "similarity"]].to_numpy().tolist() == [[0, 3, 1], [0, 4, 1], [0, 0, 1], [1, 2, 1], [1, 5, 1]]
    assert found.kept.tolist() == [1, 2, 3]
