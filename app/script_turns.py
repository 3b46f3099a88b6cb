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

# Seconds of a processor that a client's pages may have at once, how many come back each second, and after how many of quiet he counts no more.
# Not seconds of the clock: on a busy server these pass for everyone, and all would be over their allowance.
_AT_ONCE, _A_SECOND, _MOST_OWED, _QUIET = 3.0, 0.15, 0.75, 10.0
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
        self._changed = threading.Condition()

    def begin(self, who: str) -> float:
        """Waits for a turn; the seconds of a processor that this thread has had until then."""
        with self._changed:
            while not self._may(who):
                self._changed.wait(_POLL_SECONDS)
            self._running[who] = self._running.get(who, 0) + 1
        return time.thread_time()

    def end(self, who: str, begun: float) -> None:
        """Ends the turn that began then, on the same thread."""
        now = time.monotonic()
        self._pace.spend(who, time.thread_time() - begun)
        with self._changed:
            self._running[who] -= 1
            if not self._running[who]:
                del self._running[who]
            self._ended = {known: ended for known, ended in self._ended.items() if now - ended < _QUIET} | {who: now}
            self._changed.notify_all()

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
