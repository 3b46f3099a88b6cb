"""Read the columns of Parquet and Arrow files. Images inside stay there: a row's path names its cell."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from likeness.data.readers.folder import has_image_suffix
from likeness.errors import InputError
from likeness.io import Part, from_arrow, name_to_text, part_path

_LONGEST_WORD = 1_000  # bytes up to which they may be a text
_ROWS_AT_ONCE = 256  # of bytes, which may be megabytes each
_IMAGE_STARTS = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*")


class _ArrowColumns:
    """An Arrow file (IPC, stream or file), mapped into memory, with the methods of a `ParquetFile`."""

    def __init__(self, file: Path) -> None:
        mapped = pa.memory_map(str(file))
        try:
            self.table = pa.ipc.open_file(mapped).read_all()
        except pa.ArrowInvalid:
            self.table = pa.ipc.open_stream(pa.memory_map(str(file))).read_all()
        self.table.validate(full=True)  # what lies in it is read without checks
        self.schema_arrow = self.table.schema

    def read(self, columns: list[str]) -> Any:
        return self.table.select(columns)

    def iter_batches(self, rows: int, columns: list[str]) -> Any:
        return iter(self.table.select(columns).to_batches(rows))


def open_columns(file: Path) -> Any:
    """An open Parquet or Arrow file; whatever pyarrow raises on a damaged one."""
    import pyarrow.parquet as parquet

    return parquet.ParquetFile(file) if file.suffix.lower() == ".parquet" else _ArrowColumns(file)


def read_parquet(file: Path, choose: Callable[[list[str]], str], wanted: str | None, is_there: Callable[[Any], bool]) -> tuple[pd.DataFrame, str]:
    """The table, and the name of its column of images: `wanted`, or the paths that `choose` picks if one `is_there`; else bytes or structs of bytes
    and path inside, whose cells become paths.

    Lists of strings become JSON, and other lists and structs text, so that they can be counted and compared. Bytes that are short text become text,
    others are left out. Numbers of classes (ClassLabel of `datasets`) become their names.

    Raises:
        InputError: it cannot be parsed, or `choose` finds no name and there are no images inside.
    """
    column = ""
    try:
        source = open_columns(file)
        names = [str(name) for name in source.schema_arrow.names]
        blobs = {name for name in names if _holds_bytes(source.schema_arrow.field(name).type) and not _is_words(source, name)}
        inside = wanted if wanted in blobs else next((name for name in names if name in blobs and not wanted and _holds_images(source, name)), None)
        frame = from_arrow(source.read([name for name in names if name not in blobs])).rename(columns=str).reset_index(drop=True)
        features = json.loads((source.schema_arrow.metadata or {}).get(b"huggingface", b"{}")).get("info", {}).get("features", {})
        for name in (name for name in frame if features.get(name, {}).get("_type") == "ClassLabel"):
            frame[name] = frame[name].map(dict(enumerate(features[name]["names"])))
        with suppress(InputError):
            column = choose([*frame])
        if inside and not (column and is_there(frame[column].map(_decoded))):
            column = inside
            frame = frame.assign(**{inside: cell_paths(source, name_to_text(file.name), inside)})
    except Exception as error:  # damaged metadata raises anything
        reason = " ".join(str(error).split())[:150]
        raise InputError(f"The table '{file.name}' cannot be parsed ({reason}); save it again as CSV or Parquet.") from error
    return plain_cells(frame), column or choose([*frame])


def plain_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with plain values in place of lists, structs and bytes."""
    return frame.assign(**{name: frame[name].map(_plain) for name in frame.columns if frame[name].dtype == object})


def cell_paths(source: Any, file: str, column: str) -> list[str]:
    """The path of each cell of a column."""
    rows = source.table.num_rows if isinstance(source, _ArrowColumns) else source.metadata.num_rows
    return [part_path(file, Part(column=column, row=row)) for row in range(rows)]


def _holds_images(source: Any, name: str) -> bool:
    """True if the first cell with content begins as an image, or names one."""
    batch = next(source.iter_batches(_ROWS_AT_ONCE, columns=[name]), None)
    cells = [] if batch is None else [cell for cell in batch.column(0).to_pylist() if cell]
    cell = (cells[0].get("bytes") or str(cells[0].get("path")) if isinstance(cells[0], dict) else cells[0]) if cells else None
    return has_image_suffix(cell) if isinstance(cell, str) else isinstance(cell, bytes) and (cell.startswith(_IMAGE_STARTS) or cell[4:8] == b"ftyp")


def _holds_bytes(kind: Any) -> bool:
    """True if a pyarrow type is or contains bytes."""
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
