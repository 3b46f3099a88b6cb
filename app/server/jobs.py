"""Background jobs: each runs in its own thread, is shared by all requests with the same key, can be stopped, and outlives its page."""

import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any

import streamlit as st

from likeness.errors import InputError
from likeness.progress import Stopped
from server.accounts import client
from server.settings import server
from server.slots import Slots

_MAX_FINISHED = 64  # ended jobs of a kind
_MOST_WAITING = 12  # jobs of one visitor of a shared server, those under way included
_NICENESS = 10
_numbers = count()


@dataclass(frozen=True)
class Stage:
    """A stage before a job's own progress begins: `done` of `total`; `what` describes it."""

    what: str
    done: int
    total: int


class Job:
    """A job under way or ended.

    Args:
        kind, key: identify equal work.
        title: shown on pages.
        work: `work(job)` calls `job.report(done, total)` and returns early once `job.should_stop()`.
        unit: the counted unit, in the plural.
        stoppable: whether pages show a stop button.
        slot_request: on a shared server, the slots to wait for and the client that they count for.
    """

    def __init__(
        self,
        kind: str,
        key: Hashable,
        title: str,
        work: "Work",
        unit: str = "images",
        stoppable: bool = True,
        slot_request: tuple[Slots, str] | None = None,
    ) -> None:
        self.kind, self.key, self.title, self.unit, self.stoppable, self.slot_request = kind, key, title, unit, stoppable, slot_request
        self.done = self.total = 0  # units; total is 0 until it is known
        self.stage: Stage | None = None  # what is done before the next unit, where that takes time
        self.found: list[Any] = []  # parts of the result, for work that is read while it runs; grows only
        self.result: Any = None  # what `work` returned, once `finished`
        self.error: str | None = None  # one sentence for people
        self.work = work
        self._number = next(_numbers)
        # for widgets
        self.id = f"{kind}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
        self._stop = threading.Event()
        self._first_report = self._last_report = time.monotonic()
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
    def succeeded(self) -> bool:
        """True once all of the result is there."""
        return self.finished and not self.stopped and self.error is None

    @property
    def stamp(self) -> str:
        """Changes with `found` or another job; a cache key for what is drawn from it."""
        return f"{self._number} {len(self.found)}"

    @property
    def rate(self) -> float:
        """Units per second between the first and the last report, without preparation or units found done."""
        seconds = self._last_report - self._first_report
        return (self.done - self._already) / seconds if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated remaining time, or None if unknown; never rises between two reports. 0: the current units take longer than those before."""
        if not self.total or self.rate <= 0:
            return None
        return max(0.0, (self.total - self.done) / self.rate - (time.monotonic() - self._last_report))

    def stop(self) -> None:
        """Requests a stop; finished parts are kept."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits at most `timeout` seconds; whether the job has ended."""
        self._thread.join(timeout)
        return self.finished

    def should_stop(self) -> bool:
        """`stopped` as a function."""
        return self.stopped

    def report(self, done: int, total: int, stage: str = "") -> None:
        """Reports progress; called by the work."""
        if not self.total or done <= self._already:  # nothing is done yet but what is prepared
            self._already, self._first_report = done, time.monotonic()
        if done != self.done or not self.total:
            self._last_report = time.monotonic()
        self.done, self.total = done, total

    def report_or_stop(self, done: int, total: int, stage: str = "") -> None:
        """Like `report`, for work that cannot return early: raises Stopped once a stop was requested."""
        self.report(done, total)
        if self.stopped:
            raise Stopped

    def report_stage(self, done: int, total: int, stage: str = "") -> None:
        """Like `report_or_stop`, for work that consists of stages and counts no units of its own."""
        self.stage = Stage(stage, done, total)
        if self.stopped:
            raise Stopped

    def _run(self) -> None:
        if self.slot_request is None:
            self._work()
            return
        slots, client_name = self.slot_request
        self.stage = Stage("Waiting for other jobs", 0, 0)
        if slots.wait_for(client_name, self.should_stop):
            self.stage, self._first_report = None, time.monotonic()
            try:
                if sys.platform == "linux":  # if threads have their own niceness: pages take precedence over long work
                    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
                self._work()
            finally:
                slots.give_back(client_name)

    def _work(self) -> None:
        try:
            self.result = self.work(self)
        except Stopped:
            pass
        except InputError as error:
            self.error = str(error)
        except OSError as error:
            self.error = f"The job stopped because of a disk or network problem: {error.strerror or error}. Finished parts are kept. Try again."
        except Exception as error:  # the thread's boundary: nothing above it could report this
            self.error = f"The job failed ({type(error).__name__}: {error}). Finished parts are kept. Try again."


Work = Callable[[Job], Any]


class Jobs:
    """The jobs of this process: those under way and the latest ended ones of each kind."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, Hashable], Job] = {}
        self._slots = Slots(server().max_jobs, server().visitor_jobs)
        self._lock = threading.Lock()

    def run(
        self, kind: str, key: Hashable, title: str, work: Work, *, restart: bool = False, max_finished: int = _MAX_FINISHED, **options: Any
    ) -> Job:
        """Returns the job of this key, starting it if there is none or if it has ended and `restart` is set.

        Arguments are those of `Job`; up to `max_finished` ended jobs of this kind stay in memory.
        """
        with self._lock:
            job = self._jobs.pop((kind, key), None)
            if job is None or (restart and job.finished):
                job = Job(kind, key, title, work, **options, slot_request=self._slot_request())
            self._jobs[kind, key] = job  # the last one asked for
            ended = [each for each in self._jobs.values() if each.kind == kind and each.finished and each is not job]
            for each in ended[: max(0, len(ended) + 1 - max_finished)]:
                del self._jobs[kind, each.key]
            return job

    def _slot_request(self) -> tuple[Slots, str] | None:
        if not server().shared:
            return None
        client_name = client()
        waiting = sum(not job.finished and job.slot_request == (self._slots, client_name) for job in self._jobs.values())
        if waiting >= _MOST_WAITING:
            raise InputError(f"You have {waiting} jobs running or waiting. Wait for one to finish or stop one.")
        return self._slots, client_name

    def again(self, job: Job) -> Job:
        """Restarts an ended job."""
        return self.run(job.kind, job.key, job.title, job.work, restart=True, unit=job.unit, stoppable=job.stoppable)

    def find(self, kind: str, key: Hashable) -> Job | None:
        return self._jobs.get((kind, key))

    def all(self, kind: str) -> list[Job]:
        """The jobs of a kind, the latest requested last."""
        with self._lock:
            return [job for job in self._jobs.values() if job.kind == kind]

    def forget(self, job: Job) -> None:
        with self._lock:
            if job.finished and self._jobs.get((job.kind, job.key)) is job:
                del self._jobs[job.kind, job.key]


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this server."""
    return Jobs()
