"""Values of attributes as texts, by which two versions of a dataset are compared."""

from typing import Any

import numpy as np
import pandas as pd


def value_text(value: Any) -> str | None:
    """A value as text, None where it is missing.

    A column of whole numbers is read as floats once a value is missing, and as texts once one is no number: 3, 3.0 and "3" are the same value.

    Example:
        >>> value_text(3), value_text(3.0), value_text("3"), value_text(2.5), value_text(float("nan"))
        ('3', '3', '3', '2.5', None)
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if is_whole else str(value)
