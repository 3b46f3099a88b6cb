"""Searching settings: trial after trial, each a run of its own, so that a sweep that is stopped or killed goes on at the step where it was."""

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
    """Searches good settings for a run, or goes on with that; then trains the base and the best trial with each seed that is asked for.

    A trial is judged by the selection metric on the validation images, of its best weights; the test images have no say. Settings of a trial
    follow from the sweep's seed and the trials before, and a run that was killed goes on from its checkpoint: a sweep that is stopped and resumed
    has the trials, settings and figures of an undisturbed one, on the same machine. A trial whose settings do not fit each other, whose loss is
    not finite or whose batches do not fit the memory has failed, counts, and the next one begins.

    Args:
        config: what is searched, or its YAML file, or the folder of a sweep that goes on.
        folder, progress: where the sweep lies or will lie (None: `runs/NAME`); called with (runs done, runs, the next run in words) before each.

    Returns:
        The sweep: `.trials()`, `.best()`, `.figures()`, `.importance()`.

    Raises:
        InputError: Optuna is not installed, a config that does not fit, data that cannot be read, a folder with another sweep, one that another
            process runs, no trial that finished, or what kept a run from being written; the next call goes on.
    """
    found = _folder_of(config, folder)
    with found.working(found.config().trial_count) as report:
        history, base = found.history, found.base()
        report(len(history.trials()), "Reading images")
        run_images(base.data, base.seed)  # what every trial would stumble over is said before the first one
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
    """The trials that are missing; whether somebody stopped one."""
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
    """Trains a trial, or goes on with it, and keeps its figure; whether somebody stopped it."""
    run = folder.run(trial)
    before = run.status()
    if before.state == "running" and before.pid != os.getpid():
        raise InputError(f"The run in '{run.path}' is running already (process {before.pid}); stop it first, and resume the sweep.")
    try:
        config = folder.trial_config(trial)
        judge = _Judge(history, run, config)
        state = judge.train()
    except InputError as error:
        if isinstance(error.__cause__, OSError):  # of the machine, and not of these settings
            raise
        if run.stop_requested():  # by a person, while it read its images
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
    """Trains a trial's run as long as the pruner lets it, by its figures on the validation images.

    What the pruner says follows from these figures alone, never from the moment at which they are looked at.
    """

    def __init__(self, history: "TrialHistory", run: RunFolder, config: RunConfig) -> None:
        self._history, self._run, self._config = history, run, config
        self._metric, self._evaluations = config.selection_metric, 0

    def train(self) -> str:
        """ "finished", "pruned", or "stopped" where a person stopped the run."""
        from likeness.training import train

        if self.pruned_at() is None:
            train(self._config, self._run.path, self._watch)
        if (epoch := self.pruned_at()) is not None:
            self._run.end("stopped", f"Pruned: after epoch {epoch} the figure was worse than the median of the trials before.")
            return "pruned"
        return self._run.status().state

    def figures(self) -> dict[int, float]:
        """Of the validation images, by epoch."""
        measured, name = self._run.metrics(), f"validation_{self._metric}"
        if name not in measured:
            return {}
        rows = measured[measured[name].notna() & (measured["epoch"] > 0)]
        return {round(epoch): float(figure) for epoch, figure in zip(rows["epoch"], rows[name], strict=True)}

    def pruned_at(self) -> int | None:
        """The epoch after which the pruner ends the run, or None; a run that came to its last epoch is judged as a whole."""
        return self._history.pruned_at({epoch: figure for epoch, figure in self.figures().items() if epoch < self._config.epochs})

    def figures_until_pruned(self) -> dict[int, float]:
        """Those that the pruner went by."""
        last = self.pruned_at()
        return {epoch: figure for epoch, figure in self.figures().items() if last is not None and epoch <= last}

    def value(self) -> float:
        """The figure of the best weights, which are kept."""
        return checkpoint_figures(self._run.metrics(), self._metric, "best")[f"validation_{self._metric}"]

    def _watch(self, done: int, total: int, stage: str = "") -> None:
        """Looks at the figures after each evaluation."""
        if stage != "Training" or not total:
            return
        evaluations = done * self._config.epochs // (total * self._config.evaluate_every)
        if evaluations > self._evaluations:
            self._evaluations = evaluations
            if self.pruned_at() is not None:
                self._run.request_stop()


def _run_best(folder: SweepFolder, progress: Progress, report: Callable[..., None]) -> bool:
    """The base and the best trial with each seed; whether somebody stopped one."""
    cells = folder.cells()
    if not cells:
        reasons = [trial.reason for trial in folder.history.trials() if trial.reason]
        raise InputError(f"No trial of {folder.config().name} has finished; narrow the space. The first one: {reasons[0] if reasons else 'pruned'}")
    report(folder.config().trial_count, "the base and the best trial")
    run_study(cells, progress)
    return any(RunFolder(cell.folder).status().state != "finished" for cell in cells)
