"""Worker processes that leave interruptions to the main process."""

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Any

from likeness.io.python_process import folder_kept_out


class WorkerPool(ProcessPoolExecutor):
    """A pool of new processes, started as they are needed. They are spawned, not forked: the caller may hold threads (a server, torch), which a
    forked child would inherit half dead. Ctrl-C reaches every process of a terminal's job; these never hear it, from their first moment on: else each
    would print a traceback. An error in the pool's `with` block ends them, whatever they are at.
    """

    def __init__(self, workers: int) -> None:
        with folder_kept_out():  # its queues have a process of their own
            super().__init__(workers, mp_context=get_context("spawn"))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with folder_kept_out(), _interruption_held():
            resource_tracker.ensure_running()  # whose start ends the blocking of signals
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what is blocked here is blocked in a process begun here
            try:
                return super().submit(fn, *args, **kwargs)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1) -> Iterator[Any]:
        """Submits calls one at a time. What is not begun is not canceled at the end: Python 3.11 can't end a pool with canceled work."""
        futures = [self.submit(fn, *arguments) for arguments in zip(*iterables, strict=True)]
        return (future.result(timeout) for future in futures)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            for process in list((self._processes or {}).values()):
                process.terminate()
        self.shutdown(wait=True)


@contextmanager
def _interruption_held() -> Iterator[None]:
    """An interruption waits for the end: one in the midst of a process's start would leave it without its work, or be lost in a callback. Blocking
    SIGINT in this thread does not do: Python takes one that any other thread has received to the main thread.
    """
    if current_thread() is not main_thread():
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(*came[-1])
