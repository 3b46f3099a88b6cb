import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock

import pandas as pd
import pytest

from likeness import training
from likeness.errors import InputError
from likeness.studies import SweepConfig, SweepFolder, sweep
from likeness.studies.sweeps.history import TrialHistory
from likeness.studies.sweeps.sweep import _Judge
from likeness.training import RunConfig, RunFolder, Status, read_config

METRIC = "validation_recall_at_1"


@pytest.fixture(scope="session")
def hard(search: SweepConfig) -> SweepConfig:
    return search.model_copy(update={"startup": 1, "trials": 5, "changes": {"epochs": 3}})


@pytest.fixture(scope="session")
def whole(hard: SweepConfig, tmp_path_factory: pytest.TempPathFactory) -> SweepFolder:
    import torch

    torch.set_num_threads(1)
    found = sweep(hard, tmp_path_factory.mktemp("whole"))
    assert {trial.state for trial in found.history.trials()} == {"finished", "pruned"}
    return found


def _states(folder: SweepFolder) -> list[str]:
    return [trial.state for trial in folder.history.trials()]


def _metrics(folder: SweepFolder) -> list[list[dict[str, Any]]]:
    runs = sorted((folder.path / "runs").iterdir())
    return [RunFolder(run).metrics().drop(columns="seconds").fillna(-1.0).to_dict("records") for run in runs]


def test_trials_are_runs_and_the_best_stands_beside_the_base(search: SweepConfig, tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    found = sweep(search.model_copy(update={"seeds": (0, 1), "trials": 3}), tmp_path / "rates", lambda *each: told.append(each))
    assert found.status().state == "finished"
    trials = found.trials()
    assert list(trials.columns) == ["trial", "optimizer.rate", "backbone.dim", METRIC, "state", "reason"]
    assert sorted(trials["trial"]) == [0, 1, 2]
    for row in trials.to_dict("records"):
        run = RunFolder(tmp_path / "rates" / "runs" / f"trial-{row['trial']:04d}")
        made = run.config()
        expected = (f"rates trial {row['trial']}", row["optimizer.rate"], row["backbone.dim"])
        assert (made.name, made.optimizer.rate, made.backbone.dim) == expected
        if row["state"] == "finished":
            assert row[METRIC] == run.metrics()[METRIC].iloc[1:].max() == run.report()["best"][METRIC]  # type: ignore[index]
    best = found.best()
    assert best.value == trials[trials["state"] == "finished"][METRIC].max()
    assert trials["trial"][0] == best.number
    figures, chosen = found.figures(), f"trial {best.number}"
    assert list(zip(figures["row"], figures["seed"], strict=True)) == [(row, seed) for seed in (0, 1) for row in ("base", chosen)]
    again = read_config(tmp_path / "rates" / "runs" / f"{best.folder}-seed-1" / "config.yaml")
    assert (again.seed, again.optimizer.rate, again.backbone.dim) == (1, *best.params.values())
    assert read_config(tmp_path / "rates" / "runs" / "base-seed-1" / "config.yaml").optimizer.rate == 0.001
    assert (*told[0][:2], told[0][2][:24]) == (0, 3, "trial 0, optimizer.rate ")
    assert [each[2] for each in told[-4:]] == ["base, seed 0", f"{chosen}, seed 0", "base, seed 1", f"{chosen}, seed 1"]
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "rates" / "trials.csv").drop(columns="reason"), trials.drop(columns="reason"))
    assert pd.read_csv(tmp_path / "rates" / "figures.csv")["recall_at_1"].tolist() == figures["recall_at_1"].tolist()


class _Killed(BaseException):
    """Stands in for the end of the process: nothing of ours catches it."""


def _once(method: Callable[..., Any], call: int, before: bool) -> Callable[..., Any]:
    """The method, whose process ends before or after this call of it."""
    calls = itertools.count(1)

    def killed(*arguments: Any, **named: Any) -> Any:
        ends = next(calls) == call
        result = None if ends and before else method(*arguments, **named)
        if ends:
            raise _Killed
        return result

    return killed


@pytest.mark.long
@pytest.mark.parametrize(
    ("owner", "name", "call", "before"),
    [
        (TrialHistory, "begin", 2, False),  # drawn and kept, not trained
        (RunFolder, "append_metrics", 8, False),  # amid a run, behind its checkpoint
        (RunFolder, "request_stop", 1, True),  # found to be pruned, still running
        (TrialHistory, "_report", 3, False),  # figures kept, state not
        (RunFolder, "write_report", 3, True),  # trained, not told
    ],
)
def test_a_sweep_that_ends_anywhere_and_goes_on_has_the_trials_of_an_undisturbed_one(
    hard: SweepConfig, whole: SweepFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, name: str, call: int, before: bool
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, _once(getattr(owner, name), call, before))
        with pytest.raises(_Killed):
            sweep(hard, tmp_path / "ended")
    assert len(SweepFolder(tmp_path / "ended").history.trials()) <= len(whole.history.trials())
    again = sweep(hard, tmp_path / "ended")
    assert again.history.trials() == whole.history.trials()
    assert _metrics(again) == _metrics(whole)
    assert again.figures().drop(columns="seconds").equals(whole.figures().drop(columns="seconds"))


def test_an_interruption_is_kept_as_a_stop_a_second_call_repeats_nothing_and_more_trials_go_on(
    search: SweepConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, steps, folder = RunFolder.append_metrics, list[int](), tmp_path / "rates"

    def interrupt(run: RunFolder, row: dict[str, Any]) -> None:
        append(run, row)
        steps.append(row["step"])
        if len(steps) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "append_metrics", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sweep(search.model_copy(update={"trials": 2}), folder)
    assert SweepFolder(folder).status().state == "stopped"
    first = sweep(folder).history.trials()
    assert steps[:6] == [0, 1, 2, 3, 3, 4]  # the checkpoint of step 2 was the newest one
    before = {file: file.stat().st_mtime_ns for file in folder.glob("runs/*/report.json")}
    sweep(folder)
    more = sweep(search.model_copy(update={"trials": 3}), folder).history.trials()
    assert all(file.stat().st_mtime_ns == stamp for file, stamp in before.items())
    assert more[:2] == first
    assert len(more) == 3


def test_a_run_that_somebody_stops_while_it_trains_or_reads_images_stops_the_sweep(
    search: SweepConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RunFolder.append_metrics

    def stop(run: RunFolder, row: dict[str, Any]) -> None:
        append(run, row)
        run.request_stop()

    def stop_reading(config: Any, folder: Path, *rest: Any) -> RunFolder:
        RunFolder(folder).create(config)
        RunFolder(folder).request_stop()
        raise InputError("Stopped while reading images.")

    for owner, name, stopping in ((RunFolder, "append_metrics", stop), (training, "train", stop_reading)):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, stopping)
            found = sweep(search, tmp_path / name)
        assert found.status().state == "stopped"
        assert _states(found) == ["running"]
    assert _states(sweep(search, tmp_path / "append_metrics")) != ["running"]


def test_a_pruned_run_ends_early_and_says_why(whole: SweepFolder) -> None:
    pruned = [trial for trial in whole.history.trials() if trial.state == "pruned"]
    assert pruned
    for trial in pruned:
        run = whole.run(trial)
        status = run.status()
        assert (status.state, status.step < status.total, "Pruned: after epoch" in status.message) == ("stopped", True, True)
        assert trial.value == run.metrics()[METRIC].dropna().iloc[-1]
        assert run.report() is None


def test_a_trial_is_not_pruned_by_its_last_epoch(tmp_path: Path) -> None:
    run, config = RunFolder(tmp_path), RunConfig(epochs=3)
    for epoch in range(4):
        run.append_metrics({"step": epoch, "epoch": float(epoch), f"validation_{config.selection_metric}": 0.5})
    judge = _Judge(cast(Any, SimpleNamespace(pruned_at=sorted)), run, config)
    assert (list(judge.figures()), judge.pruned_at()) == ([1, 2, 3], [1, 2])


def test_memory_that_does_not_last_fails_the_trial_alone_and_a_full_disk_none(
    search: SweepConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = training.train

    def full(config: Any, folder: Path, *rest: Any) -> RunFolder:
        if folder.name == "trial-0000":
            raise RuntimeError("CUDA out of memory. Tried to allocate 20 GiB.")
        return train(config, folder, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(training, "train", full)
        found = sweep(search.model_copy(update={"trials": 2}), tmp_path / "rates")
    told = [(trial.state, trial.reason) for trial in found.history.trials()]
    assert told == [("failed", "The batches do not fit the memory of the device."), ("finished", "")]
    monkeypatch.setattr(RunFolder, "append_metrics", MagicMock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(InputError, match="make room on the disk"):
        sweep(search, tmp_path / "full")
    assert SweepFolder(tmp_path / "full").status().state == "failed"
    assert _states(SweepFolder(tmp_path / "full")) == ["running"]


def test_what_keeps_a_sweep_from_its_end_is_said(search: SweepConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = {"batch.per_class": [3, 5], "optimizer.rate": [0.1, 0.2]}
    with pytest.raises(InputError, match=r"No trial of rates has finished; narrow the space\. The first one: .*not a multiple of per_class"):
        sweep(SweepConfig.model_validate(search.model_dump() | {"space": space, "trials": 2}), tmp_path / "none")
    with pytest.raises(InputError, match="nowhere"):  # before the first trial
        sweep(search.model_copy(update={"changes": {"data.source": str(tmp_path / "nowhere")}}), tmp_path / "absent")
    assert SweepFolder(tmp_path / "absent").history.trials() == []
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.delitem(sys.modules, "likeness.studies.sweeps.history")
    with pytest.raises(InputError, match=r'needs the package optuna; install it with: pip install "likeness\[sweeps\]"'):
        sweep(search, tmp_path / "rates")


def test_the_best_is_that_of_the_validation_images_and_smaller_is_better_where_it_is_a_distance(
    search: SweepConfig, base: dict[str, Any], tmp_path: Path
) -> None:
    data = base["data"] | {"split": "images", "validation": 12, "labels": {"kind": "numbers", "columns": ["x"]}}
    changed = base | {"data": data, "objective": {"name": "log-ratio"}, "batch": {"size": 12, "nearest": 2, "drawn": 2}}
    distances = SweepConfig(base=changed, space={"optimizer.rate": [0.1, 0.2]})
    for config, metric, order in ((search, METRIC, [1, 2, 0, 3, 4]), (distances, "validation_mean_label_distance_at_10", [3, 0, 1, 2, 4])):
        folder = SweepFolder(tmp_path / metric)
        folder.create(config)
        assert (len(folder.trials()), folder.importance(), folder.best(), len(folder.figures())) == (0, {}, None, 0)
        assert not any((folder.path / name).exists() for name in ("trials.db", "trials.csv"))
        for value in (0.4, 0.9, 0.9, 0.2):
            folder.history.finish(folder.history.begin(), value, {})
        folder.history.prune(folder.history.begin(), {1: 1.0})
        assert folder.metric == metric
        assert folder.best().number == order[0]
        assert folder.trials()["trial"].tolist() == order


def test_a_folder_with_another_sweep_is_refused_and_what_does_not_change_the_trials_is_the_same_one(search: SweepConfig, tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path / "rates")
    folder.create(search)
    for changes in ({"seed": 1}, {"startup": 3}, {"changes": {"epochs": 7}}):
        with pytest.raises(InputError, match="holds another sweep; choose another folder, or resume that one"):
            sweep(search.model_copy(update=changes), folder.path)
    folder.create(search.model_copy(update={"trials": 9, "seeds": (0, 1), "note": "more", "changes": {"workers": 1}}))
    assert (folder.config().trials, folder.config().seeds, folder.base().workers) == (9, (0, 1), 1)


def test_a_sweep_or_run_that_another_process_has_is_refused(search: SweepConfig, tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path / "rates")
    folder.create(search)
    run = folder.run(folder.history.begin())
    run.path.mkdir(parents=True)
    for what, task in (("run", run), ("sweep", RunFolder(folder.path))):
        task.report_status(Status("running", pid=os.getppid()))
        with pytest.raises(InputError, match=rf"The {what} in .* is running already \(process"):
            sweep(search, folder.path)
