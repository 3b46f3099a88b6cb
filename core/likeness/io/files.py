"""Writing files whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_atomic(path: Path, content: bytes) -> None:
    """Writes `content` to `path`, so that a reader sees the old file or the new one, never a part; as `open_atomic`."""
    with open_atomic(path) as file:
        file.write(content)


@contextmanager
def open_atomic(path: Path) -> Iterator[BinaryIO]:
    """A file to write and read, which takes its place at `path` when the block ends well.

    The temporary file lies in the same folder, so that the final rename stays on one file system. On any error (a full disk, say)
    the old file is untouched and the temporary one is gone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # not mkstemp: its files are readable by their owner alone, whatever the umask says
    temporary = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with temporary.open("x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
