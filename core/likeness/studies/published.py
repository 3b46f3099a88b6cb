"""Results of the InDiReCT paper, with the names of this package."""

import math
from typing import Literal, get_args

import pandas as pd

from likeness.errors import InputError, check_known
from likeness.evaluation import METRICS
from likeness.io import assets_dir

Table = Literal["appendix_table1", "section5", "table1", "table2"]

PAPERS = ("indirect",)
# column heads of the paper -> names for `compare`; its InDiReCT is the Adam procedure
_METHODS = {
    "Random": "random",
    "CLIP": "raw",
    "Rand. trans.": "random-transform",
    "PCA": "pca",
    "LAE": "lae",
    "AE": "ae",
    "InDiReCT": "adam",
    "Oracle": "oracle",
}
# the dataset whose notions have no dataset in their name
_OWN = "Synthetic Cars"


def published(paper: str = "indirect", dataset: str | None = None, table: Table = "appendix_table1") -> pd.DataFrame:
    """A table of a paper, transcribed in `assets/papers` (its README lists what is unreadable).

    Args:
        paper: "indirect" (Kobs et al., WACV 2023).
        dataset: name in the paper, such as "Cars196"; None: all.
        table: "appendix_table1" (all seven metrics), "table2" (MAP@R and Prec@1, rounded to a tenth of a percent), "section5" (Prec@1 of networks
            trained on labels, for comparison) or "table1" (datasets, notions and prompts).

    Returns:
        Results: dataset, notion, metric, method, mean and std, the last two as fractions over five runs. Notions, metrics and methods have the names
            of `likeness.notions` and `compare`; the paper's InDiReCT is "adam", its CLIP "raw". NaN if the paper has no value (PCA with fewer prompts
            than dimensions, the deviation of CLIP) or an unreadable one. "section5": the same with dim and without deviations; its
            method "Jun et al." (Combination of multiple global descriptors for image retrieval, arXiv:1903.10663) is not part of this package.
            "table1": dataset, notion, class_count, template, aspects (examples), aspect_count.

    Raises:
        InputError: unknown paper, table or dataset.
    """
    check_known("paper", paper, PAPERS)
    check_known("table", table, get_args(Table))
    frame = pd.read_csv(assets_dir() / "papers" / f"{paper}_{table}.csv")
    names = zip(frame["dataset"], frame["notion"].str.lower(), strict=True)
    frame["notion"] = [notion if where == _OWN else f"{where} {notion}" for where, notion in names]
    if table != "table1":
        titles = {title: metric for metric, title in METRICS.items()}
        frame["metric"], frame["method"] = frame["metric"].map(titles), frame["method"].replace(_METHODS)
    if table == "section5":
        frame["std"] = math.nan
    if table in ("table2", "section5"):
        frame[["mean", "std"]] = (frame[["mean", "std"]] / 100).round(3)
    datasets = list(dict.fromkeys(frame["dataset"]))
    if dataset is not None and dataset not in datasets:
        raise InputError(f"The paper has no dataset '{dataset}'; it has {', '.join(datasets)}.")
    return frame if dataset is None else frame[frame["dataset"] == dataset].reset_index(drop=True)
