"""On a shared server, pages are computed side by side, but few for one client at a time, and while others ask, not without a pause.

Who asks for as much as the server can do waits for his own pages; the others hardly notice.
"""

import threading
import time
from functools import wraps
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from clients import client
from doors.pace import Pace
from server_settings import server

# Seconds of this server that a client's pages may have at once, how many come back each second, how many he may have had too much, which says
# how long he waits at most, and after how many of quiet he counts no more. While two pages are computed, a second of the clock is half of one
# for each: on a busy server nobody is over his allowance for that alone.
_AT_ONCE, _A_SECOND, _MOST_OWED, _QUIET = 2.0, 0.08, 0.4, 10.0
_POLL_SECONDS = 0.25


class ScriptTurns:
    """Whose page is computed next.

    Args:
        most_of_one: pages of one client at a time.
    """

    def __init__(self, most_of_one: int) -> None:
        self._most_of_one = most_of_one
        self._pace = Pace(_A_SECOND, _AT_ONCE, _MOST_OWED)
        self._running: dict[str, int] = {}
        self._ended: dict[str, float] = {}
        self._shared, self._counted = 0.0, time.monotonic()  # seconds that each page has had which is computed all the time, and until when
        self._changed = threading.Condition()

    def begin(self, who: str) -> float:
        """Waits for a turn; what `end` takes."""
        with self._changed:
            while not self._may(who):
                self._changed.wait(_POLL_SECONDS)
            self._count()
            self._running[who] = self._running.get(who, 0) + 1
            return self._shared

    def end(self, who: str, begun: float) -> None:
        """Ends the turn that `begin` gave this for."""
        now = time.monotonic()
        with self._changed:
            self._count()
            self._pace.spend(who, self._shared - begun)
            self._running[who] -= 1
            if not self._running[who]:
                del self._running[who]
            self._ended = {known: ended for known, ended in self._ended.items() if now - ended < _QUIET} | {who: now}
            self._changed.notify_all()

    def _count(self) -> None:
        """Counts the time since the last change, before the next one."""
        now = time.monotonic()
        self._shared += (now - self._counted) / max(1, sum(self._running.values()))
        self._counted = now

    def _may(self, who: str) -> bool:
        if self._running.get(who, 0) >= self._most_of_one:
            return False
        now = time.monotonic()
        others = any(known != who for known in self._running) or any(known != who and now - ended < _QUIET for known, ended in self._ended.items())
        return not (others and self._pace.is_overdrawn(who))


def take_turns() -> None:
    """From now on, each run of a page or of a part of one waits for its turn; called again, it changes nothing."""
    if not hasattr(ScriptRunner._run_script, "__wrapped__"):
        ScriptRunner._run_script = _in_turn(ScriptRunner._run_script)  # type: ignore[method-assign]


def _in_turn(run: Any) -> Any:
    turns = ScriptTurns(server().visitor_scripts)

    @wraps(run)
    def run_in_turn(self: ScriptRunner, rerun: Any) -> None:
        who = client()
        begun = turns.begin(who)
        try:
            run(self, rerun)
        finally:
            turns.end(who, begun)

    return run_in_turn
