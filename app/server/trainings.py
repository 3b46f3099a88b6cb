"""Beginning trainings and benchmarks, as many at once as the server allows, and renaming and deleting runs; each in the log.

On a shared server, who began a run may rename and delete it; what the server's operator began, nobody may from a page.
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
    """Calls `start`, which begins the run or benchmark in this folder, and writes down who of a shared server's visitors began a new one.
    Raises InputError: the visitor may not train, as many are under way as may be, or what `start` raises."""
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
    """Gives a run another name. Raises InputError: the visitor may not, or as `likeness.training.rename_run`."""
    raise_reason(refusal_to_change(run.path))
    rename_run(run, name)
    record("training renamed", shown_name(), f"{run.name} to {name}")


def delete_training(run: RunFolder) -> None:
    """Deletes a run for good. Raises InputError: the visitor may not, or as `likeness.training.delete_run`."""
    raise_reason(refusal_to_change(run.path))
    delete_run(run)
    record("training deleted", shown_name(), run.name)


def refusal_to_change(folder: Path) -> str:
    """Why the visitor may not rename or delete a run, in a sentence; empty if allowed."""
    try:
        is_own = bool(visitor()) and (folder / _OWNER).read_text(encoding="utf-8", errors="replace") == _digest(visitor() or "")
    except OSError:
        is_own = False
    if server().shared and not is_own:
        return "Only the person who started a run can rename or delete it here; ask whoever runs this server."
    return refusal("train")


def _digest(token: str) -> str:
    """Not the token itself, from which ids of uploads follow and which the run's folder would show."""
    return hashlib.sha256(f"run {token}".encode()).hexdigest()


def _check_number() -> None:
    running = [folder.resolve() for folder in runs_dir().glob("*/") if RunFolder(folder).status().state == "running"]
    if len(running) >= server().max_trainings:
        raise InputError(f"{len(running)} trainings are running, and this server allows {server().max_trainings} at once; wait for one to finish.")
    own = sum(_begun.get(folder) == client() for folder in running)
    if own >= server().visitor_trainings:
        raise InputError(f"{own} of your trainings are running, and each visitor may have {server().visitor_trainings}; stop one, or wait.")
