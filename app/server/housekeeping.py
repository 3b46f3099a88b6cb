"""What a shared server clears away by itself, once an hour: what was given up, what was not used for longest, and who has not come back."""

import logging
import threading
import time
from pathlib import Path

from likeness.errors import InputError
from likeness.io import cache_dir
from server.access import redact
from server.settings import server
from server.visitor_data import remove_leftovers, remove_old

_EVERY_SECONDS = 3600.0
# Of the cache: what is computed again where it is missing.
_COMPUTED = ("maps", "label_distances", "outputs", "pixels", "grids", "texts", "thresholds")


def keep_house() -> None:
    """Begins to clear away, in the background."""
    threading.Thread(target=_go_on, name="housekeeping", daemon=True).start()


def clear_away() -> None:
    """Clears away once."""
    settings = server()
    if settings.keep_days is not None:
        remove_old(settings.keep_days)
    remove_leftovers()
    _shrink(settings.max_cache_gb * 1e9)


def _go_on() -> None:
    while True:
        try:
            clear_away()
        except (OSError, InputError) as error:
            logging.getLogger(__name__).warning("Some files could not be cleared away: %s", redact(error))
        time.sleep(_EVERY_SECONDS)


def _shrink(most: float) -> None:
    """Removes of what was computed the files that were used least lately, until the rest has at most so many bytes."""
    files = [file for part in _COMPUTED for file in (cache_dir() / part).rglob("*") if file.is_file()]
    known = sorted(((_used(file), file) for file in files), key=lambda each: each[0], reverse=True)
    total = 0
    for (_, size), file in known:
        total += size
        if total > most:
            file.unlink(missing_ok=True)


def _used(file: Path) -> tuple[float, int]:
    """When a file was last read or written, and its size; nothing where it has gone."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return 0.0, 0
    return max(stat.st_atime, stat.st_mtime), stat.st_size
