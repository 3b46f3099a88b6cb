"""The whole progression, and the files made of it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from likeness.shifts import (
    choose_steps,
    class_mean_features,
    frechet_distance,
    group_halves,
    read_splits,
    removal_splits,
    split_file,
    split_steps,
    splits_from,
    start_halves,
    swap_splits,
)

CLASSES = 24


@pytest.fixture
def means() -> NDArray[np.float64]:
    """Two groups of classes, dealt out to both sides."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((CLASSES, 10)) + 4.0 * (np.arange(CLASSES) % 2)[:, None] * np.eye(10)[0]


SIDES = range(CLASSES // 2), range(CLASSES // 2, CLASSES)


@pytest.mark.parametrize("rule", ["paper", "official"])
def test_steps_are_those_of_swapping_then_of_removal(means: NDArray[np.float64], rule: str) -> None:
    steps = split_steps(means, *SIDES, rule=rule, easier=True)  # type: ignore[arg-type]
    kinds = [step.kind for step in steps]
    swaps = [step.split for step in steps if step.kind in ("start", "swap")]
    removed = [step.split for step in steps if step.kind == "removal"]
    easier = [step.split for step in steps if step.kind == "easier"]
    assert kinds == sorted(kinds, key=["easier", "start", "swap", "removal"].index)
    assert swaps == swap_splits(means, *SIDES, len(swaps) - 1, rule=rule)  # type: ignore[arg-type]
    assert swaps[-1].distance == max(split.distance for split in swap_splits(means, *SIDES, 12, rule=rule))  # type: ignore[arg-type]
    assert removed == removal_splits(means, swaps[-1].train, swaps[-1].test, len(removed))[1:]
    assert min(len(removed[-1].train), len(removed[-1].test)) == CLASSES // 4
    assert easier[0].distance <= min(split.distance for split in swaps)
    for step in steps:
        assert step.split.distance == pytest.approx(frechet_distance(means[list(step.split.train)], means[list(step.split.test)]), rel=1e-4)
    # the two groups end up on one side each
    assert {each % 2 for each in swaps[-1].train} != {each % 2 for each in swaps[-1].test}


@pytest.mark.parametrize("removal", ["paper", "score", "official"])
def test_half_of_the_classes_remains(means: NDArray[np.float64], removal: str) -> None:
    for step in split_steps(means, *SIDES, per_step=2, removal=removal):  # type: ignore[arg-type]
        assert min(len(step.split.train), len(step.split.test)) * 2 >= CLASSES // 2
        assert not set(step.split.train) & set(step.split.test)


def test_files_say_from_what_they_were_made(means: NDArray[np.float64]) -> None:
    names = [f"class {number}" for number in range(CLASSES)]
    chosen = choose_steps(split_steps(means, *SIDES), 5)
    made = split_file(chosen, names, seed=3, dataset="toy", encoder="eyes", rule="paper", removal="paper", per_step=1)
    assert splits_from(made.model_dump(mode="json")) == made
    assert "start" in {split.name for split in made}
    assert [split.distance for split in made] == sorted(split.distance for split in made)
    for split, step in zip(made, chosen, strict=True):
        assert split.train == tuple(names[row] for row in step.split.train)
        assert len(split.tuning) == round(len(split.train) / 4)
        assert set(split.tuning) <= set(split.train)
    assert made == split_file(chosen, names, seed=3, dataset="toy", encoder="eyes", rule="paper", removal="paper", per_step=1)
    assert made.splits[0].tuning != split_file(chosen, names, seed=4, dataset="toy").splits[0].tuning


def test_halves_of_the_classes() -> None:
    assert start_halves(5) == ([0, 1], [2, 3, 4])
    train, test = start_halves(21, random=True, seed=2)
    assert (len(train), sorted(train + test)) == (10, list(range(21)))
    assert (train, test) == start_halves(21, random=True, seed=2) != start_halves(21, random=True, seed=3)


def test_means_of_classes() -> None:
    rng = np.random.default_rng(1)
    labels = rng.permutation(np.repeat(np.arange(5), [1, 4, 2, 7, 3]))
    rows = rng.standard_normal((17, 3)).astype(np.float32)
    expected = np.stack([rows[labels == each].astype(np.float64).mean(axis=0) for each in range(5)])
    np.testing.assert_allclose(class_mean_features(rows, labels, 5), expected, atol=1e-12)


def test_a_dimension_without_variance_is_no_hindrance(means: NDArray[np.float64]) -> None:
    flat = np.hstack([means, np.full((CLASSES, 1), 7.0)])
    ours, theirs = (split_steps(rows, *SIDES) for rows in (flat, means))
    assert [step.split.train for step in ours] == [step.split.train for step in theirs]
    np.testing.assert_allclose([step.split.distance for step in ours], [step.split.distance for step in theirs], rtol=1e-9)


def test_siblings_share_a_side_and_the_halves_are_about_equal() -> None:
    groups = ["jay", "wren", "wren", "gull", "wren", "gull", "crow", "owl"]
    # wren (3) on one side, gull (2) on the other, then crow, jay, owl to the smaller one
    assert group_halves(groups) == ([0, 1, 2, 4], [3, 5, 6, 7])


def test_the_halves_of_the_birds_keep_families_together() -> None:
    forth, back = read_splits("cub100-families").splits
    assert (forth.train, forth.test) == (back.test, back.train)
    assert (len(forth.train), len(forth.test)) == (50, 50)
    families = [{name.split()[-1] for name in side} for side in (forth.train, forth.test)]
    assert not families[0] & families[1]
