"""Starts trainings and benchmarks within the server's limits, and renames and deletes runs; all logged.

On a shared server, the visitor who started a run may rename and delete it; nobody may do so on a page for runs that the administrator started.
"""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from likeness.errors import InputError
from likeness.io import runs_dir, write_atomic
from likeness.training import RunFolder, delete_run, rename_run
from server.access import check_may, raise_reason, refusal
from server.accounts import client
from server.audit import record
from server.settings import server
from server.visitors import shown_name, visitor

_OWNER = "owner"  # file of a run
_beginning = threading.Lock()
_begun: dict[Path, str] = {}  # by whom, since this server started


def begin_training(folder: Path, start: Callable[[], object]) -> None:
    """Calls `start`, which begins the run or benchmark in this folder, and records the visitor of a shared server as its owner. Raises InputError:
    the visitor may not train, as many are under way as may be, or what `start` raises."""
    check_may("train")
    with _beginning:
        if server().shared:
            _check_number()
        is_new = not folder.exists()
        start()
        if is_new and folder.is_dir() and server().shared and visitor():
            write_atomic(folder / _OWNER, _digest(visitor() or "").encode())
        _begun[folder.resolve()] = client()
    record("training begun", shown_name(), folder.name)


def rename_training(run: RunFolder, name: str) -> None:
    """Renames a run. Raises InputError: the visitor may not, or as `likeness.training.rename_run`."""
    raise_reason(refusal_to_change(run.path))
    rename_run(run, name)
    record("training renamed", shown_name(), f"{run.name} to {name}")


def delete_training(run: RunFolder) -> None:
    """Deletes a run permanently. Raises InputError: the visitor may not, or as `likeness.training.delete_run`."""
    raise_reason(refusal_to_change(run.path))
    delete_run(run)
    record("training deleted", shown_name(), run.name)


def refusal_to_change(folder: Path) -> str:
    """Why the visitor may not rename or delete a run; "" if allowed."""
    try:
        is_own = bool(visitor()) and (folder / _OWNER).read_text(encoding="utf-8", errors="replace") == _digest(visitor() or "")
    except OSError:
        is_own = False
    if server().shared and not is_own:
        return "Only the person who started this run or the server's administrator can rename or delete it."
    return refusal("train")


def _digest(token: str) -> str:
    """A digest instead of the token, since the run's folder would reveal it, and ids of uploads derive from it."""
    return hashlib.sha256(f"run {token}".encode()).hexdigest()


def _check_number() -> None:
    running = [folder.resolve() for folder in runs_dir().glob("*/") if RunFolder(folder).status().state == "running"]
    if len(running) >= server().max_trainings:
        raise InputError(f"{len(running)} trainings are running, the maximum on this server. Wait for one to finish.")
    own = sum(_begun.get(folder) == client() for folder in running)
    if own >= server().visitor_trainings:
        raise InputError(f"{own} of your trainings are running, the maximum per visitor. Stop one or wait.")
