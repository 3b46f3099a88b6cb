"""`likeness runs`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.terminal import print_table
from likeness.errors import InputError
from likeness.io import runs_dir

if TYPE_CHECKING:
    from likeness.training import RunFolder

MAIN_METRICS = ("recall_at_1", "map_at_1000", "map_at_r", "nmi", "mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10", "ndcg_at_100")


def runs(folder: Annotated[Path | None, typer.Argument(help="The folder that holds the runs' folders. Without: runs.")] = None) -> None:
    """List runs: how they stand, and their best figures on classes that they have not seen.

    Example: `likeness runs`
    """
    import pandas as pd

    from likeness.training import list_runs

    folder = folder or runs_dir()
    found = list_runs(folder)
    if not found:
        raise InputError(f"There are no runs in '{folder}'; start one with `likeness train`.")
    print_table(pd.DataFrame([_line(run) for run in found]).fillna(""), "table")


def _line(run: "RunFolder") -> dict[str, object]:
    from likeness.evaluation import find_metric

    status, measured = run.status(), run.metrics()
    line: dict[str, object] = {"run": run.name, "state": status.state, "step": f"{status.step:,}/{status.total:,}", "seconds": round(status.seconds)}
    for name in MAIN_METRICS:
        if name in measured:
            line[f"best {name}"] = round(float(measured[name].max() if find_metric(name).larger_is_better else measured[name].min()), 3)
    return line
