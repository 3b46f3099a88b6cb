"""A benchmark's runs as a table, with published results below."""

import math

import pandas as pd

from experiments.public_benchmarks.benchmark import Benchmark
from likeness.io import assets_dir
from likeness.studies import NONE

HERE = "here"


def published_figures(benchmark: str) -> pd.DataFrame:
    """Published results of a benchmark: task, metric, method, value (a fraction), encoder and source, from `assets/papers/benchmarks.csv`."""
    frame = pd.read_csv(assets_dir() / "papers" / "benchmarks.csv")
    return frame[frame["benchmark"] == benchmark].drop(columns="benchmark").reset_index(drop=True)


def beside_published(runs: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """One row per task and method, ours first, then published results of the task.

    Args:
        runs: of `Benchmark.run`.
        benchmark: which one.

    Returns:
        Columns task, method, the metrics' heads with texts such as "0.574 ± 0.002" (mean and deviation over seeds, ddof 0), encoder (of published
        figures) and source: "here", or paper and repository. "–" where there is no figure. Published tasks that were not measured are left out.
    """
    theirs = published_figures(benchmark.name)
    rows = []
    for task, own in runs.groupby("task", sort=False):
        for method, each in own.groupby("method", sort=False):
            texts = {head: _text(each[metric]) for metric, head in benchmark.metrics.items()}
            rows.append({"task": task, "method": method, **texts, "encoder": "", "source": HERE})
        for key, each in theirs[theirs["task"] == task].groupby(["method", "encoder", "source"], sort=False):
            printed, encoder, source = map(str, key)
            values = dict(zip(each["metric"], each["value"], strict=True))
            texts = {head: f"{values[metric]:.3f}" if metric in values else NONE for metric, head in benchmark.metrics.items()}
            rows.append({"task": task, "method": printed, **texts, "encoder": encoder, "source": source})
    return pd.DataFrame(rows, columns=["task", "method", *benchmark.metrics.values(), "encoder", "source"])


def _text(values: pd.Series) -> str:
    found = values.dropna()
    if found.empty:
        return NONE
    spread = float(found.std(ddof=0))
    return f"{found.mean():.3f}" if len(found) == 1 or math.isclose(spread, 0, abs_tol=1e-12) else f"{found.mean():.3f} ± {spread:.3f}"
