from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

from likeness.errors import InputError
from likeness.studies import SweepConfig
from likeness.studies.sweeps.config import Trial
from likeness.studies.sweeps.history import TrialHistory


def _value(trial: Trial) -> float:
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
def test_settings_follow_from_the_seed_and_the_trials_before_as_optuna_draws_them(search: SweepConfig, tmp_path: Path, sampler: Any) -> None:
    """Beside a study of Optuna's own in memory, whose sampler is exchanged before each trial."""
    config = search.model_copy(update={"sampler": sampler, "startup": 3})
    whole, reopened = (_run(tmp_path / f"{name}.db", config, 9, name == "reopened") for name in ("whole", "reopened"))
    assert whole == reopened
    assert len({trial.params["optimizer.rate"] for trial in whole}) == 9
    other = _run(tmp_path / "other.db", config.model_copy(update={"seed": 1}), 1, False)
    assert other[0].params != whole[0].params
    study = optuna.create_study(direction="maximize")
    rate, dim = optuna.distributions.FloatDistribution(1e-5, 1e-1, log=True), optuna.distributions.CategoricalDistribution(["4", "8"])
    for trial in whole:
        seed = int(np.random.SeedSequence([0, trial.number]).generate_state(1)[0])
        made = {"tpe": lambda seed: optuna.samplers.TPESampler(seed=seed, n_startup_trials=3), "random": optuna.samplers.RandomSampler}
        study.sampler = made[sampler](seed)
        asked = study.ask({"optimizer.rate": rate, "backbone.dim": dim})
        assert {key: str(value) for key, value in trial.params.items()} == {key: str(value) for key, value in asked.params.items()}
        study.tell(asked, trial.value)


def test_a_grid_is_tried_wholly_and_each_combination_once_whatever_its_choices_are(search: SweepConfig, tmp_path: Path) -> None:
    choices = [None, True, 1, 1.5, "1", ["a"], {"margin": 0.1}]
    space = {"optimizer.rate": [0.01, 0.1], "backbone.dim": {"low": 2, "high": 8, "step": 3}}
    for number, (each, count) in enumerate(((space, 6), ({"x": choices}, 7))):
        config = SweepConfig.model_validate(search.model_dump() | {"sampler": "grid", "space": each, "trials": None})
        for _ in range(count):  # opened anew for each trial
            history = TrialHistory(tmp_path / f"{number}.db", config, True)
            history.fail(history.begin(), "not tried")
        found = [repr(tuple(trial.params.values())) for trial in history.trials()]
        expected = [(value,) for value in choices] if "x" in each else [(r, d) for r in (0.01, 0.1) for d in (2, 5, 8)]
        assert sorted(found) == sorted(map(repr, expected))


@pytest.mark.parametrize("larger_is_better", [True, False])
def test_a_trial_below_the_median_ends_once_enough_have_finished(search: SweepConfig, file: Path, larger_is_better: bool) -> None:
    def of(*figures: float) -> dict[int, float]:
        return {epoch: figure if larger_is_better else -figure for epoch, figure in enumerate(figures, start=1)}

    history = TrialHistory(file, search.model_copy(update={"startup": 3}), larger_is_better)
    weak = of(0.41, 0.55, 0.0)
    for curve in (of(0.2, 0.5), of(0.4, 0.6), of(0.6, 0.9)):  # their medians are 0.4 and 0.6
        assert history.pruned_at(weak) is None
        history.finish(history.begin(), curve[2], curve)
    assert [history.pruned_at(each) for each in (weak, of(0.41), of(0.39), {})] == [2, None, 1, None]


def test_what_became_of_trials_is_kept(search: SweepConfig, file: Path) -> None:
    history = TrialHistory(file, search, True)
    assert history.unfinished() is None
    history.finish(history.begin(), 0.5, {1: 0.4, 2: 0.5})
    history.prune(history.begin(), {1: 0.3})
    history.fail(history.begin(), "The loss is nan.")
    history.begin()
    found = [(trial.number, trial.state, trial.value, trial.reason) for trial in TrialHistory(file, search, True).trials()]
    assert found == [(0, "finished", 0.5, ""), (1, "pruned", 0.3, ""), (2, "failed", None, "The loss is nan."), (3, "running", None, "")]


def test_a_setting_that_decides_is_the_important_one(search: SweepConfig, file: Path) -> None:
    history = TrialHistory(file, search.model_copy(update={"sampler": "random"}), True)
    for number in range(12):
        assert (history.importance() == {}) == (number < 4)
        trial = history.begin()
        history.finish(trial, -abs(np.log10(trial.params["optimizer.rate"]) + 2.5), {})
    found = history.importance()
    assert sum(found.values()) == pytest.approx(1)
    assert found["optimizer.rate"] > found["backbone.dim"]


def test_what_a_killed_process_was_making_is_made_anew_and_a_file_that_is_no_history_is_named(search: SweepConfig, file: Path) -> None:
    for name in (".trials.db.partial", ".trials.db.partial-journal"):
        file.with_name(name).write_bytes(b"half made")
    assert TrialHistory(file, search, True).trials() == []
    assert [each.name for each in file.parent.glob("*trials*")] == ["trials.db"]
    file.write_text("something else")
    with pytest.raises(InputError, match=r"trials.db' holds no trials of a sweep"):
        TrialHistory(file, search, True)
