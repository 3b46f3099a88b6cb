"""A sweep on disk: its config, trials, their runs, and result tables."""

from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd
import yaml

from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.io import csv_bytes, write_atomic
from likeness.studies.study import Cell, measured
from likeness.studies.sweeps.config import SweepConfig, Trial, read_sweep
from likeness.training import RunConfig, RunFolder, TaskFolder, config_from, with_changes

if TYPE_CHECKING:
    from likeness.studies.sweeps.history import TrialHistory

BASE = "base"


class SweepFolder(TaskFolder):
    """The files of a sweep: `sweep.yaml`, `trials.db` of Optuna, a run in `runs/` for each trial, and the tables `trials.csv` and `figures.csv`."""

    kind = "sweep"

    def create(self, config: SweepConfig) -> None:
        """Writes the config, with the changes applied to the base.

        InputError: as `SweepConfig.run_config`, or the folder holds another sweep; the number of trials and `seeds` may differ.
        """
        base = config.run_config()
        if (self.path / "sweep.yaml").is_file() and not _same_sweep(self.config(), config, base):
            raise InputError(f"The folder '{self.path}' holds another sweep; choose another folder, or resume that one: likeness sweep {self.path}")
        content = config.model_copy(update={"base": base.model_dump(mode="json"), "changes": {}}).model_dump(mode="json")
        write_atomic(self.path / "sweep.yaml", yaml.safe_dump(content, sort_keys=False, allow_unicode=True).encode())

    def config(self) -> SweepConfig:
        """Reads the config. InputError: there is no sweep."""
        file = self.path / "sweep.yaml"
        if not file.is_file():
            raise InputError(f"There is no sweep in '{self.path}'; start one with `likeness sweep`.")
        return read_sweep(file)

    def base(self) -> RunConfig:
        """The config that trials start from."""
        return config_from(self.config().base, "The base")

    @cached_property
    def history(self) -> "TrialHistory":
        """Its trials in Optuna. InputError: Optuna is not installed, or `trials.db` is damaged."""
        try:
            from likeness.studies.sweeps.history import TrialHistory
        except ImportError as error:
            raise InputError('A sweep needs the package optuna; install it with: pip install "likeness[sweeps]"') from error
        return TrialHistory(self.path / "trials.db", self.config(), self.larger_is_better())

    def larger_is_better(self) -> bool:
        return find_metric(self.base().selection_metric).larger_is_better is not False

    @property
    def metric(self) -> str:
        return f"validation_{self.base().selection_metric}"

    def trial_config(self, trial: Trial) -> RunConfig:
        """The config of a trial. InputError: settings that do not fit each other."""
        return with_changes(self.base(), {**trial.params, "name": f"{self.config().name} trial {trial.number}"})

    def run(self, trial: Trial) -> RunFolder:
        return RunFolder(self.path / "runs" / trial.folder)

    def best(self) -> Trial | None:
        """The finished trial with the best metric on the validation images, the first if tied."""
        finished = [trial for trial in self._trials() if trial.state == "finished"]
        sign = -1 if self.larger_is_better() else 1
        return min(finished, key=lambda trial: sign * (trial.value or 0.0), default=None)

    def trials(self) -> pd.DataFrame:
        """A row per trial: trial, settings, metric on the validation images, state, reason; best first, then pruned and failed ones."""
        sign, order = -1 if self.larger_is_better() else 1, ("finished", "running", "pruned", "failed")
        ordered = sorted(self._trials(), key=lambda trial: (order.index(trial.state), sign * (trial.value or 0.0), trial.number))
        rows = [{"trial": each.number, **each.params, self.metric: each.value, "state": each.state, "reason": each.reason} for each in ordered]
        return pd.DataFrame(rows, columns=["trial", *self.config().space, self.metric, "state", "reason"])

    def importance(self) -> dict[str, float]:
        """`TrialHistory.importance`; empty before the first trial."""
        return self.history.importance() if self._has_trials() else {}

    def cells(self) -> list[Cell]:
        """The final runs with test metrics, of the base and of the best trial with each seed; none before a trial has finished."""
        config, base, best = self.config(), self.base(), self.best()
        if best is None:
            return []
        chosen, found = self.trial_config(best), []
        for seed in config.seeds or (base.seed,):
            own = best.folder if seed == base.seed else f"{best.folder}-seed-{seed}"
            named = with_changes(base, {"name": f"{config.name} {BASE}", "seed": seed})
            found.append(Cell(BASE, seed, named, self.path / "runs" / f"{BASE}-seed-{seed}"))
            found.append(Cell(f"trial {best.number}", seed, with_changes(chosen, {"seed": seed}), self.path / "runs" / own))
        return found

    def figures(self) -> pd.DataFrame:
        """Test metrics of the weights chosen by the validation images: a row per finished run of `cells`: row, seed, seconds and every metric."""
        return measured(self.cells(), "best")

    def write_tables(self) -> None:
        for name, table in (("trials", self.trials()), ("figures", self.figures())):
            if len(table):
                write_atomic(self.path / f"{name}.csv", csv_bytes(table))

    def _has_trials(self) -> bool:
        return (self.path / "trials.db").is_file()

    def _trials(self) -> list[Trial]:
        return self.history.trials() if self._has_trials() else []


def _same_sweep(ours: SweepConfig, theirs: SweepConfig, base: RunConfig) -> bool:
    """Whether both have the same trials: all but their number and the final runs agree."""
    searched = [config.model_dump(exclude={"note", "base", "changes", "trials", "seeds"}) for config in (ours, theirs)]
    return searched[0] == searched[1] and config_from(ours.base, "The base").same_run(base)
