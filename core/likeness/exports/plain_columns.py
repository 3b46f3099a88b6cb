"""Attributes as what every format and database can hold: yes or no, whole numbers, numbers and texts, each perhaps missing."""

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
    """The same rows with columns of the types boolean, Int64, Float64 and object (texts); what is missing is NA there, and None among texts.

    Dates, categories, lists and whole numbers beyond 64 bits become texts. InputError for an infinite number, which JSON cannot hold.

    Example:
        >>> import pandas as pd
        >>> plain_frame(pd.DataFrame({"a": [1.5, None], "b": pd.Categorical(["x", None])})).to_dict("list")
        {'a': [1.5, None], 'b': ['x', None]}
    """
    return pd.DataFrame({str(name): _plain(str(name), frame[name]) for name in frame.columns}, index=range(len(frame)))


def check_own_columns(frame: pd.DataFrame, *names: str) -> None:
    """Raises InputError where an attribute has the name of a column that is added."""
    lower = {str(column).lower(): str(column) for column in frame.columns}
    for name in names:
        if name in lower:
            raise InputError(f"The attribute '{lower[name]}' has the name of a column that is added; rename it, or leave it out by `columns`.")


def kind_of(column: "pd.Series[Any]") -> Kind:
    """The kind of a column of a `plain_frame`."""
    return next(kind for kind, dtype in _DTYPES.items() if str(column.dtype) == dtype)


def plain_values(column: "pd.Series[Any]") -> list[Any]:
    """The values of a column of a `plain_frame` as Python's own, None where one is missing."""
    return [None if value is pd.NA else value for value in column.astype(object).tolist()]


def class_values(column: "pd.Series[Any]") -> list[Any]:
    """As `plain_values`, of a column of classes: None also where a text is empty or stands for images without a label."""
    return [value if known else None for value, known in zip(plain_values(column), has_label(column), strict=True)]


def class_attributes(frame: pd.DataFrame, label: str | None) -> list[str]:
    """Attributes of a `plain_frame` that are classes: those that `label` names, with commas between; or else yes or no, and texts that repeat."""
    if label is None:
        return [str(name) for name in frame if kind_of(frame[name]) == "bool" or _repeats(frame[name])]
    names = [label] if label in frame else [name.strip() for name in label.split(",")]
    for name in names:
        if name not in frame:
            raise InputError(f"There is no attribute '{name}'; there are {', '.join(map(str, frame.columns)) or 'none'}.")
    return list(dict.fromkeys(names))


def _repeats(column: "pd.Series[Any]") -> bool:
    """Texts that stand for classes: not most of them different, as notes and captions are."""
    if kind_of(column) != "text":
        return False
    different, there = column.nunique(), int(column.notna().sum())
    return 0 < different <= min(_MOST_CLASSES, max(1, there // 2))


def _plain(name: str, column: "pd.Series[Any]") -> Any:
    plain = plain_column(column)
    if kind_of(plain) == "float" and np.isinf(plain.dropna().to_numpy(float)).any():
        raise InputError(f"The attribute '{name}' holds infinity, which other programs cannot take; leave it out by `columns`.")
    return plain
