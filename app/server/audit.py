"""The audit log of a shared server: one JSON line per event in `audit.jsonl`, readable only by the server's user."""

import json
import logging
import os
import threading
from datetime import UTC, datetime

from likeness.io import cache_dir, make_folder
from server.settings import server

_LARGEST = 4_000_000  # bytes, after which the log begins again; the one before is kept as audit.jsonl.1
_LONGEST = 500  # letters of a field
_writing = threading.Lock()


def record(event: str, who: str, what: str = "") -> None:
    """Appends an event to the audit log of a shared server, with its account or address; never contents or passwords."""
    if not server().shared:
        return
    line = {"time": datetime.now(UTC).isoformat(timespec="seconds"), "event": event, "who": who[:_LONGEST], "what": what[:_LONGEST]}
    with _writing:
        try:
            path = cache_dir() / "audit.jsonl"
            make_folder(path.parent)
            if path.exists() and path.stat().st_size >= _LARGEST:
                path.replace(path.with_suffix(".jsonl.1"))
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab", buffering=0) as file:
                file.write((json.dumps(line) + "\n").encode())
        except OSError as error:  # a full disk must not lock anyone out
            logging.getLogger(__name__).warning("The audit log cannot be written (%s).", error.strerror)
