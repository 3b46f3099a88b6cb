"""Create, open and read the SQLite file of a dataset's tags, with readable errors.

The file is in WAL mode, so that readers do not wait for writers, and each commit is on disk before it returns (synchronous = FULL). Each call opens a
connection: threads, forked and killed processes share nothing. The last connection to close leaves one plain file. A file that something else has
changed on disk is verified before it is read: SQLite's own structures, and that the current values are those of all changes. Another author or time
in the log, or letter case in a name, goes unnoticed.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from likeness.errors import InputError
from likeness.io import compute_once_locked, make_folder, name_to_text, regular_file, sync_folder
from likeness.tagging.names import MOST_BYTES

APPLICATION_ID = 0x4C6B5467  # "LkTg"
_VERSION = 1
_PAGE_BYTES = 4096
_MAX_PAGES = MOST_BYTES // _PAGE_BYTES

_DAMAGED = "are damaged; nothing was changed: restore the file from a backup, or move it away to start over."
_sound: dict[Path, tuple[tuple[int, int, int], ...]] = {}  # states of files
# state: what each image has now, and which edit gave it; a value that was removed stays as NULL, so that the edit is known.
# changes: what an edit found and left, of which the state follows; before_edit is NULL where there was nothing, after_edit where nothing is left.
_SCHEMA = """
CREATE TABLE images (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE attributes (id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL) STRICT;
CREATE TABLE attribute_values (id INTEGER PRIMARY KEY, attribute INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (attribute, text)) STRICT;
CREATE TABLE edits (id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, who TEXT NOT NULL, action TEXT NOT NULL, name TEXT NOT NULL,
    value TEXT NOT NULL, target INTEGER, images INTEGER NOT NULL, skipped INTEGER NOT NULL) STRICT;
CREATE INDEX edits_by_who ON edits (who, id);
CREATE INDEX edits_by_target ON edits (target, id) WHERE target IS NOT NULL;
CREATE TABLE changes (edit INTEGER, attribute INTEGER, image INTEGER, before_value INTEGER, before_edit INTEGER, after_value INTEGER,
    after_edit INTEGER, PRIMARY KEY (edit, attribute, image)) STRICT, WITHOUT ROWID;
CREATE TABLE state (attribute INTEGER, image INTEGER, value INTEGER, edit INTEGER NOT NULL, PRIMARY KEY (attribute, image)) STRICT, WITHOUT ROWID;
"""
# A number for each row of `state`: the current values are what all changes left, less what they found.
_ROW = "(attribute * 1000003 + image * 998244 + IFNULL({0}value, 0) * 786433 + {0}edit * 611953) % 2147483647"
_UNEXPLAINED = (
    f"SELECT (SELECT IFNULL(SUM({_ROW.format('')}), 0) FROM state) - IFNULL("
    f"SUM(CASE WHEN after_edit IS NULL THEN 0 ELSE {_ROW.format('after_')} END)"
    f" - SUM(CASE WHEN before_edit IS NULL THEN 0 ELSE {_ROW.format('before_')} END), 0) FROM changes"
)


class DamagedError(Exception):
    """A tag file was corrupted."""


@contextmanager
def reading(path: Path, wait_seconds: float) -> Iterator[sqlite3.Connection]:
    """A connection with a consistent snapshot of the file; an empty database if there is no file. Raises InputError if the file cannot be read, is
    damaged or belongs to another program.
    """
    with _explained(path):
        state = _state(path)
        with closing(_open(path, wait_seconds) if path.exists() else _empty()) as connection:
            connection.execute("BEGIN")
            _check(connection, path, state)
            yield connection


@contextmanager
def writing(path: Path, wait_seconds: float) -> Iterator[sqlite3.Connection]:
    """A connection for one edit: commits if the block succeeds, else rolls back. Creates the file if needed. InputError: as `reading`, or the file
    cannot be written, is full, or is locked for longer than `wait_seconds`.
    """
    with _explained(path):
        if not path.exists():
            _make(path)
        state = _state(path)
        with closing(_open(path, wait_seconds)) as connection:
            _check(connection, path, state)  # before it keeps others from writing
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        _sound[path] = _state(path)


def _state(path: Path) -> tuple[tuple[int, int, int], ...]:
    """State of the files on disk; empty if there are none."""
    found = []
    # in WAL mode new commits first lie in the second file
    for file in (path, Path(f"{path}-wal")):
        with suppress(FileNotFoundError):
            found.append(os.stat(file))
    return tuple((each.st_ino, each.st_size, each.st_mtime_ns) for each in found if each.st_size)


def _check(connection: sqlite3.Connection, path: Path, state: tuple[tuple[int, int, int], ...]) -> None:
    """Raises DamagedError if the file is damaged. Unchanged files that were verified or written by this process are not verified again."""
    if not state or _sound.get(path) == state:
        return
    is_readable = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
    if not is_readable or connection.execute(_UNEXPLAINED).fetchone() != (0,):
        raise DamagedError
    _sound[path] = state


def copy_file(path: Path, target: Path) -> None:
    """Writes a consistent copy of the file, while others may write; `target` must not exist. Raises InputError as `reading`, or if the copy cannot be
    written.
    """
    if target.exists():
        raise InputError(f"'{_shown(target)}' exists already; choose another file.")
    if not path.exists():
        raise InputError(f"There are no tags in '{_shown(path)}' to copy.")
    with reading(path, 10.0) as connection, _explained(target), _new_file(target) as copy:
        connection.backup(copy)


def _open(path: Path, wait_seconds: float) -> sqlite3.Connection:
    regular_file(path)
    try:
        return _checked(sqlite3.connect(path, timeout=wait_seconds, isolation_level=None), path)
    except sqlite3.OperationalError as error:
        name = getattr(error, "sqlite_errorname", "")
        waiting = Path(f"{path}-wal")
        if not name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")) or (waiting.exists() and waiting.stat().st_size):
            raise
    # in a folder that is read-only nobody writes: the file is read without the two beside it that SQLite would make
    address = f"file:{quote(os.fsencode(path.absolute()))}?immutable=1"
    return _checked(sqlite3.connect(address, timeout=wait_seconds, isolation_level=None, uri=True), path)


def _checked(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    try:
        application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if application != APPLICATION_ID:
            raise InputError(f"'{_shown(path)}' is not a tag file but belongs to another program; move it away to start over.")
        if version != _VERSION:
            raise InputError(f"'{_shown(path)}' was written by a newer Likeness (format {version}, this one reads {_VERSION}); update Likeness.")
        for setting in ("synchronous = FULL", "temp_store = MEMORY", f"max_page_count = {_MAX_PAGES}", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(_SCHEMA)
    return connection


def _make(path: Path) -> None:
    """Creates an empty file atomically, also if several processes try at once."""
    make_folder(path.parent)
    with compute_once_locked(path) as is_missing:
        if is_missing:
            with _new_file(path) as connection:
                settings = {"page_size": _PAGE_BYTES, "application_id": APPLICATION_ID, "user_version": _VERSION, "journal_mode": "WAL"}
                for name, value in settings.items():
                    connection.execute(f"PRAGMA {name} = {value}").fetchone()
                connection.executescript(f"BEGIN; {_SCHEMA} COMMIT;")


@contextmanager
def _new_file(path: Path) -> Iterator[sqlite3.Connection]:
    """A new database, which gets its name when the block succeeds."""
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with closing(sqlite3.connect(partial, isolation_level=None)) as connection:
            yield connection
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        # the content is on disk before the name, so that a power failure leaves no empty file of that name
        partial.replace(path)
        sync_folder(path.parent)
    finally:
        # SQLite leaves these beside its file if its process is killed
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{partial}{suffix}").unlink(missing_ok=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise InputError(f"The tags in '{_shown(path)}' {_reason(error, path)}") from error
    except (DamagedError, UnicodeDecodeError) as error:  # SQLite's own messages may hold damaged names
        raise InputError(f"The tags in '{_shown(path)}' {_DAMAGED}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"The tags in '{_shown(path)}' cannot be read or written ({reason}); change permissions, or free space there.") from error


def _reason(error: sqlite3.Error, path: Path) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "are locked by another program; nothing was changed: try again, or end that program."
    if name.startswith("SQLITE_FULL"):
        if path.stat().st_size + _PAGE_BYTES >= MOST_BYTES:
            return f"take {MOST_BYTES >> 20:,} MB with the log of all edits, which is the limit; nothing was changed: start a new file."
        return "cannot be written, because the disk is full; nothing was changed: free space and try again."
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return "cannot be written, because the file or its folder is read-only; nothing was changed: change permissions."
    if name.startswith("SQLITE_IOERR"):
        return f"cannot be read or written ({error}); nothing was changed: check the disk, and try again."
    return _DAMAGED


def _shown(path: Path) -> str:
    return name_to_text(str(path))
