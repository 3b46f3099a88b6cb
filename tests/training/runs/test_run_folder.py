import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.training.config import RunConfig, with_changes
from likeness.training.runs.background import start_run, tail_log
from likeness.training.runs.run_folder import RunFolder, Status, checkpoint_figures, find_run, is_running, list_runs, process_mark, trained_folders
from waiting import wait_until


def test_status_is_read_back_a_broken_one_counts_as_new_and_a_process_that_is_gone_as_lost(tmp_path: Path) -> None:
    run, file = RunFolder(tmp_path / "run"), tmp_path / "run" / "status.json"
    assert run.status() == Status()
    status = Status("stopped", 3, 9, "why", 0, 1.5)
    run.report_status(status)
    assert run.status() == status
    running = Status("running", 3, 9, "", os.getpid())
    file.write_text(json.dumps(vars(running)))  # from before there were marks
    assert run.status() == running
    for broken in ('{"state": "run', "[]", "3", '{"process": 3, "state": "running", "pid": 1e99}'):
        file.write_text(broken)
        assert run.status() == Status()
    run.report_status(running)
    assert run.status().state == "running"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    run.report_status(Status("running", 3, 9, "", ended.pid))
    assert (run.status().state, run.status().step) == ("lost", 3)
    assert not run.stop_requested()
    run.request_stop()
    assert RunFolder(run.path).stop_requested()
    run.clear_stop()
    run.clear_stop()
    assert not run.stop_requested()


def test_metrics_leave_out_a_line_that_is_being_written(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    assert run.metrics().empty
    for step in (1, 2, 3):
        run.append_metrics({"step": step, "loss": step / 2})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')
    assert run.metrics()["step"].tolist() == [1, 2, 3]
    run.drop_metrics_after(2)
    assert run.metrics()["loss"].tolist() == [0.5, 1.0]


def test_runs_are_listed_newest_first_those_of_a_sweep_by_their_place_and_found_by_folder_and_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    for number, name in enumerate(("a", "rates/runs/trial-0000", "b")):
        run = RunFolder(runs / name)
        run.create(RunConfig(name=name))
        run.best.write_bytes(b"")
        for file in (run.best, run.path / "config.yaml"):
            os.utime(file, (number, number))
    (runs / "no run").mkdir()
    names = ["b", "rates/runs/trial-0000", "a"]
    assert [run.name for run in list_runs(runs)] == names
    assert trained_folders(runs) == [runs / name for name in names]
    assert [run.name for run in list_runs(runs / "rates" / "runs")] == ["trial-0000"]
    assert list_runs(tmp_path / "absent") == []
    monkeypatch.setenv("LIKENESS_RUNS", str(runs))
    for each in (runs / "a", f"run:{runs}/a", "run:a", "a"):
        assert find_run(each).path == runs / "a"
    for each in ("", "run:", "c", tmp_path):
        with pytest.raises(InputError, match="There is no run"):
            find_run(each)
    with pytest.raises(InputError, match="There is no run in"):
        RunFolder(tmp_path).config()


def test_a_changed_figure_of_a_report_is_noticed_and_one_without_checksum_is_taken(tmp_path: Path) -> None:
    run, file = RunFolder(tmp_path), tmp_path / "report.json"
    report = {"name": "a", "last": {"recall_at_1": 0.8125, "step": 9}}
    run.write_report(report)
    assert run.report() == report
    file.write_text(file.read_text().replace("0.8125", "0.9125"))
    with pytest.raises(InputError, match=r"'report.json' of the run '.*' is damaged .*; delete it and resume the run"):
        run.report()
    file.write_text(json.dumps(report))
    assert run.report() == report


def test_figures_of_the_best_weights_are_those_of_the_report_or_of_the_evaluation_that_kept_them(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    run.create(RunConfig())
    assert run.best_figures() == {}
    for step, kept in ((0, True), (3, True), (6, False)):
        row = {"step": step, "epoch": step / 3, "recall_at_1": 0.5 + step / 100}
        run.append_metrics(row | ({"best_of": row["recall_at_1"]} if kept else {}))
    assert run.best_figures() == {"step": 3, "epoch": 1.0, "recall_at_1": 0.53}
    run.write_report({"name": "a", "best": {"step": 3, "recall_at_1": 0.53, "matched_recall_at_1": 0.7}})
    assert run.best_figures() == {"step": 3, "recall_at_1": 0.53, "matched_recall_at_1": 0.7}


WITH_PROC = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="there is no /proc")


@WITH_PROC
def test_a_lost_run_whose_number_another_process_has_is_lost_and_can_be_resumed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        mark = process_mark(other.pid)
        assert mark == process_mark(other.pid) != ""
        assert is_running(other.pid, mark)
    assert not is_running(other.pid, mark)
    assert process_mark(other.pid) == ""
    assert is_running(os.getpid())
    assert not is_running(0)
    run, file = RunFolder(tmp_path), tmp_path / "status.json"
    for pid in (os.getpid(), os.getppid()):  # in a container the same numbers come again, perhaps our own
        for earlier in (True, False):  # a later start, or a restart of the machine
            run.report_status(Status("running", 3, 9, "", pid))
            assert run.status().state == "running"
            fields = json.loads(file.read_text())
            boot, start = fields["process"].split()
            fields["process"] = f"{boot} {int(start) - 7}" if earlier else f"{boot[::-1]} {start}"
            file.write_text(json.dumps(fields))
            assert (run.status().state, run.status().step, run.status().pid) == ("lost", 3, 0)
            assert run.start_or_resume(RunConfig()).state == "lost"
            assert (run.status().state, run.status().pid) == ("running", os.getpid())


def measured(folder: Path) -> pd.DataFrame:
    """An untrained network and three evaluations, of which the second is the best; NMI is highest where R@1 is not."""
    run = RunFolder(folder)
    run.append_metrics({"step": 0, "epoch": 0.0, "recall_at_1": 0.9, "nmi": 0.1})
    for step, recall, nmi in ((2, 0.4, 0.8), (4, 0.6, 0.5), (6, 0.5, 0.6)):
        run.append_metrics({"step": step - 1, "epoch": (step - 1) / 2, "loss": 1.0, "rate": 0.1})
        best = {"best_of": recall} if step < 6 else {}
        run.append_metrics({"step": step, "epoch": step / 2, "loss": 1.0, "rate": 0.1, "seconds": 3.0, "recall_at_1": recall, "nmi": nmi} | best)
    return run.metrics()


def test_all_figures_are_of_the_same_weights(tmp_path: Path) -> None:
    frame = measured(tmp_path)
    assert checkpoint_figures(frame, "recall_at_1", "best") == {"step": 4, "epoch": 2.0, "recall_at_1": 0.6, "nmi": 0.5}
    assert checkpoint_figures(frame, "recall_at_1", "last") == {"step": 6, "epoch": 3.0, "recall_at_1": 0.5, "nmi": 0.6}
    for untrained in (frame.iloc[:1], frame.iloc[:1].drop(columns="best_of")):
        assert checkpoint_figures(untrained, "recall_at_1", "last") == {"step": 0, "epoch": 0.0, "recall_at_1": 0.9, "nmi": 0.1}
        assert checkpoint_figures(untrained, "recall_at_1", "best") == {}
    assert checkpoint_figures(pd.DataFrame(), "recall_at_1", "last") == checkpoint_figures(frame, "ndcg_at_10", "last") == {}


def _until(run: RunFolder, *states: str) -> str:
    return wait_until(lambda: run.status().state in states and run.status().state)


@pytest.mark.long
def test_a_run_is_stopped_while_it_comes_up_resumed_and_stopped_again(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    pid = start_run(run, config.model_copy(update={"epochs": 3_000}))
    assert run.status().state == "running"
    assert run.status().pid == pid
    with pytest.raises(InputError, match="is running; stop it first"):
        start_run(run)
    run.request_stop()
    assert _until(run, "stopped", "failed") == "stopped"
    step = run.status().step
    assert step <= 1

    start_run(run)
    assert run.status().state == "running"
    wait_until(lambda: run.status().state != "running" or run.status().step > step + 2)
    run.request_stop()
    assert _until(run, "stopped", "failed") == "stopped"
    assert run.checkpoint.is_file()
    assert run.status().step > step + 2


def test_what_cannot_be_begun_is_one_sentence(config: RunConfig, tmp_path: Path) -> None:
    run, other = RunFolder(tmp_path / "run"), config.model_copy(update={"seed": 5})
    run.create(config)
    (tmp_path / "file").write_text("in the way")
    for folder, asked, message in (
        (run, other, "another config"),
        (RunFolder(tmp_path / "file" / "run"), config, "cannot be written"),
    ):
        with pytest.raises(InputError, match=message):
            start_run(folder, asked)
    assert run.status().state == "new"
    run.report_status(Status("finished", 9, 9))
    with pytest.raises(InputError, match="is finished; choose another name"):
        start_run(run, config)


@pytest.mark.long
def test_what_a_failing_process_said_can_be_read(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    assert tail_log(run) == ""
    start_run(run, with_changes(config, {"data.attribute": "nothing"}))
    assert _until(run, "failed", "lost") == "failed"
    assert "has no attribute 'nothing'" in run.status().message
    wait_until(lambda: "has no attribute 'nothing'" in tail_log(run))  # the status is written before the process says why
