"""A pool of processes that decode untrusted images, scheduled fairly between clients."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from likeness.io.decoder_process import PROGRAM, Answer, Request, ask
from likeness.io.python_process import WorkerProcess

_SECONDS = 120.0
_IDLE_S = 60.0
_TURN_S = 0.2
_LOOK_EVERY_S = 1.0


@dataclass
class Client:
    """A client of the pool, such as one upload, and the seconds used so far."""

    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class _Turn:
    client: Client
    large: bool


class DecoderPool:
    """Decodes at most `size` images at once, one of them large. Processes start on demand and end after `idle_s` without work. The client with the
    least time used so far is served next, so that slow images of one client do not block the others. `seconds` limits the wall time per image; CPU
    time has its own limit, which is reached first unless the process sleeps.
    """

    def __init__(self, size: int, program: Sequence[str] = PROGRAM, seconds: float = _SECONDS, idle_s: float = _IDLE_S) -> None:
        self.size = size
        self._program, self._seconds, self._idle_s = program, seconds, idle_s
        self._change = threading.Condition()
        self._waiting: list[_Turn] = []
        self._lent: dict[_Turn, WorkerProcess] = {}
        self._idle: list[tuple[float, WorkerProcess]] = []  # and since when, the longest first
        self._watch: threading.Thread | None = None

    def ask(self, requests: Sequence[Request], client: Client) -> list[Answer]:
        """The answer to each request, or why the image cannot be decoded."""
        answers: list[Answer] = []
        while len(answers) < len(requests):
            with self._process(_Turn(client, large=False)) as process:
                begin = time.monotonic()
                while len(answers) < len(requests) and time.monotonic() < begin + _TURN_S:
                    answers.append(ask(process, requests[len(answers)]))
        for place in (place for place, answer in enumerate(answers) if answer is None):
            with self._process(_Turn(client, large=True)) as process:
                answers[place] = ask(process, requests[place], large=True)
        return answers

    def close(self) -> None:
        """Ends idle processes."""
        with self._change:
            idle, self._idle = self._idle, []
        for _, process in idle:
            process.end()

    @contextmanager
    def _process(self, turn: _Turn) -> Iterator[WorkerProcess]:
        """Lends a process as soon as `turn` is next."""
        with self._change:
            self._waiting.append(turn)
            try:
                self._change.wait_for(lambda: self._next() is turn)
                process = self._idle.pop()[1] if self._idle else WorkerProcess(self._program, self._seconds, {"OPENBLAS_NUM_THREADS": "1"})
                self._lent[turn] = process
            finally:
                self._waiting.remove(turn)
                self._change.notify_all()
            if self._watch is None:
                self._watch = threading.Thread(target=self._end_late_and_idle, name="likeness-decoders", daemon=True)
                self._watch.start()
        begin = time.monotonic()
        try:
            yield process
        finally:
            with self._change:
                turn.client.seconds += time.monotonic() - begin
                del self._lent[turn]
                self._idle.append((time.monotonic(), process))
                self._change.notify_all()

    def _next(self) -> _Turn | None:
        # large images are decoded one at a time, because each may take most of the memory
        if len(self._lent) == self.size:
            return None
        large = any(turn.large for turn in self._lent)
        return min((turn for turn in self._waiting if not (large and turn.large)), key=lambda turn: turn.client.seconds, default=None)

    def _end_late_and_idle(self) -> None:
        """Ends processes that exceed the time per image or were idle for `idle_s`; returns when none is left."""
        while True:
            time.sleep(min(_LOOK_EVERY_S, self._seconds, self._idle_s))
            with self._change:
                since = time.monotonic() - self._idle_s
                idle = [process for begin, process in self._idle if begin <= since]
                self._idle = self._idle[len(idle) :]
                for process in self._lent.values():
                    process.end_if_late()
                if not self._idle and not self._lent:
                    self._watch = None
            for process in idle:
                process.end()
            if self._watch is None:
                return
