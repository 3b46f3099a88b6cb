"""On a shared server, pages are computed side by side, but only a few for one client at a time: who asks for many waits for his own."""

from functools import wraps
from typing import Any

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from clients import client
from server_settings import server
from slots import Slots


def take_turns() -> None:
    """From now on, each run of a page or of a part of one waits for its turn; called again, it changes nothing."""
    if not hasattr(ScriptRunner._run_script, "__wrapped__"):
        ScriptRunner._run_script = _in_turn(ScriptRunner._run_script)  # type: ignore[method-assign]


def _in_turn(run: Any) -> Any:
    slots = Slots(_ALL, server().visitor_scripts)

    @wraps(run)
    def run_in_turn(self: ScriptRunner, rerun: Any) -> None:
        who = client()
        slots.wait_for(who, lambda: False)
        try:
            run(self, rerun)
        finally:
            slots.give_back(who)

    return run_in_turn


_ALL = 10_000
