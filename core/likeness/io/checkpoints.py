"""Checkpoints of interrupted runs, and their predecessors: synced to disk before they replace older ones.

A checkpoint is the ZIP file that `torch.save` writes. Its members have checksums, which are verified here, because torch does not.
"""

import logging
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.io.array_files import read_checkpoint
from likeness.io.confinement import regular_file
from likeness.io.files import sync_folder
from likeness.io.paths import make_folder
from likeness.io.unreadable import TransientError

_REMEDY = "delete it to restart training."
_log = logging.getLogger(__name__)


class CheckpointFile:
    """A checkpoint file and its predecessor, NAME.previous.SUFFIX. Not for concurrent writers.

    Attributes:
        path: after `read`, the file that was read.
        note: after `read`, a warning if that was not the newest one; else empty.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.previous = file, file.with_name(f"{file.stem}.previous{file.suffix}")
        self.path, self.note = file, ""

    def is_there(self) -> bool:
        """True if there is a checkpoint to resume from."""
        return self.file.is_file() or self.previous.is_file()

    @property
    def partial(self) -> Path:
        """Temporary path of the next checkpoint, in the same folder; the name is fixed, so that leftovers of a killed process are overwritten."""
        return self.file.with_name(f".{self.file.name}.partial")

    def write(self, state: dict[str, Any]) -> None:
        """Writes tensors, numbers, texts and containers of them atomically, and keeps the previous checkpoint."""
        import torch

        make_folder(self.file.parent)
        try:
            torch.save(state, self.partial)
            self.take_partial()
        finally:
            self.partial.unlink(missing_ok=True)

    def take_partial(self) -> None:
        """Moves what `torch.save` wrote to `partial` into place, synced to disk, and keeps the previous checkpoint."""
        with self.partial.open("r+b") as target:
            os.fsync(target.fileno())
        # in this order a crash at any moment leaves at least one complete checkpoint
        self._keep()
        os.replace(self.partial, self.file)
        sync_folder(self.file.parent)

    def read(self, checked: Callable[[dict[str, Any]], Any] | None = None, **options: Any) -> dict[str, Any]:
        """The newest undamaged state; one for which `checked` raises counts as damaged. The options are those of `torch.load`.

        Raises:
            TransientError: there is not enough memory now.
            InputError: both the checkpoint and the previous one are damaged or missing.
        """
        self.path, self.note = self.file, ""
        try:
            return _read(self.file, checked, options)
        except TransientError:
            raise
        except InputError as error:
            try:
                state = _read(self.previous, checked, options)
            except TransientError:
                raise
            except InputError:
                # the newest file is the one to report: the previous one may never have existed
                raise error from None
        self.path = self.previous
        self.note = f"The checkpoint '{self.file.name}' is damaged; resuming from the previous one, so some steps are repeated."
        _log.warning("%s", self.note)
        return state

    def remove(self) -> None:
        """Deletes both files."""
        for file in (self.file, self.previous):
            file.unlink(missing_ok=True)

    def _keep(self) -> None:
        """Keeps the current checkpoint as the previous one, unless it is known to be damaged."""
        if not self.file.is_file() or self.note:
            self.note = ""
            return
        other = self.previous.with_name(f".{self.previous.name}")
        other.unlink(missing_ok=True)
        try:
            os.link(self.file, other)  # there is a checkpoint at every moment
        except OSError:  # a file system without links
            os.replace(self.file, other)
        os.replace(other, self.previous)


def _read(file: Path, checked: Callable[[dict[str, Any]], Any] | None, options: dict[str, Any]) -> dict[str, Any]:
    try:
        _check_sum(file)
        state = read_checkpoint(file, **options)
        if checked:
            checked(state)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())[:100]
        raise InputError(f"The checkpoint '{file}' cannot be read (it is not a state of this run: {reason}); {_REMEDY}") from error
    return state


def _check_sum(file: Path) -> None:
    """Raises InputError unless all members of the ZIP file match their CRC-32."""
    try:
        with regular_file(file).open("rb") as content, zipfile.ZipFile(content) as archive:
            damaged = archive.testzip()
    except MemoryError as error:
        raise TransientError(f"The checkpoint '{file}'", error) from error
    except Exception as error:  # whatever a damaged ZIP file does to its reader
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InputError(f"The checkpoint '{file}' cannot be read ({reason}); {_REMEDY}") from error
    if damaged:
        raise InputError(f"The checkpoint '{file}' cannot be read ('{damaged}' in it is damaged); {_REMEDY}")
