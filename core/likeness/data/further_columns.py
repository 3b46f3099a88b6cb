"""Columns of results beside those of the images, whatever these are called."""

from collections.abc import Mapping
from typing import Any

import pandas as pd


def with_columns_before(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """A frame behind further columns; an attribute that is called like one of them becomes "NAME (attribute)".

    Args:
        frame: n rows.
        columns: name -> n values.

    Example:
        >>> with_columns_before(pd.DataFrame({"path": ["a.jpg"], "row": ["top"]}), {"row": [7]}).columns.tolist()
        ['row', 'path', 'row (attribute)']
    """
    own = frame.rename(columns={name: free_name(str(name), {*columns, *frame.columns}, "attribute") for name in frame if name in columns})
    return own.assign(**columns)[[*columns, *own.columns]]


def free_name(name: str, taken: "set[Any]", what: str) -> str:
    """The name, with what it is in brackets as often as it takes to be none of those taken."""
    while name in taken:
        name = f"{name} ({what})"
    return name
