"""Runs of an analysis with a progress bar, written as they are finished."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.commands.terminal import progress_bar

if TYPE_CHECKING:
    import pandas as pd


def measured(label: str, out: Path | None, analysis: "Callable[..., pd.DataFrame]") -> "pd.DataFrame":
    """Runs the analysis with a progress bar; after each run all that are finished are written, so that an end at any moment loses none."""
    import pandas as pd

    rows: list[dict[str, Any]] = []

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        write_runs(pd.DataFrame(rows), out)

    with progress_bar(label) as progress:
        runs = analysis(progress=progress, on_run=keep)
    write_runs(runs, out)
    return runs


def write_runs(runs: "pd.DataFrame", out: Path | None) -> None:
    from likeness.io import write_atomic

    if out and len(runs):
        write_atomic(out, runs.to_csv(index=False).encode())
