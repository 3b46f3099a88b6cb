"""Processes are told apart by more than their numbers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from likeness.training.runs.run_folder import is_running, process_mark

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="there is no /proc")


def test_the_mark_of_a_process_stays_and_is_its_own() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert process_mark(other.pid) == process_mark(other.pid) != ""
        assert is_running(other.pid, process_mark(other.pid))
        mark = process_mark(other.pid)
    assert not is_running(other.pid, mark)
    assert process_mark(other.pid) == ""


def test_a_number_that_another_process_has_now_is_not_running() -> None:
    boot, start = process_mark(os.getpid()).split()
    assert is_running(os.getpid(), f"{boot} {start}")
    assert not is_running(os.getpid(), f"{boot} {int(start) - 1}")
    assert not is_running(os.getpid(), f"00000000-0000-0000-0000-000000000000 {start}")


def test_without_a_mark_the_number_alone_counts() -> None:
    assert is_running(os.getpid())
    assert not is_running(0)
