"""Work in a process of its own, so that its peak memory is its own."""

import multiprocessing
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import likeness  # noqa: F401 (its setting of NumPy's threads goes to the children, ours and the peers')


class Measured(NamedTuple):
    """What the work returned, and the most memory its process ever held, in GB."""

    result: Any
    peak_gb: float


def in_child(work: Callable[..., Any], *arguments: Any) -> Measured:
    """Runs `work(*arguments)` in a fresh process; `work` must be a function at the top of its module."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_measured, work, arguments).result()


def _measured(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Measured:
    result = work(*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Measured(result, peak * (1 if sys.platform == "darwin" else 1024) / 1e9)
