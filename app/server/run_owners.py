"""Whose a run is: on a shared server, who began it may rename and delete it; what the server's operator began, nobody may from a page."""

import hashlib
from pathlib import Path

from likeness.io import write_atomic
from server.access import check_may, refusal
from server.settings import server
from server.visitors import visitor

_OWNER = "owner"


def take(folder: Path) -> None:
    """Writes down that the visitor of a shared server has begun the run of this folder; raises InputError if training is not allowed."""
    check_may("train")
    if server().shared and visitor():
        write_atomic(folder / _OWNER, _digest(visitor() or "").encode())


def refusal_to_change(folder: Path) -> str:
    """Why the visitor may not rename or delete a run, in a sentence; empty if allowed."""
    if server().shared and not _is_own(folder):
        return "Only the person who started a run can rename or delete it here; ask whoever runs this server."
    return refusal("train")


def _is_own(folder: Path) -> bool:
    try:
        return bool(visitor()) and (folder / _OWNER).read_text(encoding="utf-8", errors="replace") == _digest(visitor() or "")
    except OSError:
        return False


def _digest(token: str) -> str:
    """Not the token itself, from which ids of uploads follow and which the run's folder would show."""
    return hashlib.sha256(f"run {token}".encode()).hexdigest()
