"""The methods of one notion in a table: each beside the raw encoder and the paper, and which is best."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from likeness.evaluation import METRICS
from likeness.notions import METHOD_TITLES, METHODS
from likeness.studies.published import published
from likeness.studies.table_texts import with_spread

PAPER_DIM = 128
_BASELINE = "raw"


def method_table(runs: pd.DataFrame, metric: str, paper: bool = False) -> pd.DataFrame:
    """A row for each method and number of dimensions that a notion has runs of, the raw encoder first.

    Args:
        runs: of one notion, as of `likeness.studies.compare`.
        metric: that is drawn as a bar, and compared with the raw encoder.
        paper: with the figures of the paper, which has 128 dimensions for all but the raw encoder.
    """
    done = runs[runs["refused"] == ""]
    groups, found = done.groupby(["method", "dim"]), set(done[["method", "dim"]].itertuples(index=False, name=None))
    places = sorted(found, key=lambda place: (place[0] != _BASELINE, list(METHODS).index(place[0]), place[1]))
    means = groups[list(METRICS)].mean().loc[places].map(lambda mean: round(mean, 3) + 0.0)  # no -0.0
    raw, counts = np.array([name == _BASELINE for name, _ in places], bool), groups.size().loc[places]
    baseline = means[metric].iloc[0] if raw.any() else float("nan")
    columns: dict[str, Any] = {
        "Method": [METHOD_TITLES[name] + (" (baseline)" if name == _BASELINE else "") for name, _ in places],
        "Dimensions": [dim for _, dim in places],
        METRICS[metric]: means[metric],
        "±": groups[metric].std(ddof=0).loc[places].where(counts > 1),
        "Against raw": ((means[metric] - baseline).round(3) + 0.0).mask(raw),
    }
    if paper:
        printed = published_figures(str(runs["notion"].iloc[0]), metric)
        columns["Paper"] = [printed.get(name, "") if name == _BASELINE or dim == PAPER_DIM else "" for name, dim in places]
    columns |= {title: means[name] for name, title in METRICS.items() if name != metric}
    columns |= {"Fit": [_seconds(each) for each in groups["fit_seconds"].mean().loc[places]], "Runs": counts}
    return pd.DataFrame(columns).reset_index(drop=True)


@cache
def published_figures(notion: str, metric: str) -> dict[str, str]:
    """The InDiReCT paper's figure of each method that it reports, with its deviation, by name."""
    rows = published().query("notion == @notion and metric == @metric")
    return {str(method): with_spread(mean, std, places=3) for method, mean, std in zip(rows["method"], rows["mean"], rows["std"], strict=True)}


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def best_method(shown: pd.DataFrame, is_complete: bool) -> str:
    """Which method of a table is best and how far from the raw encoder, in a sentence; empty before that is known."""
    rivals = shown[shown["Method"] != METHOD_TITLES["oracle"]]  # it is trained on the labels, so it is never "best"
    gains = rivals["Against raw"].dropna()
    if not gains.empty and gains.max() > 0:
        best = rivals.sort_values("Against raw", ascending=False, kind="stable").iloc[0]
        return f"Best: {best['Method']} with {best['Dimensions']} dimensions, {gains.max():+.3f} against the raw encoder."
    return "No method is better than the raw encoder." if is_complete and not gains.empty else ""
