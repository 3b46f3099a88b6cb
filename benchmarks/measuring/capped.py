"""Work in a process of its own with an end to its memory and its time, and the memory that it could not share."""

import multiprocessing
import resource
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import likeness  # noqa: F401 (its setting of NumPy's threads goes to the children, ours and the peers')

_SAMPLED_EVERY = 0.02  # seconds


class Capped(NamedTuple):
    """What became of the work.

    Attributes:
        result: what it returned, None where it did not end.
        seconds: on the clock, from the work's first line to its last.
        anonymous_gb: the most that the process held beyond files that it mapped, its interpreter included.
        failure: "", or why there is no result.
    """

    result: Any
    seconds: float
    anonymous_gb: float
    failure: str


def capped(work: Callable[..., Any], *arguments: Any, seconds: float, gigabytes: float) -> Capped:
    """Runs `work(*arguments)`, a function at the top of its module, in a fresh process that may map so much memory and take so long."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(theirs, work, arguments, gigabytes), daemon=True)
    begin = time.perf_counter()
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            return Capped(None, time.perf_counter() - begin, float("nan"), f"more than {seconds:.0f} s")
        return Capped(*ours.recv())
    except EOFError:
        # native code that finds no memory ends the process
        return Capped(None, time.perf_counter() - begin, float("nan"), f"more than {gigabytes:.0f} GB")
    finally:
        process.kill()
        process.join()


def _run(connection: Connection, work: Callable[..., Any], arguments: tuple[Any, ...], gigabytes: float) -> None:
    most = int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    held, done = [0.0], threading.Event()
    watch = threading.Thread(target=_sample, args=(held, done), daemon=True)
    watch.start()
    begin = time.perf_counter()
    try:
        result, failure = work(*arguments), ""
    # torch and faiss have their own words for it
    except (MemoryError, RuntimeError) as error:
        result, failure = None, f"more than {gigabytes:.0f} GB" if _is_memory(error) else f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - begin
    done.set()
    watch.join()
    connection.send((result, seconds, held[0], failure))


def _is_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or any(word in str(error) for word in ("alloc", "memory"))


def _sample(held: list[float], done: threading.Event) -> None:
    while not done.wait(_SAMPLED_EVERY):
        held[0] = max(held[0], _anonymous_gb())


def _anonymous_gb() -> float:
    """Linux alone counts it apart."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024 / 1e9
    return float("nan")
