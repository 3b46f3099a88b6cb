"""Whether a file or folder can be written at a place, found out before the work whose result it is to hold."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from likeness.errors import InputError
from likeness.io.paths import can_be_a_path
from likeness.io.regular_file import regular_file


def check_output_file(path: Path) -> None:
    """Raises InputError unless a file can be written at this path, where there is nothing yet or a file that it replaces."""
    with _explained(path):
        if path.exists():
            regular_file(path)
        _try_folder(path.parent)


def check_output_folder(path: Path) -> None:
    """Raises InputError unless files can be written into a folder at this path, where there is nothing yet or a folder."""
    with _explained(path):
        _try_folder(path)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    if not can_be_a_path(str(path)):
        raise InputError(f"'{str(path)[:60]}' cannot be written: it is too long or has signs that no file name has; give another path.")
    try:
        yield
    except OSError as error:
        raise InputError(f"'{path}' cannot be written ({(error.strerror or str(error)).lower()}); make room there, or name another place.") from error


def _try_folder(folder: Path) -> None:
    """Writes a byte into the folder, or into the first one above it that is there, and removes it again: rights alone do not tell."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    trial = folder / f".{secrets.token_hex(8)}.partial"
    try:
        trial.write_bytes(b"\0")
    finally:
        trial.unlink(missing_ok=True)
