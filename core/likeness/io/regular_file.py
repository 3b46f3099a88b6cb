"""Whether a path that is about to be read is a file: a pipe that nobody fills, or a device without an end, would keep its reader for ever."""

import errno
import os
import stat
from pathlib import Path


def regular_file(path: Path) -> Path:
    """The path of a file with content, as it is; every reader of a file that a person, a config or a table names asks for it.

    Raises:
        OSError: there is nothing, it cannot be looked at, or it is a folder, a pipe, a device or a socket.
    """
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, a device or a socket and no file", str(path))
    return path
