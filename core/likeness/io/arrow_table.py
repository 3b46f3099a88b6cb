"""Convert data frames with any columns to pyarrow tables, and back."""

from typing import Any

import pandas as pd
import pyarrow as pa

_LARGEST = 2**63 - 1
_LONGEST_BYTES = 100  # that are written as text; of more only how many they are


def to_arrow(frame: pd.DataFrame) -> Any:
    """Converts a data frame to a table that Parquet can store. Columns keep their types; those without a common Arrow type become plain
    (`plain_column`): numbers mixed with text, intervals, complex numbers, paths, integers of more than 64 bits.

    Example:
        >>> to_arrow(pd.DataFrame({"a": [1, 2], "b": [1, "x"], "c": [10**30, 1]})).column("b").to_pylist()
        ['1', 'x']
    """
    if not len(frame.columns):
        return pa.table({})
    if not _fits(frame):
        fits = [_fits(frame.iloc[:, [place]]) for place in range(len(frame.columns))]
        columns = {place: frame.iloc[:, place] if fit else plain_column(frame.iloc[:, place]) for place, fit in enumerate(fits)}
        frame = pd.concat(columns, axis=1).set_axis(frame.columns, axis=1)
    return pa.Table.from_pandas(frame, preserve_index=False)


def from_arrow(table: Any) -> pd.DataFrame:
    """The data frame of a pyarrow table. Integers with missing values stay integers (Int64) instead of becoming floats."""
    frame: pd.DataFrame = table.to_pandas()
    for place, field in enumerate(table.schema):
        if pa.types.is_integer(field.type) and field.name in frame and pd.api.types.is_float_dtype(frame[field.name].dtype):
            kind = "UInt64" if field.type == pa.uint64() else "Int64"
            frame[field.name] = pd.Series(pd.array(table.column(place).to_pylist(), dtype=kind), index=frame.index)
    return frame


def plain_column(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """The same values as boolean, Int64, Float64 or text (object), with a fresh index; missing values are NA, or None among text. Everything else
    (dates, categories, lists, integers beyond 64 bits) becomes text.
    """
    values = column.astype(object).to_numpy()
    missing = column.isna().to_numpy()
    dtype = _plain_dtype(values[~missing])
    kept = [None if none else _text(value) if dtype == "object" else value for value, none in zip(values, missing, strict=True)]
    return pd.Series(kept, dtype=dtype)


def _plain_dtype(values: Any) -> str:
    kind = pd.api.types.infer_dtype(values, skipna=False)
    if kind == "integer" and any(abs(int(value)) > _LARGEST for value in values):
        return "object"
    return {"boolean": "boolean", "integer": "Int64", "floating": "Float64", "mixed-integer-float": "Float64"}.get(kind, "object")


def _text(value: Any) -> str:
    if isinstance(value, bytes | bytearray | memoryview) and len(value) > _LONGEST_BYTES:
        return f"{len(value):,} bytes"
    return str(value).encode("utf-8", "backslashreplace").decode()


def _fits(frame: pd.DataFrame) -> bool:
    """True if pyarrow can convert the columns and Parquet can store their types."""
    import pyarrow.parquet as parquet

    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        parquet.write_table(table.slice(0, 0), pa.BufferOutputStream())
    except Exception:  # what pyarrow raises depends on the values that it meets
        return False
    return True
