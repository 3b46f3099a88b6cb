"""Trials as Optuna keeps and draws them: the same ones from the same trials before, however often the file is closed."""

from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

from likeness.errors import InputError
from likeness.studies import SweepConfig, Trial
from likeness.studies.sweeps.history import TrialHistory


def _value(trial: Trial) -> float:
    """A made-up figure: best at a rate of 0.003."""
    return -abs(np.log10(trial.params["optimizer.rate"]) + 2.5) + trial.params["backbone.dim"] / 100


def _run(file: Path, config: SweepConfig, count: int, reopen: bool) -> list[Trial]:
    history = TrialHistory(file, config, True)
    for _ in range(count):
        trial = history.begin()
        if reopen:
            history = TrialHistory(file, config, True)
            assert history.unfinished() == trial
        history.finish(trial, _value(trial), {1: _value(trial) - 0.1, 2: _value(trial)})
    return history.trials()


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_settings_follow_from_the_seed_and_the_trials_before(search: SweepConfig, tmp_path: Path, sampler: Any) -> None:
    config = search.model_copy(update={"sampler": sampler, "startup": 3})
    whole, reopened = (_run(tmp_path / f"{name}.db", config, 9, name == "reopened") for name in ("whole", "reopened"))
    assert whole == reopened
    assert len({trial.params["optimizer.rate"] for trial in whole}) == 9
    other = _run(tmp_path / "other.db", config.model_copy(update={"seed": 1}), 1, False)
    assert other[0].params != whole[0].params


def test_draws_are_those_of_optuna(search: SweepConfig, file: Path) -> None:
    """Beside a study of Optuna's own in memory, whose sampler is exchanged before each trial."""
    trials = _run(file, search, 6, False)
    study = optuna.create_study(direction="maximize")
    space = {
        "optimizer.rate": optuna.distributions.FloatDistribution(1e-5, 1e-1, log=True),
        "backbone.dim": optuna.distributions.CategoricalDistribution(["4", "8"]),
    }
    for trial in trials:
        seed = int(np.random.SeedSequence([0, trial.number]).generate_state(1)[0])
        study.sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=2)
        asked = study.ask(space)
        assert {key: str(value) for key, value in trial.params.items()} == {key: str(value) for key, value in asked.params.items()}
        study.tell(asked, trial.value)


def test_a_grid_is_tried_wholly_and_each_combination_once(search: SweepConfig, file: Path) -> None:
    space = {"optimizer.rate": [0.01, 0.1], "backbone.dim": {"low": 2, "high": 8, "step": 3}}
    config = SweepConfig.model_validate(search.model_dump() | {"sampler": "grid", "space": space})
    trials = _run(file, config, 6, True)
    assert {(trial.params["optimizer.rate"], trial.params["backbone.dim"]) for trial in trials} == {(r, d) for r in (0.01, 0.1) for d in (2, 5, 8)}


def test_choices_of_any_kind_come_back_as_they_were(search: SweepConfig, file: Path) -> None:
    choices = [None, True, 1, 1.5, "1", ["a"], {"margin": 0.1}]
    config = SweepConfig.model_validate(search.model_dump() | {"sampler": "grid", "space": {"x": choices}, "trials": None})
    history = TrialHistory(file, config, True)
    for _ in choices:
        history.fail(history.begin(), "not tried")
    found = [trial.params["x"] for trial in history.trials()]
    assert sorted(map(repr, found)) == sorted(map(repr, choices))


@pytest.mark.parametrize("larger_is_better", [True, False])
def test_a_trial_below_the_median_ends_once_enough_have_finished(search: SweepConfig, file: Path, larger_is_better: bool) -> None:
    sign = 1 if larger_is_better else -1
    curves = [{1: 0.2, 2: 0.5}, {1: 0.4, 2: 0.6}, {1: 0.6, 2: 0.9}]
    history, weak = TrialHistory(file, search.model_copy(update={"startup": 3}), larger_is_better), {1: sign * 0.41, 2: sign * 0.55, 3: sign * 0.0}
    for curve in curves:
        assert history.pruned_at(weak) is None
        history.finish(history.begin(), sign * curve[2], {epoch: sign * figure for epoch, figure in curve.items()})
    best = [max(sign * weak[each] for each in range(1, epoch + 1)) for epoch in (1, 2)]
    expected = [figure < np.median([curve[epoch] for curve in curves]) for epoch, figure in zip((1, 2), best, strict=True)]
    assert expected == [False, True]
    assert history.pruned_at(weak) == 2
    assert history.pruned_at({1: sign * 0.41}) is None
    assert history.pruned_at({1: sign * 0.39}) == 1
    assert history.pruned_at({}) is None


def test_what_became_of_trials_is_kept(search: SweepConfig, file: Path) -> None:
    history = TrialHistory(file, search, True)
    assert history.unfinished() is None
    history.finish(history.begin(), 0.5, {1: 0.4, 2: 0.5})
    history.prune(history.begin(), {1: 0.3})
    history.fail(history.begin(), "The loss is nan.")
    history.begin()
    found = TrialHistory(file, search, True).trials()
    assert [(trial.number, trial.state, trial.value, trial.reason) for trial in found] == [
        (0, "finished", 0.5, ""),
        (1, "pruned", 0.3, ""),
        (2, "failed", None, "The loss is nan."),
        (3, "running", None, ""),
    ]


def test_a_setting_that_decides_is_the_important_one(search: SweepConfig, file: Path) -> None:
    history = TrialHistory(file, search.model_copy(update={"sampler": "random"}), True)
    for number in range(12):
        assert (history.importance() == {}) == (number < 4)
        trial = history.begin()
        history.finish(trial, -abs(np.log10(trial.params["optimizer.rate"]) + 2.5), {})
    found = history.importance()
    assert sum(found.values()) == pytest.approx(1)
    assert found["optimizer.rate"] > found["backbone.dim"]


def test_what_a_killed_process_was_making_is_made_anew(search: SweepConfig, file: Path) -> None:
    for name in (".trials.db.partial", ".trials.db.partial-journal"):
        file.with_name(name).write_bytes(b"half made")
    assert TrialHistory(file, search, True).trials() == []
    assert [each.name for each in file.parent.glob("*trials*")] == ["trials.db"]


def test_a_file_that_is_no_history_is_named(search: SweepConfig, file: Path) -> None:
    file.write_text("something else")
    with pytest.raises(InputError, match=r"trials.db' holds no trials of a sweep"):
        TrialHistory(file, search, True)
