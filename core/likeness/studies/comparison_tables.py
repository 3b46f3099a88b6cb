"""Tables of a comparison: mean and standard deviation, as numbers and as text, in long form and in the paper's form."""

from collections.abc import Sequence

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import METRICS, listed_metric, metric_title
from likeness.notions import METHOD_TITLES
from likeness.studies.table_texts import NONE, with_spread

# the encoder's own space has one size, independent of the others'
FIXED = ("raw", "raw-code")
# the Oracle uses the labels, so it is not ranked (as in the paper)
_NO_RIVAL = "oracle"
_GROUP = ["notion", "method", "dim"]


def statistics(runs: pd.DataFrame, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """Mean and standard deviation over the runs of each notion, method and dimension, in order of first appearance.

    The standard deviation has ddof 0, as in the authors' code; the paper does not say. Metrics that the runs lack are ignored; None: all listed in
    `likeness.evaluation`. InputError: the runs have none.

    Returns:
        Columns notion, method, dim, metric, mean, std and runs, a row per metric; mean and std are NaN and runs is 0 if the method was refused.
    """
    wanted = _all_of(runs) if metrics is None else metrics
    present = [metric for metric in wanted if metric in runs.columns]
    if not present:
        raise InputError(f"The runs have none of the metrics {', '.join(wanted)}; choose from their columns {', '.join(map(str, runs.columns))}.")
    table = runs.melt(_GROUP, present, "metric", "value")
    groups = table.groupby([*_GROUP, "metric"], sort=False)["value"]
    result = groups.agg(mean="mean", runs="count").reset_index()
    result.insert(5, "std", groups.std(ddof=0).to_numpy())
    order = {key: place for place, key in enumerate(runs[_GROUP].drop_duplicates().itertuples(index=False, name=None))}
    places = [order[key] for key in result[_GROUP].itertuples(index=False, name=None)]
    return result.iloc[pd.Series(places, dtype=int).argsort(kind="stable")].reset_index(drop=True)


def summarize(runs: pd.DataFrame, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """One row per notion, method and dimension: notion, method, dim, runs, and each metric as text; if images without a label were ignored for a
    notion, also their number: left out.

    `0.574 ± 0.002` is mean and standard deviation as in `statistics`, `0.574` a single run, "–" a refused method.
    """
    rows, left_out = [], left_out_of(runs)
    for place, lines in _with_texts(runs, metrics).groupby(_GROUP, sort=False):
        texts = dict(zip(lines["metric"].map(metric_title), lines["text"], strict=True))
        count = {"left out": left_out.get(str(place[0]), 0)} if left_out else {}
        rows.append(dict(zip(_GROUP, place, strict=True)) | {"runs": int(lines["runs"].max())} | count | texts)
    return pd.DataFrame(rows, columns=None if rows else [*_GROUP, "runs"])


def left_out_of(runs: pd.DataFrame) -> dict[str, int]:
    """Number of unlabeled images of each notion that was evaluated without some images."""
    counts = runs.groupby("notion", sort=False)["left_out"].max() if "left_out" in runs else pd.Series(dtype=int)
    return {str(notion): int(count) for notion, count in counts.items() if count > 0}


def paper_table(runs: pd.DataFrame, metrics: Sequence[str] | None = None, bold: bool = False) -> pd.DataFrame:
    """The form of the appendix's Table 1: a row per notion and metric, a column per method.

    Runs and metrics are as for `statistics`. `bold` puts the best texts of a row, except the Oracle's, between double asterisks, which `as_latex`
    converts.

    Returns:
        Texts as in `summarize`; "" if a method has not run. Columns: notion, metric, and the methods' titles. If a notion has several dimensions, a
        column dim follows the notion, and the raw encoder is repeated for each.
    """
    long = _with_texts(runs, metrics)
    methods = list(dict.fromkeys(long["method"]))
    chosen = long[~long["method"].isin(FIXED)] if len(methods) > 1 else long
    notions = list(dict.fromkeys(chosen["notion"]))
    lines = sorted(chosen.groupby(["notion", "dim", "metric"], sort=False), key=lambda line: notions.index(line[0][0]))
    rows = []
    for (notion, dim, metric), own in lines:
        everywhere = long[long["method"].isin(FIXED) & (long["notion"] == notion) & (long["metric"] == metric)]
        texts = _cells(pd.concat([own, everywhere]).drop_duplicates("method"), bold)
        rows.append({"notion": notion, "dim": dim, "metric": metric_title(str(metric)), **{method: texts.get(method, "") for method in methods}})
    table = pd.DataFrame(rows, columns=["notion", "dim", "metric", *methods]).rename(columns=METHOD_TITLES)
    return table if (table.groupby("notion")["dim"].nunique() > 1).any() else table.drop(columns="dim")


def _all_of(runs: pd.DataFrame) -> list[str]:
    others = (name for name in map(str, runs.columns) if name not in METRICS)
    return [*METRICS, *(name for name in others if listed_metric(name) is not None)]


def _cells(lines: pd.DataFrame, bold: bool) -> dict[str, str]:
    texts: dict[str, str] = dict(zip(lines["method"], lines["text"], strict=True))
    rivals = lines[(lines["runs"] > 0) & (lines["method"] != _NO_RIVAL)]
    means = {method: f"{mean:.3f}" for method, mean in zip(rivals["method"], rivals["mean"], strict=True)}
    largest = max(means.values(), key=float, default="")
    return {method: f"**{text}**" if bold and means.get(method) == largest else text for method, text in texts.items()}


def _with_texts(runs: pd.DataFrame, metrics: Sequence[str] | None) -> pd.DataFrame:
    long = statistics(runs, metrics)
    spread = long["std"].where(long["runs"] > 1)
    long["text"] = [with_spread(*numbers, places=3, empty=NONE) for numbers in zip(long["mean"], spread, strict=True)]
    return long


def refusals(runs: pd.DataFrame) -> list[str]:
    """A sentence for each method that does not apply to a notion, and for each encoder that cannot be used.

    `runs` are of `compare`, `embedding_sizes`, `encoder_sizes` or `prompt_counts`. Several refused dimensions or numbers of prompts are listed
    together, with the reason of the first.
    """
    if "refused" not in runs.columns:
        return []
    sentences = []
    for encoder, of_encoder in runs.groupby("encoder", sort=False) if "encoder" in runs.columns else ():
        reasons = of_encoder["refused"].unique()
        if len(reasons) == 1 and reasons[0]:
            sentences.append(f"{encoder}: {reasons[0]}")
            runs = runs[runs["encoder"] != encoder]
    refused = runs[runs["refused"] != ""]
    places = [column for column in ("encoder", "notion", "method") if column in runs.columns]
    along, what = ("prompts", "prompts") if "prompts" in runs.columns else ("dim", "dimensions")
    for place, rows in refused.groupby(places, sort=False):
        values = ", ".join(str(value) for value in dict.fromkeys(rows[along]))
        *where, method = map(str, place)
        sentences.append(f"{', '.join(where)}, {METHOD_TITLES.get(method, method)} at {values} {what}: {rows['refused'].iloc[0]}")
    return sentences
