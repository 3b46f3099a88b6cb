"""Add columns to a table without name clashes, and read numbers from text columns."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")


def numbers_of(column: "pd.Series[Any]") -> NDArray[np.float64] | None:
    """The numbers (n,) of a column, NaN if missing; None if it holds anything else.

    Text counts as numbers if every cell is one, some with a point or exponent, and no two cells are equal numbers: "1.5" and "2", but not "007",
    which is a code, nor "1.10" and "1.1", which are versions.

    Example:
        >>> numbers_of(pd.Series(["1.5", "2", None])).tolist(), numbers_of(pd.Series(["1.1", "1.10"]))
        ([1.5, 2.0, nan], None)
    """
    if pd.api.types.is_numeric_dtype(column):
        return None if pd.api.types.is_complex_dtype(column) else column.to_numpy(np.float64, na_value=np.nan)
    if not (pd.api.types.is_string_dtype(column) or column.dtype == object):
        return None
    first = column.first_valid_index()
    if first is None or not _is_number(column.at[first]):
        return None
    texts = column.dropna().unique()
    if not all(map(_is_number, texts)) or not any(set(text) & set(".eE") for text in texts):
        return None
    numbers = {text: float(text) for text in texts}
    if len(set(numbers.values())) < len(numbers) or not np.isfinite(list(numbers.values())).all():
        return None
    return np.array([numbers.get(text, np.nan) for text in column.to_numpy(object)], dtype=np.float64)


def _is_number(value: Any) -> bool:
    return isinstance(value, str) and any(map(str.isdigit, value)) and _NUMBER.fullmatch(value) is not None


def with_columns_before(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Prepends columns (name -> n values) to a frame of n rows; an attribute with the name of one of them becomes "NAME (attribute)".

    Example:
        >>> with_columns_before(pd.DataFrame({"path": ["a.jpg"], "row": ["top"]}), {"row": [7]}).columns.tolist()
        ['row', 'path', 'row (attribute)']
    """
    own = frame.rename(columns={name: free_name(str(name), {*columns, *frame.columns}, "attribute") for name in frame if name in columns})
    return own.assign(**columns)[[*columns, *own.columns]]


def free_name(name: str, taken: "set[Any]", what: str) -> str:
    """A free name: the name, with its kind in parentheses appended until it is not taken."""
    while name in taken:
        name = f"{name} ({what})"
    return name
