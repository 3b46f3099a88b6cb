"""Work whose result goes to a file, done by one of several processes on a machine while the others wait for it."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from likeness.errors import InputError
from likeness.io.paths import cache_dir

# Seconds between two looks at whether to stop waiting.
_LOOK = 0.5


@contextlib.contextmanager
def once(file: Path, should_stop: Callable[[], bool] | None = None) -> Iterator[bool]:
    """Holds a lock of this file's name in the cache; True where the file is not there yet, so that the holder is to make it.

    A process that is killed lets go of the lock.

    Raises:
        InputError: once `should_stop` is true, while another process has the lock.
    """
    from filelock import FileLock, Timeout

    place = cache_dir() / "locks" / f"{file.parent.name}-{file.stem}"
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place)
    while not lock.is_locked:
        with contextlib.suppress(Timeout):
            lock.acquire(timeout=_LOOK)
        if not lock.is_locked and should_stop and should_stop():
            raise InputError("Stopped while waiting for another process that reads the same images.")
    try:
        yield not file.is_file()
    finally:
        lock.release()
