"""Tables of images joined: columns of a frame beside a table, or tables one after another."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from likeness.data.table import IMAGE_COLUMN, ImageTable
from likeness.errors import InputError
from likeness.io import from_arrow, name_finder, name_to_text


def joined_table(table: ImageTable, frame: Any, on: str | None) -> ImageTable:
    """The table with the columns of a frame as attributes, as in `likeness.Space.join`."""
    if not isinstance(frame, pd.DataFrame):
        frame = from_arrow(pa.table(frame))
    own, keys = (pd.Series(range(len(each))) if on is None else each.get(on) for each in (table.frame, frame))
    if own is None or keys is None:
        raise InputError(f"There is no column '{on}' in {'the table' if own is None else 'the frame'}; pass `on=` with one of both.")
    columns = frame.drop(columns=[on] if on else []).rename(columns=str)
    columns.index = pd.Index(frame.index if on is None else _paths_of(keys, table) if on == "path" else keys, dtype=object)
    columns = columns[columns.index.notna()]
    if taken := [name for name in columns if name in table.frame]:
        raise InputError(f"'{table.name}' has an attribute '{taken[0]}' already; rename the column.")
    if columns.index.has_duplicates:
        raise InputError(f"The frame lists {columns.index[columns.index.duplicated()][0]!r} twice; keep one row of each.")
    found = own.isin(columns.index)
    if not found.any():
        raise InputError(f"No '{on or 'row'}' of the frame, such as {[*columns.index[:1]]}, is in '{table.name}'; pass `on=` with another column.")
    rows = _with_gaps(columns, not found.all()).reindex(own.tolist()).set_axis(table.frame.index)
    return replace(table, frame=pd.concat([table.frame, rows], axis=1))


def stacked_table(tables: Sequence[ImageTable]) -> ImageTable:
    """The rows of tables one after another; with different roots, paths become absolute. Attributes that a table lacks are missing values.

    Raises InputError if only some have images.
    """
    if len({table.has_images for table in tables}) > 1:
        raise InputError("Some of the spaces have images and others only vectors; pass `images=` for all.")
    same = len({table.root.absolute() for table in tables}) == 1 or not tables[0].has_images
    frames = [table.frame if same else table.frame.assign(**_absolute(table)) for table in tables]
    if any(IMAGE_COLUMN in frame for frame in frames):
        frames = [frame.assign(**{IMAGE_COLUMN: frame.get(IMAGE_COLUMN, frame["path"])}) for frame in frames]
    gaps = len({frozenset(frame) for frame in frames}) > 1
    failed, notes = (tuple(dict.fromkeys(each for table in tables for each in getattr(table, name))) for name in ("failed", "notes"))
    name, frame = " + ".join(dict.fromkeys(table.name for table in tables)), pd.concat([_with_gaps(frame, gaps) for frame in frames])
    return ImageTable(name, tables[0].root if same else Path(), frame, failed, tables[0].has_images, notes)


def _with_gaps(frame: pd.DataFrame, gaps: bool) -> pd.DataFrame:
    """Columns that stay integers and truth values where some are missing."""
    kinds = {"i": "Int64", "u": "UInt64", "b": "boolean"}
    return frame.astype({name: kinds[kind.kind] for name, kind in frame.dtypes.items() if kind.kind in kinds}) if gaps else frame


def _paths_of(paths: Any, table: ImageTable) -> list[Any]:
    """Paths as the table has them, given so or absolute, in any Unicode form."""
    own = {path: path for path in table.frame["path"]}
    own |= dict(zip(_absolute(table)["path"], own, strict=True)) if len(own) == len(table) else {}
    find = name_finder(own)
    return [own.get(find(name_to_text(str(path))) or "", path) for path in paths]


def _absolute(table: ImageTable) -> dict[str, list[str]]:
    root = table.root.absolute()
    return {name: [name_to_text(str(root / path)) for path in table.frame[name]] for name in ("path", IMAGE_COLUMN) if name in table.frame}
