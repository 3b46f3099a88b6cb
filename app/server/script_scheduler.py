"""Schedules page runs on a shared server: pages run in parallel, but only a few per client, with pauses for clients that keep the server busy.

A client with heavy use waits for its own pages; others hardly notice.
"""

import math
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from server.accounts import client
from server.settings import server
from server.slots import Pace, Slots

# On a busy server, the seconds of processor that a client's pages may have at once, how many come back each second, and by how much a client
# may overdraw, which limits how long it waits.
_AT_ONCE, _A_SECOND, _MOST_OWED = 0.8, 0.06, 0.3
_BUSY, _LATELY = 0.1, 10.0  # busy is a server that computes others' pages for this share of about so many seconds
_POLL_SECONDS, _FORGOTTEN = 0.25, 0.001


class ScriptScheduler:
    """Decides which client's page runs next.

    Args:
        most_of_one: pages of one client that run at once.
        clock: returns seconds.
    """

    def __init__(self, most_of_one: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turns, self._pace = Slots(sys.maxsize, most_of_one), Pace(_A_SECOND, _AT_ONCE, _MOST_OWED, clock)
        self._lately: dict[str, float] = {}  # seconds of processor that clients had, those long ago counting less
        self._faded = clock()
        self._lock = threading.Lock()

    def begin(self, who: str) -> None:
        """Waits for a turn."""
        self._turns.wait_for(who, lambda: False)
        while self._must_wait(who):
            time.sleep(_POLL_SECONDS)

    def end(self, who: str, seconds: float) -> None:
        """Ends a turn. Counts processor seconds, since elapsed time would also count the waits caused by others."""
        with self._lock:
            self._fade()
            self._pace.spend(who, seconds)
            self._lately[who] = self._lately.get(who, 0.0) + seconds
        self._turns.give_back(who)

    def _fade(self) -> None:
        now = self._clock()
        faded = math.exp((self._faded - now) / _LATELY)
        self._lately = {who: left for who, had in self._lately.items() if (left := had * faded) > _FORGOTTEN}
        self._faded = now

    def _must_wait(self, who: str) -> bool:
        with self._lock:
            self._fade()
            others = sum(had for known, had in self._lately.items() if known != who)
            return others > _BUSY * _LATELY and self._pace.spend(who, 0) > 0


def take_turns() -> None:
    """Makes every run of a page or fragment wait for its turn; calling it again changes nothing."""
    if not hasattr(ScriptRunner._run_script, "__wrapped__"):
        ScriptRunner._run_script = _in_turn(ScriptRunner._run_script)  # type: ignore[method-assign]


def _in_turn(run: Any) -> Any:
    turns = ScriptScheduler(server().visitor_scripts)

    @wraps(run)
    def run_in_turn(self: ScriptRunner, rerun: Any) -> None:
        who = client()
        turns.begin(who)
        begun = time.thread_time()
        try:
            run(self, rerun)
        finally:
            turns.end(who, time.thread_time() - begun)

    return run_in_turn
