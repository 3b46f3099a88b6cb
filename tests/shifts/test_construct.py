"""The whole progression, of a table's classes too, and the files made of it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from likeness.data import ImageClasses, ImageTable
from likeness.errors import InputError
from likeness.shifts import (
    SplitOptions,
    build_splits,
    choose_steps,
    class_mean_features,
    divisible_classes,
    frechet_distance,
    group_halves,
    list_splits,
    read_splits,
    removal_splits,
    split_file,
    split_steps,
    splits_from,
    start_halves,
    swap_splits,
    write_splits,
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


def test_a_control_removes_as_many_classes_at_random(means: NDArray[np.float64]) -> None:
    plain, steps = split_steps(means, *SIDES), split_steps(means, *SIDES, control=True, seed=3)
    assert steps[: len(plain)] == plain
    removed, controls = ({step.number: step.split for step in steps if step.kind == kind} for kind in ("removal", "random"))
    assert removed.keys() == controls.keys()
    before = next(step.split for step in reversed(plain) if step.kind == "swap")
    for number, split in controls.items():
        theirs = removed[number]
        assert (len(split.train), len(split.test)) == (len(theirs.train), len(theirs.test))
        assert set(split.train) < set(before.train)
        assert set(split.test) < set(before.test)
        assert split.distance == pytest.approx(frechet_distance(means[list(split.train)], means[list(split.test)]), rel=1e-4)
    assert controls[max(controls)].distance < removed[max(removed)].distance
    others = {step.number: step.split for step in split_steps(means, *SIDES, control=True, seed=4) if step.kind == "random"}
    assert others != controls
    chosen = choose_steps(steps, 5)
    assert [step.split.distance for step in chosen] == sorted(step.split.distance for step in chosen)
    assert [step for step in chosen if step.kind != "random"] == choose_steps(plain, 5)
    assert {step.number for step in chosen if step.kind == "random"} == {step.number for step in chosen if step.kind == "removal"}
    assert any(step.name.startswith("random ") for step in chosen)


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


def test_means_of_classes() -> None:
    rng = np.random.default_rng(1)
    labels = rng.permutation(np.repeat(np.arange(5), [1, 4, 2, 7, 3]))
    rows = rng.standard_normal((17, 3)).astype(np.float32)
    expected = np.stack([rows[labels == each].astype(np.float64).mean(axis=0) for each in range(5)])
    np.testing.assert_allclose(class_mean_features(rows, labels, 5), expected, atol=1e-12)


def test_halves_of_the_classes_and_of_groups_that_share_a_side() -> None:
    assert start_halves(5) == ([0, 1], [2, 3, 4])
    train, test = start_halves(21, random=True, seed=2)
    assert (len(train), sorted(train + test)) == (10, list(range(21)))
    assert (train, test) == start_halves(21, random=True, seed=2) != start_halves(21, random=True, seed=3)
    # wren (3) on one side, gull (2) on the other, then crow, jay, owl to the smaller one
    assert group_halves(["jay", "wren", "wren", "gull", "wren", "gull", "crow", "owl"]) == ([0, 1, 2, 4], [3, 5, 6, 7])


def test_the_halves_of_the_birds_keep_families_together() -> None:
    forth, back = read_splits("cub100-families").splits
    assert (forth.train, forth.test) == (back.test, back.train)
    assert (len(forth.train), len(forth.test)) == (50, 50)
    families = [{name.split()[-1] for name in side} for side in (forth.train, forth.test)]
    assert not families[0] & families[1]


def _table(labels: list[str]) -> ImageTable:
    return ImageTable("few", Path("/"), pd.DataFrame({"path": [f"{row}.png" for row in range(len(labels))], "kind": labels}))


def test_classes_that_can_be_divided() -> None:
    assert divisible_classes(_table(list("aabbccdd")), ["kind"]).names == list("abcd")
    with pytest.raises(InputError, match="By kind there are 3 classes"):
        divisible_classes(_table(list("aabbcc")), ["kind"])
    with pytest.raises(InputError, match="few with two images"):
        divisible_classes(_table(list("aabcde")), ["kind"])


@pytest.mark.parametrize("options", [SplitOptions(), SplitOptions(2, "official", "score", easier=True, half="classes", control=True, random=True)])
def test_splits_are_the_steps_and_say_how_they_were_made(options: SplitOptions) -> None:
    means = np.random.default_rng(0).normal(size=(8, 5))
    images = [1, 2, 3, 4, 5, 6, 7, 8]
    classes = ImageClasses([*"abcdefgh"], np.array([*np.repeat(np.arange(8), images), -1]))
    splits = build_splits(means, classes, options, dataset="few", attribute="kind", encoder="own")
    counted = images if options.half == "images" else None
    steps = split_steps(
        means, *start_halves(8, options.random), options.per_step, options.rule, options.removal, options.easier, counted, options.control
    )
    assert [split.name for split in splits] == [step.name for step in steps]
    for split, step in zip(splits, steps, strict=True):
        assert split.distance == pytest.approx(step.split.distance)
        assert set(split.train) == {[*"abcdefgh"][number] for number in step.split.train}
    assert (splits.rule, splits.removal, splits.per_step, splits.dataset) == (options.rule, options.removal, options.per_step, "few")
    assert splits.half == options.half


def test_some_of_the_splits_cover_the_range_and_have_the_start(tmp_path: Path) -> None:
    classes = ImageClasses([*"abcdefgh"], np.repeat(np.arange(8), 2))
    splits = build_splits(np.random.default_rng(1).normal(size=(8, 5)), classes, SplitOptions(), dataset="few", attribute="kind")
    some = splits.evenly(2)
    assert len(some.splits) == 2
    assert "start" in [split.name for split in some]
    assert set(some.splits) <= set(splits.splits)
    write_splits(tmp_path / "mine.json", some)
    (tmp_path / "notes.txt").write_text("none")
    assert list(list_splits(tmp_path)) == ["mine"]
    assert read_splits(list_splits(tmp_path)["mine"]) == some
