"""From runs to what a figure shows: one mean, one deviation and one count per point."""

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import METRICS


def spread(runs: pd.DataFrame, x: str, metric: str) -> pd.DataFrame:
    """Mean and deviation over the runs of each notion, method and value of `x`, in order of first appearance.

    Args:
        runs: one row per run: notion, method, `x`, the metric, and `refused` where there were refusals; refused runs have no metric
            and are left out.
        x: the column along which is compared, such as "dim".
        metric: one of `likeness.evaluation.METRICS`.

    Returns:
        Columns notion, method, `x`, mean, std (of the runs as they are, ddof 0), runs.

    Raises:
        InputError: no run that was not refused, or no such column.
    """
    for column, known in ((x, "columns"), (metric, "metrics")):
        if column not in runs.columns:
            choices = [name for name in runs.columns if known == "columns" or name in METRICS]
            raise InputError(f"The runs have no '{column}'; their {known} are {', '.join(map(str, choices))}.")
    done = runs[runs["refused"] == ""] if "refused" in runs.columns else runs
    if done.empty:
        raise InputError("There is nothing to plot: every run was refused; choose other methods, sizes or encoders.")
    groups = done.groupby(["notion", "method", x], sort=False)[metric]
    return groups.agg(mean="mean", std=lambda values: values.std(ddof=0), runs="size").reset_index()
