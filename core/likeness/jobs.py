"""Long work in the background: watched from anywhere, stopped by anyone, kept when the page that began it is left."""

import threading
import time
from collections.abc import Callable
from typing import Any

from likeness.errors import InputError

Report = Callable[..., None]
Work = Callable[[Report, Callable[[], bool]], Any]


class Job:
    """One piece of work on a thread of its own.

    Args:
        title: shown to people.
        work: `work(report, should_stop)`; it calls `report(done, total)` as it goes on and returns early once `should_stop()`.

    Attributes:
        done, total: progress in the work's own units; total is 0 until it is known.
        result: what `work` returned, once `finished`.
        error: one sentence for people, or None.
    """

    def __init__(self, title: str, work: Work) -> None:
        self.title = title
        self.done = 0
        self.total = 0
        self.result: Any = None
        self.error: str | None = None
        self._work = work
        self._stop = threading.Event()
        self._started = self._first_report = time.monotonic()
        self._already = 0
        self._thread = threading.Thread(target=self._run, name=title, daemon=True)
        self._thread.start()

    @property
    def finished(self) -> bool:
        """True once the work has ended, well or not."""
        return not self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """True once a stop was asked for."""
        return self._stop.is_set()

    @property
    def rate(self) -> float:
        """Units per second since the first report; work that was found done does not count."""
        seconds = time.monotonic() - self._first_report
        return (self.done - self._already) / seconds if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the remaining time, or None while there is nothing to estimate from."""
        return (self.total - self.done) / self.rate if self.total and self.rate > 0 else None

    def stop(self) -> None:
        """Asks the work to end; what it has finished is kept."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end, at most `timeout` seconds; True if it came."""
        self._thread.join(timeout)
        return self.finished

    def _run(self) -> None:
        try:
            self.result = self._work(self._report, self._stop.is_set)
        except InputError as error:
            self.error = str(error)
        except OSError as error:
            self.error = f"The work stopped because of the disk or network: {error.strerror or error}. What was finished is kept; try again."
        except Exception as error:  # the thread's boundary: nothing above it could report this
            self.error = f"The work failed ({type(error).__name__}: {error}). What was finished is kept; try again."

    def _report(self, done: int, total: int, *_: object) -> None:
        if not self.total:
            self._already, self._first_report = done, time.monotonic()
        self.done, self.total = done, total


class Jobs:
    """The jobs of one process, by key. Beginning a key that is under way returns the job under way."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def begin(self, key: str, title: str, work: Work) -> Job:
        """The running job of this key, or a new one."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.finished:
                job = self._jobs[key] = Job(title, work)
            return job

    def get(self, key: str) -> Job | None:
        """The last job of this key, or None."""
        return self._jobs.get(key)

    def all(self) -> list[tuple[str, Job]]:
        """Keys and jobs, finished ones until they are forgotten, in the order of their beginning."""
        return list(self._jobs.items())

    def forget(self, key: str) -> None:
        """Drops a finished job."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.finished:
                del self._jobs[key]
