"""Figures that papers print beside ours, and pairs of methods whose order differs."""

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import METRICS
from likeness.io import assets_dir
from likeness.notions import METHOD_TITLES, METHODS
from likeness.studies.table_texts import NONE, with_spread


def published_shifts() -> pd.DataFrame:
    """Table 1 of Milbich et al., *Characterizing Generalization under Out-Of-Distribution Shifts in Deep Metric Learning*, NeurIPS 2021.

    dataset, split ("default", "i.i.d."), distance and deviation, missing where its text can't be read.
    """
    return pd.read_csv(assets_dir() / "papers" / "oodml_table1.csv")


def published_guidance(table: str | None = None, dataset: str | None = None) -> pd.DataFrame:
    """The tables of Roth, Vinyals, Akata, *Integrating Language Guidance into Vision-based Deep Metric Learning*, CVPR 2022.

    Transcribed in `assets/papers/language_guidance.csv`; its README says what could not be read and where the tables disagree. InputError: unknown
    table, or a dataset that the table (or the paper) does not have.

    Args:
        table: "table1" (state of the art), "table2" (relative comparison), "table3" (language models), "table4" (ablations), "table5" (captions),
            "table_s1" (table2 with all metrics), "table_s2" (more language models), "table_s3" (pseudolabels) or "section_4.5" (divergences
            of the embeddings from the language's); None for all.
        dataset: as the paper calls it: "CUB200", "CARS196" or "SOP"; None for all.

    Returns:
        table, dataset, backbone, dim, group (the base objective or the section that a row stands under), method, metric, mean and std, in
        the paper's names and as printed: percent, divergences as they are. A text is empty and a number missing where the paper reports nothing
        or its text can't be read.
    """
    frame = pd.read_csv(
        assets_dir() / "papers" / "language_guidance.csv",
        dtype={"dim": "Int64"},
        keep_default_na=False,
        na_values={column: [""] for column in ("dim", "mean", "std")},
    )
    source = "The paper"
    for value, column in [(table, "table"), (dataset, "dataset")]:
        if value is None:
            continue
        known = [name for name in dict.fromkeys(frame[column]) if name]
        if value not in known:
            raise InputError(f"{source} has no {column} '{value}'; it has {', '.join(known) or 'none'}.")
        frame, source = frame[frame[column] == value].reset_index(drop=True), f"The paper's {value}"
    return frame


_SCORES = {"recall_at_1": "R@1", "nmi": "NMI", "map_at_1000": "mAP@1000"}


def beside_guidance(
    ours: pd.DataFrame, table: str, datasets: Sequence[str] = ("CUB200", "CARS196"), metrics: Sequence[str] = ("recall_at_1", "map_at_1000")
) -> pd.DataFrame:
    """A study's table beside one of the language guidance paper, row by row, in percent.

    Rows of `study_table` are matched by the names that the paper's table has, those of a method that is added to an objective with the objective
    before it ("Multisimilarity +ELG"), those of Table 1 with network and dimensions before it ("ResNet50-128 S2SD+PLG"). Table, datasets and errors
    are those of `published_guidance`; `metrics` are of "recall_at_1", "nmi" and "map_at_1000".

    Returns:
        row, the metrics here, and those of the paper on each dataset, as text with deviations; empty where one of the two has no figure. First
        our rows, then those of the paper that we have not.
    """
    columns: dict[str, dict[str, str]] = {}
    for name, title in ((name, _SCORES[name]) for name in metrics):
        if name in ours:
            columns[title] = {
                row: with_spread(mean, std, 1) for row, mean, std in zip(ours["row"], 100 * ours[name], 100 * ours[f"{name} ±"], strict=True)
            }
    for dataset in datasets:
        paper = published_guidance(table, dataset)
        cells = paper[paper["metric"].isin([_SCORES[name] for name in metrics])]
        for cell in cells.to_dict("records"):
            group, method, metric, mean, std = (cell[name] for name in ("group", "method", "metric", "mean", "std"))
            row = f"{group} {method}" if table in ("table2", "table_s1") and method.startswith("+") else method
            row = f"{cell['backbone']}-{cell['dim']} {method}" if table == "table1" else row
            columns.setdefault(f"{metric}, {dataset}, paper", {})[row] = with_spread(mean, std, 1)
    return pd.DataFrame(columns).fillna("").rename_axis("row").reset_index()


def order_differences(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Pairs of methods that one table puts in the other order than the other table.

    Both have notion, metric, method, mean and std, as of `statistics` and `published`; one row per notion, metric and method. What is in one of them
    only is left aside, a deviation that is NaN counts as 0.

    Returns:
        One row per notion, metric and pair: notion, metric, better and worse (in `theirs`), their_gap > 0, our_gap < 0 (differences of the
        means), and clear: True where both gaps are larger than the pair's deviations taken together, so that it is no matter of seeds.
    """
    keys = ["notion", "metric", "method"]
    both = theirs[[*keys, "mean", "std"]].merge(ours[[*keys, "mean", "std"]], on=keys, suffixes=("_theirs", "_ours"), validate="one_to_one")
    both = both.dropna(subset=["mean_theirs", "mean_ours"]).fillna({"std_theirs": 0.0, "std_ours": 0.0})
    rows = []
    for (notion, metric), group in both.groupby(["notion", "metric"], sort=False):
        for first, second in combinations(group.to_dict("records"), 2):
            better, worse = (first, second) if first["mean_theirs"] >= second["mean_theirs"] else (second, first)
            gaps = {side: better[f"mean_{side}"] - worse[f"mean_{side}"] for side in ("theirs", "ours")}
            if gaps["theirs"] > 0 > gaps["ours"]:
                clear = all(abs(gap) > better[f"std_{side}"] + worse[f"std_{side}"] for side, gap in gaps.items())
                rows.append((notion, metric, better["method"], worse["method"], gaps["theirs"], gaps["ours"], clear))
    return pd.DataFrame(rows, columns=["notion", "metric", "better", "worse", "their_gap", "our_gap", "clear"])


def side_by_side(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Our figures and the paper's, one line below the other: the paper's tables, with a column per method.

    Tables are as in `order_differences`; notions and metrics of `ours` are shown, methods that either has. A column `runs` says which deviations are
    of a single run and mean nothing; a column `text` what stands in place of mean and deviation.

    Returns:
        Texts `0.574 ± 0.002`, the deviation left out where there is none, "–" where there is no figure. Rows: notion, metric and "here" or "paper";
        columns: the methods' titles, in the order of `METHODS`.
    """
    pairs = list(dict.fromkeys(zip(ours["notion"], ours["metric"], strict=True)))
    lines = pd.MultiIndex.from_tuples([(*pair, side) for pair in pairs for side in ("here", "paper")], names=["notion", "metric", ""])
    both = pd.concat([ours.assign(side="here"), theirs.assign(side="paper")], ignore_index=True)
    if "runs" in both:
        both["std"] = both["std"].where(both["runs"] != 1)
    texts = pd.Series([with_spread(mean, std, 3, NONE) for mean, std in zip(both["mean"], both["std"], strict=True)], index=both.index)
    both["text"] = both["text"].fillna(texts) if "text" in both else texts
    table = both.pivot(index=["notion", "metric", "side"], columns="method", values="text").reindex(lines).fillna(NONE)
    table = table[[method for method in METHODS if method in table and (table[method] != NONE).any()]]
    return table.rename(columns=METHOD_TITLES).rename(index=METRICS, level="metric").rename_axis(columns=None)
