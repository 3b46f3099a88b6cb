"""The trials of a sweep in Optuna; the only file that imports it, through `SweepFolder.history`.

Stored in SQLite, not in Optuna's journal: a killed process leaves the journal's lock, for which the next one waits half a minute, and possibly an
incomplete line, which makes it unreadable.
"""

import logging
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.pruners import MedianPruner, NopPruner
from optuna.samplers import BaseSampler, GridSampler, RandomSampler, TPESampler
from optuna.storages import BaseStorage, RDBStorage
from optuna.trial import FrozenTrial, TrialState, create_trial
from sqlalchemy import URL
from sqlalchemy.pool import NullPool

from likeness.errors import InputError
from likeness.io import make_folder
from likeness.studies.sweeps.config import Domain, SweepConfig, Trial, choice_text

_NAME = "sweep"
_REASON = "reason"
_FEWEST_FOR_IMPORTANCE = 4


class TrialHistory:
    """Past trials and the choice of the next one. Every step is determined by the config and the earlier trials.

    A trial is stored with all its settings in one transaction when it starts, and with its metrics when it ends: one whose process was killed in
    between is still "running", and is resumed. The SQLite file need not exist yet; `optuna-dashboard` can open it. InputError: the file is not a
    history of trials.
    """

    def __init__(self, file: Path, config: SweepConfig, larger_is_better: bool) -> None:
        optuna.logging.set_verbosity(logging.WARNING)  # the sweep reports its own trials
        self._config, self._space = config, config.space
        self._direction: Literal["maximize", "minimize"] = "maximize" if larger_is_better else "minimize"
        self._distributions = {key: self._distribution(domain) for key, domain in self._space.items()}
        self._storage = self._open(file)
        self._study = optuna.load_study(storage=self._storage, study_name=_NAME)

    def trials(self) -> list[Trial]:
        """All started trials, by number."""
        return [self._trial(frozen) for frozen in self._frozen()]

    def unfinished(self) -> Trial | None:
        """The trial that has started but not ended."""
        return next((trial for trial in self.trials() if trial.state == "running"), None)

    def begin(self) -> Trial:
        """Draws and stores the settings of the next trial."""
        params = self._draw()
        self._study.add_trial(create_trial(state=TrialState.RUNNING, params=params, distributions=self._distributions))
        return self.trials()[-1]

    def pruned_at(self, figures: Mapping[int, float]) -> int | None:
        """The epoch after which the pruner ends a trial with these validation metrics by epoch; or None."""
        pruner = MedianPruner(n_startup_trials=self._config.startup) if self._config.pruner == "median" else NopPruner()
        epochs = sorted(figures)
        for number, epoch in enumerate(epochs, start=1):
            values = {each: figures[each] for each in epochs[:number]}
            if pruner.prune(self._study, create_trial(state=TrialState.RUNNING, intermediate_values=values)):
                return epoch
        return None

    def finish(self, trial: Trial, value: float, figures: Mapping[int, float]) -> None:
        """Stores a trial's value, and its metrics by epoch."""
        self._report(trial, figures)
        self._study.tell(trial.number, value)

    def prune(self, trial: Trial, figures: Mapping[int, float]) -> None:
        """Stores a trial that ended early, after the last epoch of these metrics."""
        self._report(trial, figures)
        self._study.tell(trial.number, state=TrialState.PRUNED)

    def fail(self, trial: Trial, reason: str) -> None:
        """Stores why a trial has failed."""
        self._storage.set_trial_user_attr(self._id(trial), _REASON, reason)
        self._study.tell(trial.number, state=TrialState.FAIL)

    def importance(self) -> dict[str, float]:
        """Importance of each setting for being among the best tenth of trials, summing to 1 (PED-ANOVA); empty before four have finished."""
        if sum(trial.state == "finished" for trial in self.trials()) < _FEWEST_FOR_IMPORTANCE:
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warns of too few trials, as does the note beside the metrics
            found: dict[str, float] = optuna.importance.get_param_importances(self._study)
        return found

    def _open(self, file: Path) -> BaseStorage:
        """Opens the storage, which is created under another name first, so that a killed process leaves no incomplete file."""
        if not file.is_file():
            partial = file.with_name(f".{file.name}.partial")
            for left in (partial, partial.with_name(f"{partial.name}-journal")):
                left.unlink(missing_ok=True)
            make_folder(file.parent)
            optuna.create_study(storage=self._sqlite(partial), study_name=_NAME, direction=self._direction)
            os.replace(partial, file)
        try:
            storage = self._sqlite(file)
            storage.get_study_id_from_name(_NAME)
            return storage
        except Exception as error:  # SQLAlchemy, Alembic and Optuna have their own exceptions
            raise InputError(f"'{file}' holds no trials of a sweep ({type(error).__name__}); restore a copy, or choose another folder.") from error

    def _sqlite(self, file: Path) -> BaseStorage:
        url = URL.create("sqlite", database=str(file.absolute())).render_as_string(hide_password=False)
        return RDBStorage(url, engine_kwargs={"poolclass": NullPool})  # closes connections after each transaction

    def _draw(self) -> dict[str, Any]:
        """Settings of the next trial, drawn in memory from the earlier trials, by a sampler seeded with the trial's number."""
        before = self._frozen()
        study = optuna.create_study(direction=self._direction, sampler=self._sampler(len(before)))
        study.add_trials(before)
        params: dict[str, Any] = study.ask(self._distributions).params
        return params

    def _sampler(self, number: int) -> BaseSampler:
        config = self._config
        seed = int(np.random.SeedSequence([config.seed, number]).generate_state(1)[0])
        if config.sampler == "grid":  # the sampler's seed orders the grid; a trial takes the position of its number
            return GridSampler({key: self._listed(domain) for key, domain in self._space.items()}, seed=config.seed)
        if config.sampler == "random":
            return RandomSampler(seed=seed)
        return TPESampler(seed=seed, n_startup_trials=config.startup)

    def _distribution(self, domain: Domain) -> BaseDistribution:
        if domain.choices is not None:
            return CategoricalDistribution([choice_text(value) for value in domain.choices])
        low, high = domain.limits
        if domain.is_integer:
            return IntDistribution(int(low), int(high), log=domain.log, step=int(domain.step or 1))
        return FloatDistribution(low, high, log=domain.log, step=domain.step)

    def _listed(self, domain: Domain) -> list[Any]:
        values = [domain.value(place) for place in range(domain.count or 0)]
        return values if domain.choices is None else [choice_text(value) for value in values]

    def _frozen(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=True)

    def _trial(self, frozen: FrozenTrial) -> Trial:
        states = {TrialState.RUNNING: "running", TrialState.COMPLETE: "finished", TrialState.PRUNED: "pruned", TrialState.FAIL: "failed"}
        params = {key: self._value(key, frozen.params[key]) for key in self._space}
        return Trial(frozen.number, params, states[frozen.state], frozen.value, str(frozen.user_attrs.get(_REASON, "")))

    def _value(self, key: str, kept: Any) -> Any:
        choices = self._space[key].choices
        return kept if choices is None else next(value for value in choices if choice_text(value) == kept)

    def _report(self, trial: Trial, figures: Mapping[int, float]) -> None:
        for epoch, figure in figures.items():
            self._storage.set_trial_intermediate_value(self._id(trial), epoch, figure)

    def _id(self, trial: Trial) -> int:
        return self._storage.get_trial_id_from_study_id_trial_number(self._storage.get_study_id_from_name(_NAME), trial.number)
