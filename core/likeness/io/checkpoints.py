"""Checkpoints of interrupted runs, and their predecessors: with checksums, and synced to disk before they replace older ones.

A checkpoint is the ZIP file that `torch.save` writes; the SHA-256 of all preceding bytes is in the ZIP comment, which other readers ignore.
"""

import hashlib
import logging
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from likeness.errors import InputError
from likeness.io.array_files import read_checkpoint
from likeness.io.confinement import regular_file
from likeness.io.files import sync_folder
from likeness.io.paths import make_folder
from likeness.io.unreadable import TransientError

_NAME = b"likeness-sha256:"
_COMMENT = len(_NAME) + 64
_END, _END_BYTES, _LENGTH = b"PK\x05\x06", 22, struct.Struct("<H")
_BLOCK = 1 << 22
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
        """Moves what `torch.save` wrote to `partial` into place, with a checksum and synced to disk, and keeps the previous checkpoint."""
        with self.partial.open("r+b") as target:
            _seal(target)
            target.flush()
            os.fsync(target.fileno())
        # in this order a crash at any moment leaves at least one complete checkpoint
        self._keep()
        os.replace(self.partial, self.file)
        sync_folder(self.file.parent)

    def read(self, checked: Callable[[dict[str, Any]], Any] | None = None, **options: Any) -> dict[str, Any]:
        """The newest undamaged state. A file of an older version without checksum is accepted if its ZIP members match their CRC-32. A state for
        which `checked` raises counts as damaged. The options are those of `torch.load`.

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


_REMEDY = "delete it to restart training."


def _seal(target: BinaryIO) -> None:
    """Writes the checksum into the empty comment of a ZIP file."""
    target.seek(-_END_BYTES, os.SEEK_END)
    end = target.read()
    if not end.startswith(_END):
        raise RuntimeError("A checkpoint must be a ZIP file without a comment")
    target.seek(-_LENGTH.size, os.SEEK_END)
    target.write(_LENGTH.pack(_COMMENT))
    size = target.tell()
    target.write(_NAME + _digest(target, size))


def _check_sum(file: Path) -> None:
    """Raises InputError if the content does not match the checksum."""
    try:
        with regular_file(file).open("rb") as content:
            size = file.stat().st_size - _COMMENT
            content.seek(max(0, size))
            comment = content.read()
            if comment.startswith(_NAME):
                sound = comment == _NAME + _digest(content, size)
            elif not (comment[-_END_BYTES:].startswith(_END) and comment.endswith(b"\0\0")):  # torch leaves no comment
                sound = False
            else:
                _log.warning("The checkpoint '%s' has no checksum, as in older versions; it is used if its ZIP members are intact.", file.name)
                with zipfile.ZipFile(content) as archive:
                    sound = archive.testzip() is None
    except MemoryError as error:
        raise TransientError(f"The checkpoint '{file}'", error) from error
    except OSError as error:
        raise InputError(f"The checkpoint '{file}' cannot be read ({error.strerror or error}); {_REMEDY}") from error
    except Exception as error:  # whatever a damaged ZIP file does to its reader
        raise InputError(f"The checkpoint '{file}' cannot be read ({str(error) or type(error).__name__}); {_REMEDY}") from error
    if not sound:
        raise InputError(f"The checkpoint '{file}' cannot be read (it is damaged or not a checkpoint); {_REMEDY}")


def _digest(content: BinaryIO, size: int) -> bytes:
    """Hexadecimal SHA-256 of the first `size` bytes; the file position is then `size`."""
    content.seek(0)
    found = hashlib.sha256()
    while size and (block := content.read(min(_BLOCK, size))):
        found.update(block)
        size -= len(block)
    return found.hexdigest().encode()
