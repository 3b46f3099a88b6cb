"""Beginning trainings and benchmarks, as many at once as the server allows, and renaming and deleting runs; each in the log."""

import threading
from collections.abc import Callable
from pathlib import Path

from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.training import RunFolder, delete_run, rename_run
from server import run_owners
from server.access import check_may
from server.audit import record
from server.clients import client
from server.settings import server
from server.visitors import shown_name

_beginning = threading.Lock()
_begun: dict[Path, str] = {}  # by whom, since this server started


def begin_training(folder: Path, start: Callable[[], object]) -> None:
    """Calls `start`, which begins the run or benchmark in this folder.

    Raises:
        InputError: the visitor may not train, as many are under way as may be, or what `start` raises.
    """
    check_may("train")
    with _beginning:
        if server().shared:
            _check_number()
        is_new = not folder.exists()
        start()
        if is_new and folder.is_dir():
            run_owners.take(folder)
        _begun[folder.resolve()] = client()
    record("training begun", shown_name(), folder.name)


def rename_training(run: RunFolder, name: str) -> None:
    """Gives a run another name.

    Raises:
        InputError: the visitor may not, or as `likeness.training.rename_run`.
    """
    _check_change(run)
    rename_run(run, name)
    record("training renamed", shown_name(), f"{run.name} to {name}")


def delete_training(run: RunFolder) -> None:
    """Deletes a run for good.

    Raises:
        InputError: the visitor may not, or as `likeness.training.delete_run`.
    """
    _check_change(run)
    delete_run(run)
    record("training deleted", shown_name(), run.name)


def _check_change(run: RunFolder) -> None:
    reason = run_owners.refusal_to_change(run.path)
    if reason:
        raise InputError(reason)


def _check_number() -> None:
    running = [folder.resolve() for folder in runs_dir().glob("*/") if RunFolder(folder).status().state == "running"]
    if len(running) >= server().max_trainings:
        raise InputError(f"{len(running)} trainings are under way, and this server runs {server().max_trainings} at once; wait for one to end.")
    own = sum(_begun.get(folder) == client() for folder in running)
    if own >= server().visitor_trainings:
        raise InputError(f"{own} of your trainings are under way, and each visitor may have {server().visitor_trainings}; stop one, or wait.")
