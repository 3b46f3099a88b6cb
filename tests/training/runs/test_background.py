"""Runs in processes of their own: begun, stopped, resumed, refused."""

from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.training.config import RunConfig, with_changes
from likeness.training.runs.background import start_run, tail_log
from likeness.training.runs.run_folder import RunFolder, Status
from waiting import wait_until


def _until(run: RunFolder, *states: str) -> str:
    return wait_until(lambda: run.status().state in states and run.status().state)


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


def test_what_a_failing_process_said_can_be_read(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    assert tail_log(run) == ""
    start_run(run, with_changes(config, {"data.attribute": "nothing"}))
    assert _until(run, "failed", "lost") == "failed"
    assert "has no attribute 'nothing'" in run.status().message
    assert "has no attribute 'nothing'" in tail_log(run)
