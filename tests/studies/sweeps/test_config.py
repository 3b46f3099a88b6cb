from pathlib import Path
from typing import Any

import pytest
import yaml

from likeness.errors import InputError
from likeness.studies import SweepConfig, read_sweep
from likeness.studies.sweeps.config import Domain


def _read(folder: Path, content: dict[str, Any]) -> SweepConfig:
    (folder / "mine.yaml").write_text(yaml.safe_dump(content))
    return read_sweep(folder / "mine.yaml")


def test_a_file_says_ranges_and_choices_and_is_named_after_itself(base: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "rates.yaml").write_text(
        "base: shipped-cars-elg\nspace:\n  optimizer.rate: {low: 1e-6, high: 1.0e-3, log: true}\n"
        "  batch.per_class: [2, 4]\n  backbone.dim: {low: 8, high: 32}\n"
    )
    found = read_sweep(tmp_path / "rates.yaml")
    assert found.name == "rates"
    assert found.trial_count == 20
    rate, per_class, dim = (found.space[key] for key in ("optimizer.rate", "batch.per_class", "backbone.dim"))
    assert (rate.limits, rate.is_integer, rate.log) == ((1e-6, 1e-3), False, True)
    assert per_class.choices == (2, 4)
    assert (dim.limits, dim.is_integer, dim.count) == ((8, 32), True, 25)


def test_a_sweep_reads_back_with_its_changes_and_values_that_fit_only_beside_others(search: SweepConfig, tmp_path: Path) -> None:
    content = search.model_dump()
    assert _read(tmp_path, search.model_dump(mode="json")) == search
    assert search.model_copy(update={"changes": {"epochs": 7}}).run_config().epochs == 7
    space = {"batch.size": [4, 9], "batch.per_class": [2, 3]}
    assert SweepConfig.model_validate(content | {"space": space}).run_config().batch.size == 4
    with pytest.raises(InputError, match=r"There is no sweep file 'none\.yaml'"):
        read_sweep("none.yaml")
    # a grid has as many trials as combinations, or fewer
    content |= {"sampler": "grid", "space": {"optimizer.rate": [0.1, 0.2, 0.3], "backbone.dim": {"low": 2, "high": 3}}}
    assert [SweepConfig(**content | {"trials": trials}).trial_count for trials in (None, 4, 9)] == [6, 4, 6]


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        ({"low": 0.1, "high": 0.45, "step": 0.1}, [0.1, 0.2, 0.3, 0.4]),
        ({"low": 2, "high": 9, "step": 3}, [2, 5, 8]),
        ({"low": 1, "high": 3}, [1, 2, 3]),
        ([None, {"margin": 0.1}, True], [None, {"margin": 0.1}, True]),
    ],
)
def test_values_that_can_be_listed(domain: Any, values: list[Any]) -> None:
    found = Domain.model_validate(domain)
    assert [found.value(place) for place in range(found.count or 0)] == values


def _of(domain: Any) -> dict[str, Any]:
    return {"space": {"optimizer.rate": domain}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (_of({"low": 1.0, "high": 0.1}), r"space.optimizer.rate: low 1.0 is not below high 0.1"),
        (_of({"low": 0, "high": 0.1, "log": True}), "log needs a low above 0, but low is 0"),
        (_of({"low": 0.1, "high": 1, "log": True, "step": 0.1}), "log and step 0.1 exclude each other"),
        (_of({"low": 0.1, "high": 1, "step": 2}), "step 2 does not fit between low 0.1 and high 1"),
        (_of({"low": 0.1}), "a range needs low and high"),
        (_of({"low": 0.1, "high": float("inf")}), "must be finite numbers"),
        (_of({"low": 0.1, "high": 1, "logs": True}), "there is no key 'space.optimizer.rate.logs'"),
        (_of({"low": 0.1, "high": 1, "choices": [1, 2]}), "choices and a range exclude each other"),
        (_of([0.1]), "a list needs at least two values"),
        (_of([0.1, 0.2, 0.1]), "0.1 is listed twice"),
        (_of(0.1), "write a range"),
        (_of([0.1, "fast"]), "The space has optimizer.rate = 'fast'"),
        ({"spaces": {}}, "there is no key 'spaces'"),
        ({"space": {}}, "space"),
        ({"trials": 0}, "trials is 0"),
        ({"sampler": "best"}, "sampler is 'best'"),
        ({"sampler": "grid"}, "sampler grid tries all values, but optimizer.rate has infinitely many"),
        ({"sampler": "grid", "space": {"optimizer.warmup": {"low": 1, "high": 20000}}}, "the grid has 20,000 combinations"),
        ({"seeds": [1, 1]}, r"seeds \[1, 1\] has a repeated one"),
        ({"space": {"optimizer.rates": [0.1, 0.2]}}, "there is no key 'optimizer.rates'"),
        ({"space": {"objective.name": ["margin", "margins"]}}, "There is no objective 'margins'"),
        ({"space": {"batch.size": [4, 9]}}, "batch: size 9 is not a multiple of per_class 2"),
        ({"space": {"seed": [1, 2]}}, "'seed' cannot be tuned"),
        ({"space": {"data.validation": [1, 2]}}, "'data.validation' changes the training or evaluation images"),
        ({"space": {"data.source": ["a", "b"]}}, "metrics would not be comparable"),
        ({"changes": {"data.validation": 0}}, r"needs validation images, since test images must not be used for .*; set data\.validation"),
    ],
)
def test_what_does_not_fit_is_one_sentence(search: SweepConfig, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _read(tmp_path, search.model_dump(mode="json") | changes).run_config()
