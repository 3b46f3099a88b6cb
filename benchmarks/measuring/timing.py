"""The time that a piece of work takes."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Timed(NamedTuple):
    """Seconds on the clock, seconds of all processor cores together, and what the work returned."""

    seconds: float
    cpu_seconds: float
    result: Any


def best_of(runs: int, work: Callable[[], Any]) -> Timed:
    """The shortest of several runs, clock and processor each for itself; the result of the last."""
    seconds, cpu_seconds, result = [], [], None
    for _ in range(runs):
        begin, cpu_begin = time.perf_counter(), time.process_time()
        result = work()
        seconds.append(time.perf_counter() - begin)
        cpu_seconds.append(time.process_time() - cpu_begin)
    return Timed(min(seconds), min(cpu_seconds), result)
