"""The columns that exports add to those of the attributes."""

import pandas as pd

from likeness.errors import InputError

NEIGHBORS, SIMILARITIES = "neighbors", "neighbor_similarities"


def check_own_columns(frame: pd.DataFrame, *names: str) -> None:
    """Raises InputError where an attribute has the name of a column that is added."""
    lower = {str(column).lower(): str(column) for column in frame.columns}
    for name in names:
        if name in lower:
            raise InputError(f"The attribute '{lower[name]}' has the name of a column that is added; rename it, or leave it out by `columns`.")
