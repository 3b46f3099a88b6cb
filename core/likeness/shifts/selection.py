"""A few splits out of many, whose distances cover the range evenly."""

from collections.abc import Sequence

import numpy as np

from likeness.errors import InputError


def select_evenly(distances: Sequence[float], count: int, keep: int | None = None) -> list[int]:
    """Which splits to take, so that their distances lie as evenly as possible from the smallest to the largest (ooDML, section 4).

    Of all choices of `count` splits, the one with the least sum of squared differences from `count` equally spaced values, found exactly.

    Args:
        distances: (n,) of the splits.
        count: how many to take.
        keep: a split that is among them in any case: the dataset's own one.

    Returns:
        Their numbers in the order of their distances.

    Raises:
        InputError: fewer splits than asked for, fewer than two asked for, or distances that are not finite.
    """
    values = np.asarray(distances, dtype=np.float64)
    if not 2 <= count <= len(values):
        raise InputError(f"{count} splits can't be chosen from {len(values)}; choose from 2 to {len(values)}.")
    if not np.isfinite(values).all():
        raise InputError(f"The distance of split {int(np.argmin(np.isfinite(values)))} is not finite; leave it out.")
    order = np.argsort(values, kind="stable")
    targets = np.linspace(values.min(), values.max(), count)
    costs = (values[order, None] - targets) ** 2
    if keep is None:
        return [int(order[row]) for row in _cheapest(costs)[1]]
    kept = int(np.flatnonzero(order == keep)[0])
    choices = []
    for target in range(count):
        forced = costs.copy()
        forced[:, target] = np.inf
        forced[kept, :] = np.inf
        forced[kept, target] = costs[kept, target]
        choices.append(_cheapest(forced))
    return [int(order[row]) for row in min(choices, key=lambda choice: choice[0])[1]]


def _cheapest(costs: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> tuple[float, list[int]]:
    """The cheapest way to give each column a row of its own, in ascending order; cost and rows."""
    rows, columns = costs.shape
    best = np.full((rows + 1, columns + 1), np.inf)
    best[:, 0] = 0
    for row in range(1, rows + 1):
        for column in range(1, min(row, columns) + 1):
            best[row, column] = min(best[row - 1, column], best[row - 1, column - 1] + costs[row - 1, column - 1])
    chosen, column = [], columns
    for row in range(rows, 0, -1):
        if column and best[row, column] < best[row - 1, column]:
            chosen.append(row - 1)
            column -= 1
    return float(best[rows, columns]), chosen[::-1]
