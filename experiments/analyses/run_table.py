"""The loop of an analysis over its seeds, notions or pairs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

from likeness.progress import Progress
from likeness.studies import OnRun, collected

Rows = Iterable[dict[str, Any]]


def run_table(items: Sequence[Any], rows_of: Callable[[Any], Rows], progress: Progress | None = None, on_run: OnRun | None = None) -> pd.DataFrame:
    """The rows of all items; `progress` is told before each item, `on_run` of each row."""
    rows: list[dict[str, Any]] = []
    for done, item in enumerate(items):
        if progress:
            progress(done, len(items))
        rows += collected(rows_of(item), on_run)
    return pd.DataFrame(rows)
