"""Checkpoints: the state of an interrupted run and the one before it, each with a checksum, on the disk before it takes its place.

A checkpoint is what `torch.save` writes, a ZIP file; the SHA-256 of all bytes before it stands in the ZIP's comment, which other readers skip.
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
    """A checkpoint that is written and read by one process after the other, with the one before it beside it as NAME.previous.ENDING.

    Attributes:
        path: after `read`, the file that was read.
        note: after `read`, one sentence where that was not the newest one; else empty.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.previous = file, file.with_name(f"{file.stem}.previous{file.suffix}")
        self.path, self.note = file, ""

    def is_there(self) -> bool:
        """Whether there is one to go on from."""
        return self.file.is_file() or self.previous.is_file()

    @property
    def partial(self) -> Path:
        """Where the next one is written, in the same folder; a name of its own, so that what a killed process left is overwritten."""
        return self.file.with_name(f".{self.file.name}.partial")

    def write(self, state: dict[str, Any]) -> None:
        """Writes tensors, numbers, texts and containers of them, whole or not at all; the one before is kept."""
        import torch

        make_folder(self.file.parent)
        try:
            torch.save(state, self.partial)
            self.take_partial()
        finally:
            self.partial.unlink(missing_ok=True)

    def take_partial(self) -> None:
        """What `torch.save` wrote to `partial` takes the checkpoint's place, with its checksum and once it is on the disk; the one before is kept."""
        with self.partial.open("r+b") as target:
            _seal(target)
            target.flush()
            os.fsync(target.fileno())
        self._keep()
        os.replace(self.partial, self.file)
        sync_folder(self.file.parent)

    def read(self, checked: Callable[[dict[str, Any]], Any] | None = None, **options: Any) -> dict[str, Any]:
        """The newest state that is sound. A file without checksum, from before there were any, is taken where its parts fit their CRC-32. What
        `checked` raises for, a state of another form, counts as damaged; the options are those of `torch.load`.

        Raises:
            TransientError: there is not enough memory now.
            InputError: neither the checkpoint nor the one before it is sound.
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
                raise error from None
        self.path = self.previous
        self.note = f"The checkpoint '{self.file.name}' is damaged; the one before it was taken, and the steps between are repeated."
        _log.warning("%s", self.note)
        return state

    def remove(self) -> None:
        """Removes both."""
        for file in (self.file, self.previous):
            file.unlink(missing_ok=True)

    def _keep(self) -> None:
        """The checkpoint becomes the one before; not where it is known to be damaged."""
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
        raise InputError(f"The checkpoint '{file}' cannot be read (it holds something else than this run's state: {reason}); {_REMEDY}") from error
    return state


_REMEDY = "delete it to train anew."


def _seal(target: BinaryIO) -> None:
    """Writes the comment of a ZIP file that has none."""
    target.seek(-_END_BYTES, os.SEEK_END)
    end = target.read()
    if not end.startswith(_END):
        raise RuntimeError("A checkpoint is no ZIP file that ends without a comment")
    target.seek(-_LENGTH.size, os.SEEK_END)
    target.write(_LENGTH.pack(_COMMENT))
    size = target.tell()
    target.write(_NAME + _digest(target, size))


def _check_sum(file: Path) -> None:
    """Raises InputError for a file whose content does not fit its checksum."""
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
                _log.warning("The checkpoint '%s' has no checksum, as those from before; it is taken where its parts are sound.", file.name)
                with zipfile.ZipFile(content) as archive:
                    sound = archive.testzip() is None
    except MemoryError as error:
        raise TransientError(f"The checkpoint '{file}'", error) from error
    except OSError as error:
        raise InputError(f"The checkpoint '{file}' cannot be read ({error.strerror or error}); {_REMEDY}") from error
    except Exception as error:  # whatever a damaged ZIP file does to its reader
        raise InputError(f"The checkpoint '{file}' cannot be read ({str(error) or type(error).__name__}); {_REMEDY}") from error
    if not sound:
        raise InputError(f"The checkpoint '{file}' cannot be read (it is damaged, or no checkpoint); {_REMEDY}")


def _digest(content: BinaryIO, size: int) -> bytes:
    """SHA-256, in hex, of the first `size` bytes; leaves the file behind them."""
    content.seek(0)
    found = hashlib.sha256()
    while size and (block := content.read(min(_BLOCK, size))):
        found.update(block)
        size -= len(block)
    return found.hexdigest().encode()
