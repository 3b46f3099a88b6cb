"""Waiting for what other threads and processes do: for a condition, never for a time."""

import time
import urllib.request
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
_SECONDS = 600.0  # for a machine that does much else; what hangs is ended by the limit of each test


def wait_until(holds: Callable[[], Found], seconds: float = _SECONDS) -> Found:
    """The first answer that is true."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, f"this did not come about within {seconds:.0f} s"
        time.sleep(0.02)
    return found


def answers(url: str) -> bool:
    """Whether a server is there and finds what is asked for."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False
