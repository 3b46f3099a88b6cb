"""A set of rows as a trait of a widget."""

from typing import Any

import numpy as np
import traitlets
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.errors import InputError

Rows = NDArray[np.int64]


class RowsTrait(traitlets.TraitType[Rows, Any]):
    """Sorted row numbers (m,) int64, each once, below `obj.n`. Takes any sequence of rows, a mask (n,), or None for no row."""

    info_text = "row numbers or a mask"

    def make_dynamic_default(self) -> Rows:
        return np.zeros(0, np.int64)

    def validate(self, obj: Any, value: Any) -> Rows:
        rows = np.zeros(0, np.int64) if value is None else np.atleast_1d(np.asarray(to_numpy(value)))
        if rows.dtype == bool:
            if rows.shape != (obj.n,):
                raise InputError(f"A mask of shape {rows.shape} does not fit {obj.n} rows; pass a mask ({obj.n},) or row numbers.")
            rows = np.flatnonzero(rows)
        if rows.size and rows.dtype.kind not in "iu":
            raise InputError(f"Rows are whole numbers, not {rows.dtype}; pass row numbers from 0 to {obj.n - 1} or a mask.")
        rows = np.unique(rows.astype(np.int64))
        if rows.size and (rows[0] < 0 or rows[-1] >= obj.n):
            wrong = rows[-1] if rows[-1] >= obj.n else rows[0]
            raise InputError(f"Row {wrong} is outside the {obj.n} rows of the map; pass rows from 0 to {obj.n - 1}.")
        return rows

    def set(self, obj: Any, value: Any) -> None:
        """Notifies only when the rows change; plain traits would compare the arrays as a whole, which NumPy refuses."""
        rows, before = self.validate(obj, value), self.get(obj)
        if before is None or not np.array_equal(rows, before):
            super().set(obj, rows)
