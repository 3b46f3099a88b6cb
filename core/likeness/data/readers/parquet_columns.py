"""Read the columns of a Parquet file. Embedded images are not read: a column of bytes is replaced by sizes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.io import from_arrow

_LONGEST_WORD = 1_000  # bytes up to which they may be a text
_ROWS_AT_ONCE = 256  # of bytes, which may be megabytes each


def read_parquet(file: Path, wanted: str | None, choose: Callable[[list[str]], str]) -> tuple[pd.DataFrame, str]:
    """The table, and the name of its column of paths: `wanted`, or the one that `choose` picks.

    Lists of strings become JSON, and other lists and structs text, so that they can be counted and compared. Bytes that are short text become text;
    others, such as images, are replaced by their size ("12,345 bytes").

    Raises:
        InputError: it cannot be parsed, `choose` finds no name, or it has embedded images but no column of paths.
    """
    import pyarrow.parquet as parquet

    try:
        source = parquet.ParquetFile(file)
        names = [str(name) for name in source.schema_arrow.names]
        blobs = {name for name in names if _holds_bytes(source.schema_arrow.field(name).type) and not _is_words(source, name)}
    except Exception as error:  # damaged metadata raises anything
        raise _damaged(file, error) from error
    column = _chosen(names, blobs, wanted, choose, file.name)
    try:
        frame = from_arrow(source.read([name for name in names if name not in blobs])).rename(columns=str).reset_index(drop=True)
        sizes = pd.DataFrame({name: _sizes(source, name) for name in names if name in blobs}, index=frame.index)
        frame = pd.concat([frame, sizes], axis=1)[[name for name in names if name in {*frame.columns, *blobs}]]
    except Exception as error:
        raise _damaged(file, error) from error
    for name in (name for name in frame.columns if frame[name].dtype == object):
        plain = _decoded if name == column else _plain
        frame[name] = frame[name].map(plain)
    return frame, column


def _damaged(file: Path, error: Exception) -> InputError:
    reason = " ".join(str(error).split())[:150]
    return InputError(f"The table '{file.name}' cannot be parsed ({reason}); save it again as CSV or Parquet.")


def _chosen(names: list[str], blobs: set[str], wanted: str | None, choose: Callable[[list[str]], str], file: str) -> str:
    try:
        return choose([name for name in names if name not in blobs])
    except InputError:
        inside = wanted if wanted is not None else next((name for name in names if name in blobs), None)
        if inside not in blobs:
            choose(names)  # which says what is wrong with all names
            raise
        raise InputError(
            f"The column '{inside}' of '{file}' holds embedded images, but images are read from files; write each to a file, and list the "
            "files in a column 'path'."
        ) from None


def _holds_bytes(kind: Any) -> bool:
    """True if a pyarrow type is or contains bytes."""
    import pyarrow as pa

    types = pa.types
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind) or types.is_binary_view(kind):
        return True
    if types.is_dictionary(kind):
        return _holds_bytes(kind.value_type)
    inner = getattr(kind, "storage_type", kind)
    return any(_holds_bytes(inner.field(place).type) for place in range(inner.num_fields))


def _is_words(source: Any, name: str) -> bool:
    """True if the first values of a bytes column are short text, as written by programs without a string type."""
    first = next(source.iter_batches(1, columns=[name]), None)
    cells = [] if first is None else [cell for cell in first.column(0).to_pylist() if cell is not None]
    return all(isinstance(_decoded(cell), str) for cell in cells) and not source.schema_arrow.field(name).type.num_fields


def _sizes(source: Any, name: str) -> list[str | None]:
    """The size of each cell, read in chunks."""
    found: list[str | None] = []
    for batch in source.iter_batches(_ROWS_AT_ONCE, columns=[name]):
        found += [None if cell is None else f"{_size(cell):,} bytes" for cell in batch.column(0).to_pylist()]
    return found


def _size(cell: Any) -> int:
    if isinstance(cell, bytes):
        return len(cell)
    parts = cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list | tuple) else ()
    return sum(map(_size, parts))


def _decoded(cell: Any) -> Any:
    """Decodes bytes that are short text; other values are unchanged."""
    if not isinstance(cell, bytes) or len(cell) > _LONGEST_WORD:
        return cell
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell


def _plain(cell: Any) -> Any:
    cell = _decoded(cell)
    if isinstance(cell, bytes):
        return f"{len(cell):,} bytes"
    if isinstance(cell, np.ndarray) and cell.dtype == object and all(isinstance(each, str) for each in cell):
        return json.dumps(cell.tolist(), ensure_ascii=False)
    return cell if isinstance(cell, str | int | float | bool | None) else str(cell)
