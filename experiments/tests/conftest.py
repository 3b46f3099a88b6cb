"""Fixtures for the experiments' tests: those of all tests, and command lines."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import *  # noqa: F403
from experiments.command_line import run as begin


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of the experiments are for `make test-all`."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.long)


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
