"""Numeric labels: Euclidean distance of vectors, with circular distance for angles in degrees."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.labels.kind import LabelKind, number_columns
from likeness.labels.protocol import Distances, Rows

_VIEWPOINT = ("yaw", "elevation")


def number_distances(a: Any, b: Any, periods: Any = None) -> Distances:
    """Euclidean distances (n, m) of label vectors a (n, p) and b (m, p), all in one unit, because they have equal weight.

    InputError: shapes that do not fit, numbers that are not finite, negative periods.

    Args:
        periods: (p,), period of each number, 360 for an angle in degrees; 0 or None for linear numbers. Differences are along the shorter arc: 350
            and 10 degrees are 20 apart.
    """
    first, second = (_checked(each) for each in (a, b))
    if first.shape[1] != second.shape[1]:
        raise InputError(f"The labels have {first.shape[1]} and {second.shape[1]} numbers; pass equally many for both.")
    rounds = _periods(periods, first.shape[1])
    squares = np.zeros((len(first), len(second)))
    for column, period in enumerate(rounds):
        gaps = np.abs(first[:, column, None] - second[None, :, column])
        if period:
            gaps %= period
            np.minimum(gaps, period - gaps, out=gaps)
        squares += np.square(gaps, out=gaps)
    return np.sqrt(squares, out=squares).astype(np.float32)


def _periods(periods: Any, count: int) -> NDArray[np.float64]:
    rounds: NDArray[np.float64] = np.zeros(count) if periods is None else np.asarray(periods, dtype=np.float64)
    if rounds.shape != (count,) or not (rounds >= 0).all():
        raise InputError(f"The periods are {rounds.tolist()}; give one for each of {count} numbers, 0 for those that are not circular.")
    return rounds


def _checked(values: Any) -> NDArray[np.float64]:
    rows: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2:
        raise InputError(f"The labels have shape {rows.shape}; give a row of numbers per image, (n, p).")
    missing = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if missing.size:
        raise InputError(f"The label of image {missing[0]} is not a finite number, and {missing.size - 1} more; fill them in or leave these out.")
    return rows


@dataclass(frozen=True)
class NumberLabels:
    """`number_distances` of n images, from values (n, p) with periods (p,) or None; `unit` is that of the numbers."""

    values: NDArray[np.float64]
    periods: tuple[float, ...] | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _checked(self.values))
        _periods(self.periods, self.values.shape[1])

    def __len__(self) -> int:
        return len(self.values)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        return number_distances(self.values[rows], self.values[columns], self.periods)


KIND = LabelKind("numbers", "numeric columns", lambda table, options, progress: NumberLabels(number_columns(table, options.columns)), needs="columns")
ANGLES = LabelKind(
    "angles",
    "numeric columns, in degrees",
    lambda table, options, progress: NumberLabels(number_columns(table, options.columns), (360.0,) * len(options.columns), "degrees"),
    lambda table: {"Viewpoint": {"columns": _VIEWPOINT}} if set(_VIEWPOINT) <= set(table.attributes) else {},
    needs="columns",
)
