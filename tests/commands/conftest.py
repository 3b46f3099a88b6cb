"""Command lines that succeed."""

from collections.abc import Callable

import pytest

from worlds import Run


@pytest.fixture
def ok(run: Run) -> Callable[..., tuple[str, str]]:
    """Runs a command line, `likeness` and these arguments, which ends without an error; stdout and stderr."""

    def call(*arguments: object) -> tuple[str, str]:
        status, out, err = run(*map(str, arguments))
        assert status == 0, err
        return out, err

    return call
