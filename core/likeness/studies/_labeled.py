"""What studies have in common: runs collected in one table."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import pandas as pd

from likeness.notions import MethodLike

Methods = Collection[MethodLike]
OnRun = Callable[[dict[str, Any]], None]


def collected(rows: Iterable[dict[str, Any]], on_run: OnRun | None) -> list[dict[str, Any]]:
    """The rows, of which `on_run` gets each as it comes."""
    found = []
    for row in rows:
        found.append(row)
        if on_run:
            on_run(dict(row))
    return found


def labeled(on_run: OnRun | None, **label: Any) -> OnRun | None:
    """`on_run` that gets each row with the label in front."""
    return (lambda row: on_run(label | row)) if on_run else None


def joined(frames: Sequence[tuple[Any, pd.DataFrame]], column: str, empty: pd.DataFrame) -> pd.DataFrame:
    """All runs one after the other, with a first column of their labels; the columns of `empty` where there are none."""
    filled = [frame.assign(**{column: label}) for label, frame in frames if len(frame)]
    runs = pd.concat(filled, ignore_index=True) if filled else empty.assign(**{column: None})
    return runs[[column, *empty.columns]]
