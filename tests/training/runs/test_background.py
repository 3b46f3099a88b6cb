"""Runs in processes of their own: begun, stopped, resumed, refused."""

from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.training.config import RunConfig
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


def test_a_finished_run_is_not_begun_again(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(config)
    run.report_status(Status("finished", 9, 9))
    with pytest.raises(InputError, match="is finished; choose another name"):
        start_run(run, config)


def test_a_folder_with_another_run_is_refused(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(config)
    with pytest.raises(InputError, match="another config"):
        start_run(run, config.model_copy(update={"seed": 5}))
    assert run.status().state == "new"


def test_a_place_that_cannot_be_written_is_one_sentence(config: RunConfig, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written"):
        start_run(RunFolder(tmp_path / "file" / "run"), config)


def test_what_a_failing_process_said_can_be_read(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    data = config.data.model_copy(update={"attribute": "nothing"})
    start_run(run, config.model_copy(update={"data": data}))
    assert _until(run, "failed", "lost") == "failed"
    assert "has no attribute 'nothing'" in run.status().message
    wait_until(lambda: "has no attribute 'nothing'" in tail_log(run))  # the status is written first


def test_a_run_that_never_began_has_said_nothing(tmp_path: Path) -> None:
    assert tail_log(RunFolder(tmp_path)) == ""
