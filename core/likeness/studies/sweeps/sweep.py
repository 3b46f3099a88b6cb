"""Runs a sweep: trial after trial, each a run, so that a stopped or killed sweep resumes at the same step."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.progress import Progress, no_progress
from likeness.studies.study import run_study
from likeness.studies.sweeps.config import SweepConfig, Trial, read_sweep, settings_text
from likeness.studies.sweeps.folder import SweepFolder
from likeness.training import RunConfig, RunFolder, checkpoint_figures, run_images

if TYPE_CHECKING:
    from likeness.studies.sweeps.history import TrialHistory


def sweep(config: SweepConfig | Path | str, folder: Path | str | None = None, progress: Progress | None = None) -> SweepFolder:
    """Starts or resumes a hyperparameter search, then trains the base and the best trial with each of the final seeds.

    A trial is evaluated by the selection metric of its best weights on the validation images, never on test images. Its settings are determined by
    the sweep's seed and the earlier trials, and a killed run resumes from its checkpoint: on the same machine, a resumed sweep has the trials,
    settings and metrics of an uninterrupted one. A trial whose settings do not fit each other, whose loss is not finite or whose batches do not fit
    into memory fails and counts as a trial.

    Args:
        config: the config, its YAML file, or the folder of a sweep to resume.
        folder, progress: the sweep's folder (None: `runs/NAME`); called with (runs done, runs, title of the next run) before each.

    Returns:
        The sweep: `.trials()`, `.best()`, `.figures()`, `.importance()`.

    Raises:
        InputError: Optuna is not installed, an invalid config, unreadable data, a folder with another sweep or a running one, no finished trial, or a
            run that cannot be written; the next call resumes.
    """
    found = _folder_of(config, folder)
    with found.working(found.config().trial_count) as report:
        history, base = found.history, found.base()
        report(len(history.trials()), "Reading images")
        run_images(base.data, base.seed)  # reports errors that all trials would have before the first one
        progress = progress or no_progress
        stopped = _run_trials(found, history, progress, report) or _run_best(found, progress, report)
        found.write_tables()
        report(len(history.trials()), "", "stopped" if stopped else "finished")
    return found


def _folder_of(config: SweepConfig | Path | str, folder: Path | str | None) -> SweepFolder:
    if not isinstance(config, SweepConfig) and (Path(config) / "sweep.yaml").is_file():
        return SweepFolder(config)
    chosen = config if isinstance(config, SweepConfig) else read_sweep(config)
    found = SweepFolder(folder or runs_dir() / chosen.name)
    found.create(chosen)
    return found


def _run_trials(folder: SweepFolder, history: "TrialHistory", progress: Progress, report: Callable[..., None]) -> bool:
    """Runs the missing trials; returns whether somebody stopped one."""
    total = folder.config().trial_count
    while (trial := history.unfinished()) or len(history.trials()) < total:
        trial = trial or history.begin()
        stage = f"trial {trial.number}, {settings_text(trial.params)}"
        report(trial.number, stage)
        progress(trial.number, total, stage)
        if _run_trial(folder, history, trial):
            return True
        folder.write_tables()
    return False


def _run_trial(folder: SweepFolder, history: "TrialHistory", trial: Trial) -> bool:
    """Starts or resumes a trial and stores its result; returns whether somebody stopped it."""
    run = folder.run(trial)
    before = run.status()
    if before.state == "running" and before.pid != os.getpid():
        raise InputError(f"The run in '{run.path}' is running already (process {before.pid}); stop it first, and resume the sweep.")
    try:
        config = folder.trial_config(trial)
        judge = _Judge(history, run, config)
        state = judge.train()
    except InputError as error:
        if isinstance(error.__cause__, OSError):  # an error of the machine, not of these settings
            raise
        if run.stop_requested():  # by a person, while it was reading images
            return True
        history.fail(trial, str(error))
        return False
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        history.fail(trial, "The batches do not fit the memory of the device.")
        return False
    if state == "finished":
        history.finish(trial, judge.value(), judge.figures())
    elif state == "pruned":
        history.prune(trial, judge.figures_until_pruned())
    return state == "stopped"


class _Judge:
    """Trains a trial's run until the pruner ends it, by its validation metrics.

    The pruner's decision depends only on these metrics, not on when they are read.
    """

    def __init__(self, history: "TrialHistory", run: RunFolder, config: RunConfig) -> None:
        self._history, self._run, self._config = history, run, config
        self._metric, self._evaluations = config.selection_metric, 0

    def train(self) -> str:
        """Returns "finished", "pruned", or "stopped" if a person stopped the run."""
        from likeness.training import train

        if self.pruned_at() is None:
            train(self._config, self._run.path, self._watch)
        if (epoch := self.pruned_at()) is not None:
            self._run.end("stopped", f"Pruned: after epoch {epoch} the metric was worse than the median of earlier trials.")
            return "pruned"
        return self._run.status().state

    def figures(self) -> dict[int, float]:
        """Validation metrics by epoch."""
        measured, name = self._run.metrics(), f"validation_{self._metric}"
        if name not in measured:
            return {}
        rows = measured[measured[name].notna() & (measured["epoch"] > 0)]
        return {round(epoch): float(figure) for epoch, figure in zip(rows["epoch"], rows[name], strict=True)}

    def pruned_at(self) -> int | None:
        """The epoch after which the pruner ends the run, or None; a run that reached its last epoch is not pruned."""
        return self._history.pruned_at({epoch: figure for epoch, figure in self.figures().items() if epoch < self._config.epochs})

    def figures_until_pruned(self) -> dict[int, float]:
        """The metrics up to the pruned epoch."""
        last = self.pruned_at()
        return {epoch: figure for epoch, figure in self.figures().items() if last is not None and epoch <= last}

    def value(self) -> float:
        """The metric of the best weights, which are kept."""
        return checkpoint_figures(self._run.metrics(), self._metric, "best")[f"validation_{self._metric}"]

    def _watch(self, done: int, total: int, stage: str = "") -> None:
        """Checks the metrics after each evaluation."""
        if stage != "Training" or not total:
            return
        evaluations = done * self._config.epochs // (total * self._config.evaluate_every)
        if evaluations > self._evaluations:
            self._evaluations = evaluations
            if self.pruned_at() is not None:
                self._run.request_stop()


def _run_best(folder: SweepFolder, progress: Progress, report: Callable[..., None]) -> bool:
    """Trains the base and the best trial with each seed; returns whether somebody stopped one."""
    cells = folder.cells()
    if not cells:
        reasons = [trial.reason for trial in folder.history.trials() if trial.reason]
        raise InputError(f"No trial of {folder.config().name} has finished; narrow the space. The first one: {reasons[0] if reasons else 'pruned'}")
    report(folder.config().trial_count, "the base and the best trial")
    run_study(cells, progress)
    return any(RunFolder(cell.folder).status().state != "finished" for cell in cells)
