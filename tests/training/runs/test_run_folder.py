import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.training.config import RunConfig
from likeness.training.runs.checkpoint_figures import checkpoint_figures
from likeness.training.runs.run_folder import RunFolder, Status, find_run, is_running, list_runs, process_mark, trained_folders


def test_status_is_read_back_and_a_broken_file_counts_as_new(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    assert run.status() == Status()
    status = Status("stopped", 3, 9, "why", 0, 1.5)
    run.report_status(status)
    assert run.status() == status
    (run.path / "status.json").write_text('{"state": "run', encoding="utf-8")
    assert run.status() == Status()


def test_a_run_whose_process_is_gone_is_lost(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    run.report_status(Status("running", 3, 9, "", os.getpid()))
    assert run.status().state == "running"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    run.report_status(Status("running", 3, 9, "", ended.pid))
    assert (run.status().state, run.status().step) == ("lost", 3)


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


def test_a_stop_is_asked_for_and_forgotten(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    assert not run.stop_requested()
    run.request_stop()
    assert RunFolder(tmp_path).stop_requested()
    run.clear_stop()
    run.clear_stop()
    assert not run.stop_requested()


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b", "c")):
        RunFolder(tmp_path / name).create(RunConfig(name=name))
        os.utime(tmp_path / name / "config.yaml", (number, number))
    (tmp_path / "no run").mkdir()
    assert [run.name for run in list_runs(tmp_path)] == ["c", "b", "a"]
    assert list_runs(tmp_path / "absent") == []


def test_runs_of_a_sweep_are_listed_by_their_place(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "rates/runs/trial-0000")):
        run = RunFolder(tmp_path / name)
        run.create(RunConfig(name=name))
        run.best.write_bytes(b"")
        for file in (run.best, run.path / "config.yaml"):
            os.utime(file, (number, number))
    assert [run.name for run in list_runs(tmp_path)] == ["rates/runs/trial-0000", "a"]
    assert trained_folders(tmp_path) == [tmp_path / "rates" / "runs" / "trial-0000", tmp_path / "a"]
    assert [run.name for run in list_runs(tmp_path / "rates" / "runs")] == ["trial-0000"]


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("which", ["a later start", "a restart of the machine"])
def test_a_lost_run_whose_number_another_process_has_is_lost_and_can_be_resumed(tmp_path: Path, which: str) -> None:
    run, file = RunFolder(tmp_path), tmp_path / "status.json"
    for pid in (os.getpid(), os.getppid()):  # in a container the same numbers come again, perhaps our own
        run.report_status(Status("running", 3, 9, "", pid))
        assert run.status().state == "running"
        fields = json.loads(file.read_text())
        boot, start = fields["process"].split()
        fields["process"] = f"{boot} {int(start) - 7}" if which == "a later start" else f"{boot[::-1]} {start}"
        file.write_text(json.dumps(fields))
        assert (run.status().state, run.status().step, run.status().pid) == ("lost", 3, 0)
        assert run.start_or_resume(RunConfig()).state == "lost"
        assert (run.status().state, run.status().pid) == ("running", os.getpid())


def test_a_status_from_before_there_were_marks_is_read(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    (tmp_path / "status.json").write_text(json.dumps(vars(Status("running", 3, 9, "", os.getpid()))))
    assert run.status() == Status("running", 3, 9, "", os.getpid())
    for broken in ("[]", "3", '{"process": 3, "state": "running", "pid": 1e99}'):
        (tmp_path / "status.json").write_text(broken)
        assert run.status() == Status()


def test_a_run_is_found_by_its_folder_and_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    RunFolder(tmp_path / "runs" / "a").create(RunConfig(name="a"))
    for name in (tmp_path / "runs" / "a", f"run:{tmp_path}/runs/a", "run:a", "a"):
        assert find_run(name).path == tmp_path / "runs" / "a"
    for name in ("", "run:", "b", tmp_path):
        with pytest.raises(InputError, match="There is no run"):
            find_run(name)


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
def test_the_mark_of_a_process_stays_and_is_its_own() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert process_mark(other.pid) == process_mark(other.pid) != ""
        assert is_running(other.pid, process_mark(other.pid))
        mark = process_mark(other.pid)
    assert not is_running(other.pid, mark)
    assert process_mark(other.pid) == ""


@WITH_PROC
def test_a_number_that_another_process_has_now_is_not_running() -> None:
    boot, start = process_mark(os.getpid()).split()
    assert is_running(os.getpid(), f"{boot} {start}")
    assert not is_running(os.getpid(), f"{boot} {int(start) - 1}")
    assert not is_running(os.getpid(), f"00000000-0000-0000-0000-000000000000 {start}")


def test_without_a_mark_the_number_alone_counts() -> None:
    assert is_running(os.getpid())
    assert not is_running(0)


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


def test_before_training_only_the_last_ones_are_there_and_before_that_none(tmp_path: Path) -> None:
    frame = measured(tmp_path)
    untrained = {"step": 0, "epoch": 0.0, "recall_at_1": 0.9, "nmi": 0.1}
    for first in (frame.iloc[:1], frame.iloc[:1].drop(columns="best_of")):
        assert checkpoint_figures(first, "recall_at_1", "last") == untrained
        assert checkpoint_figures(first, "recall_at_1", "best") == {}
    assert checkpoint_figures(pd.DataFrame(), "recall_at_1", "last") == {}
    assert checkpoint_figures(frame, "ndcg_at_10", "last") == {}
