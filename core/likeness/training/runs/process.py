"""Whether the process that a run names is still the one that ran it: the system gives its number to another one, at the latest after a restart."""

import contextlib
import os
from pathlib import Path


def process_mark(pid: int) -> str:
    """What tells a process from others of the same number: the start of the system and of the process; "" where there is none, or no /proc."""
    with contextlib.suppress(OSError, IndexError):
        start = _stat(pid)[19]
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {start}"
    return ""


def is_running(pid: int, mark: str = "") -> bool:
    """Whether a process runs that has this number and, where one is given and can be told, this mark."""
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    with contextlib.suppress(OSError, IndexError):  # a zombie has ended, though nobody asked for its end yet
        if _stat(pid)[0] == "Z":
            return False
    return not mark or process_mark(pid) in ("", mark)


def _stat(pid: int) -> list[str]:
    """What Linux says of a process, from its state on; the name before that may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
