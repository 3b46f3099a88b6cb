"""Fixtures for the experiments' tests: those of all tests, and command lines."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from conftest import *  # noqa: F403
from experiments.command_line import run as begin


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs `python -m experiments` with these arguments; exit status, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["experiments", *arguments])
        status: Any = 0
        try:
            begin()
        except SystemExit as end:
            status = end.code or 0
        return int(status), *capfd.readouterr()

    return call
