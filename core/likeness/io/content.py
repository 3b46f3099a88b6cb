"""Open the bytes in which the image of a row lies: a file, an entry of an archive, or a cell of a table."""

import hashlib
import io
import os
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from likeness.io.archive_entries import MOST_BYTES, open_archive
from likeness.io.confinement import check_readable
from likeness.io.file_parts import Part, part_path, split_part
from likeness.io.unreadable import TransientError, UnreadableImageError, reason_of

_OPEN = 8  # archives and tables of a process


# of each file and column, since one thread opens what others read, too
_lock_of = lru_cache(_OPEN)(lambda *key: threading.Lock())
_opened = lru_cache(_OPEN)(lambda file, column, *state: TableCells(file, column) if column else open_archive(file))


def _reader(file: Path, column: str = "") -> Any:
    """Reads the content of an entry, or of a row's cell."""
    state = os.stat(check_readable(file))
    key = file, column, state.st_ino, state.st_size, state.st_mtime_ns
    with _lock_of(*key):
        return _opened(*key)


# in a forked process places in open files are shared with its parent, and locks may be held by its threads
if hasattr(os, "register_at_fork"):
    for _cache in (_lock_of, _opened):
        os.register_at_fork(after_in_child=_cache.cache_clear)


def open_content(path: Path) -> BinaryIO:
    """Opens the file of a row, or reads its entry of an archive or cell of a table: bytes, a path relative to the table's folder, or a dict of both
    ("bytes" and "path", as datasets of the Hugging Face Hub have them). The directory of an archive is read once, until it changes.

    Raises:
        UnreadableImageError: there is no such entry or cell, it is larger than 100 MB, or the archive or table is damaged or encrypted.
        OSError: the file cannot be opened.
    """
    name, part = split_part(str(path))
    if part is None or not (part.entry or part.column):
        return check_readable(Path(name)).open("rb")
    file = Path(name)
    try:
        found = _reader(file, part.column).read(part.entry or part.row)
    except KeyError as error:
        raise UnreadableImageError(path.name, f"'{file.name}' has no {part.entry or error.args[0]}") from error
    except Exception as error:  # every format has a reader with errors of its own
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if isinstance(error, MemoryError):
            raise TransientError(f"The image '{path.name}'", error) from error
        raise UnreadableImageError(path.name, f"'{file.name}' is damaged or encrypted ({reason_of(error)})") from error
    content, place = (found.get("bytes"), found.get("path")) if isinstance(found, dict) else (found, found)
    if isinstance(content, bytes):
        if len(content) > MOST_BYTES:
            raise UnreadableImageError(path.name, f"it has more than {MOST_BYTES >> 20} MB")
        return io.BytesIO(content)
    if isinstance(place, str) and place:
        return check_readable(file.parent / place).open("rb")
    raise UnreadableImageError(path.name, "its cell has neither the bytes nor the path of an image")


def content_size(path: Path) -> int:
    """Bytes of what `open_content` opens."""
    with open_content(path) as content:
        return content.seek(0, os.SEEK_END)


def content_sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of what `open_content` opens."""
    with open_content(path) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]


def archive_names(file: Path) -> list[str]:
    """The names of the files in a ZIP or tar archive, in its order, as `Part.entry` has them. Raises any error of a damaged archive."""
    return list(_reader(file).names)


def without_view(path: Path) -> tuple[Path, Part]:
    """The path that `open_content` opens, and what of it the image is: a second, page or region."""
    file, part = split_part(str(path))
    if part is None:
        return path, Part()
    content = part._replace(number=None, box=None, percent=False)
    return Path(part_path(file, content)), part._replace(entry="", column="", row=0)


_BLOCK, _KEPT = 8 << 20, 48 << 20  # bytes that are decoded at a time, and kept of a file
_MOST_ROWS = 256  # decoded at a time; metadata may lie


class TableCells:
    """The cells of a column. Parquet is decoded from the beginning of a row group on, so far as needed; Arrow files (IPC, stream or file) are mapped
    into memory. KeyError: there is no such column or row. Other errors: damaged.
    """

    def __init__(self, file: Path, column: str) -> None:
        self._lock = threading.Lock()
        counts, self._open_group = (_parquet if file.suffix.lower() == ".parquet" else _arrow)(file, column)
        self._starts = [0, *accumulate(counts)]
        self._kept: OrderedDict[int, Any] = OrderedDict()  # by the first row
        self._group, self._next = -1, 0
        self._stream: Iterator[Any] = iter(())

    def read(self, row: int) -> Any:
        """The value of a cell: bytes, text, None, or a dict of those."""
        with self._lock:
            if row >= self._starts[-1]:
                raise KeyError(f"row {row}")
            for begin in reversed(self._kept):
                if begin <= row < begin + len(self._kept[begin]):
                    return self._kept[begin][row - begin].as_py()
            group = bisect_right(self._starts, row) - 1
            if group != self._group or row < self._next:
                self._group, self._next, self._stream = group, self._starts[group], self._open_group(group)
            while row >= self._next:
                values: Any = next(self._stream, None)
                if values is None:
                    self._group = -1
                    raise EOFError("it is cut off")
                self._kept[self._next] = values
                self._next += len(values)
                while len(self._kept) > 1 and sum(each.nbytes for each in self._kept.values()) > _KEPT:
                    self._kept.popitem(last=False)
            return values[row - self._next].as_py()


_Groups = tuple[list[int], Callable[[int], Iterator[Any]]]


def _parquet(file: Path, column: str) -> _Groups:
    """The number of rows of each row group, and what decodes one."""
    import pyarrow.parquet as parquet

    source = parquet.ParquetFile(file, memory_map=True)
    if column not in source.schema_arrow.names:
        raise KeyError(f"column '{column}'")
    groups = [source.metadata.row_group(number) for number in range(source.metadata.num_row_groups)]

    def opened(number: int) -> Iterator[Any]:
        rows = max(1, min(_MOST_ROWS, groups[number].num_rows * _BLOCK // max(1, groups[number].total_byte_size)))
        return (batch.column(column) for batch in source.iter_batches(rows, [number], [column], use_threads=False))

    return [group.num_rows for group in groups], opened


def _arrow(file: Path, column: str) -> _Groups:
    """The same of an Arrow file: of a stream, which has no directory, all batches are one group."""
    import pyarrow as pa

    mapped = pa.memory_map(str(file))
    try:
        source = pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:
        source = None
    schema = pa.ipc.open_stream(mapped).schema if source is None else source.schema
    if column not in schema.names:
        raise KeyError(f"column '{column}'")
    only = pa.ipc.IpcReadOptions(included_fields=[schema.names.index(column)])

    def stream() -> Iterator[Any]:
        return (batch.column(0) for batch in pa.ipc.open_stream(pa.memory_map(str(file)), options=only))

    if source is None:
        return [sum(map(len, stream()))], lambda number: stream()
    source = pa.ipc.open_file(mapped, options=only)
    batches = range(source.num_record_batches)
    return [source.get_batch(number).num_rows for number in batches], lambda number: iter([source.get_batch(number).column(0)])
