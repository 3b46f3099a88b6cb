"""Convert attributes to types that every format and database supports: booleans, integers, floats and text, all nullable."""

from typing import Any, Literal

import numpy as np
import pandas as pd

from likeness.data import has_label
from likeness.errors import InputError
from likeness.io import plain_column

Kind = Literal["bool", "int", "float", "text"]
_DTYPES: dict[Kind, str] = {"bool": "boolean", "int": "Int64", "float": "Float64", "text": "object"}
_MOST_CLASSES = 1_000
# that exports add to those of the attributes
NEIGHBORS, SIMILARITIES = "neighbors", "neighbor_similarities"


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The same rows with columns of type boolean, Int64, Float64 or object (text); missing values are NA, or None among text.

    Dates, categories, lists and integers beyond 64 bits become text. Raises InputError for infinity, which JSON cannot represent.

    Example:
        >>> import pandas as pd
        >>> plain_frame(pd.DataFrame({"a": [1.5, None], "b": pd.Categorical(["x", None])})).to_dict("list")
        {'a': [1.5, None], 'b': ['x', None]}
    """
    return pd.DataFrame({str(name): _plain(str(name), frame[name]) for name in frame.columns}, index=range(len(frame)))


def check_own_columns(frame: pd.DataFrame, *names: str) -> None:
    """Raises InputError if an attribute has the name of an added column."""
    lower = {str(column).lower(): str(column) for column in frame.columns}
    for name in names:
        if name in lower:
            raise InputError(f"The attribute '{lower[name]}' has the name of an added column; rename it, or exclude it with `columns`.")


def kind_of(column: "pd.Series[Any]") -> Kind:
    """The kind of a column of a `plain_frame`."""
    return next(kind for kind, dtype in _DTYPES.items() if str(column.dtype) == dtype)


def plain_values(column: "pd.Series[Any]") -> list[Any]:
    """The values of a `plain_frame` column as Python objects, None if missing."""
    return [None if value is pd.NA else value for value in column.astype(object).tolist()]


def class_values(column: "pd.Series[Any]") -> list[Any]:
    """As `plain_values`, for a class column: also None for empty text and the marker of unlabeled images."""
    return [value if known else None for value, known in zip(plain_values(column), has_label(column), strict=True)]


def class_attributes(frame: pd.DataFrame, label: str | None) -> list[str]:
    """Class attributes of a `plain_frame`: those listed in `label`, separated by commas; by default booleans, and text with repeating values."""
    if label is None:
        return [str(name) for name in frame if kind_of(frame[name]) == "bool" or _repeats(frame[name])]
    names = [label] if label in frame else [name.strip() for name in label.split(",")]
    for name in names:
        if name not in frame:
            raise InputError(f"There is no attribute '{name}'; there are {', '.join(map(str, frame.columns)) or 'none'}.")
    return list(dict.fromkeys(names))


def _repeats(column: "pd.Series[Any]") -> bool:
    """True if text values are classes, unlike notes and captions, which are mostly distinct."""
    if kind_of(column) != "text":
        return False
    different, there = column.nunique(), int(column.notna().sum())
    return 0 < different <= min(_MOST_CLASSES, max(1, there // 2))


def _plain(name: str, column: "pd.Series[Any]") -> Any:
    plain = plain_column(column)
    if kind_of(plain) == "float" and np.isinf(plain.dropna().to_numpy(float)).any():
        raise InputError(f"The attribute '{name}' contains infinity, which other programs do not support; exclude it with `columns`.")
    return plain
