"""Tables of studies for people: over splits of growing shift, on continuous labels, with language guidance."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import by_split, generalization_scores
from likeness.studies.table_texts import with_spread


def shift_table(every: pd.DataFrame, figure: str = "recall_at_1") -> pd.DataFrame:
    """A row per method and a column per split, sorted by distance: mean ± standard deviation over the seeds, as text.

    Also AGS, the area under the metric over all splits, if a method has all of them and their distances differ. `every` has a row per run, as from
    `likeness.studies.measured` and `read_results`; the table is empty without any. InputError: runs without the metric.
    """
    if not len(every):
        return pd.DataFrame(columns=["row"])
    if figure not in every:
        raise InputError(f"The runs have no '{figure}'; choose from their columns {', '.join(every.columns)}.")
    lines = by_split(every, figure)
    lines["text"] = [_text(*each) for each in lines[["runs", "mean", "deviation"]].itertuples(index=False)]
    titles = {split: f"{split} ({distance:.4g})" for split, distance in lines[["split", "distance"]].drop_duplicates().to_numpy()}
    table = lines.pivot(index="row", columns="split", values="text").reindex(columns=list(titles)).rename(columns=titles)
    scores = generalization_scores(every, figure).set_index("row")
    if len(scores):
        table["AGS"] = pd.Series({row: _text(*each) for row, *each in scores[["runs", "ags", "deviation"]].itertuples(name=None)})
    return table.loc[list(dict.fromkeys(every["row"]))].fillna("").rename_axis(columns=None).reset_index()


def _text(runs: float, mean: float, deviation: float) -> str:
    return with_spread(mean, deviation if runs > 1 else float("nan"))


def paired_differences(every: pd.DataFrame, against: str, figures: Sequence[str] = ("recall_at_1", "map_at_1000", "nmi")) -> pd.DataFrame:
    """Mean differences of all rows from one of them, with standard errors over pairs.

    A pair is two runs with the same seed and, if any, split. Rows without training (`step` 0) have one run per split, which is paired with every
    seed. `every` has a row per run, as from `likeness.studies.measured`. InputError: no run of `against`.

    Returns:
        row, pairs, and for each available metric the mean difference, "FIGURE ±", its standard error (NaN for one pair), and "FIGURE ahead", the
        number of pairs in which the row is larger. Rows without a pair are left out.
    """
    if against not in set(every["row"] if len(every) else ()):
        known = ", ".join(dict.fromkeys(every["row"])) if len(every) else "none"
        raise InputError(f"No run of '{against}' is finished, so nothing can be compared with it; finished are runs of {known}.")
    names = [figure for figure in figures if figure in every]
    table = _by_place(every, names)
    theirs, lines = table[against], []
    for row in (name for name in dict.fromkeys(every["row"]) if name != against):
        found = (table[row] - theirs).dropna()
        if len(found):
            line: dict[str, object] = {"row": row, "pairs": len(found)}
            for name in names:
                error = float(found[name].std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else float("nan")
                line |= {name: float(found[name].mean()), f"{name} ±": error, f"{name} ahead": int((found[name] > 0).sum())}
            lines.append(line)
    return pd.DataFrame(lines, columns=["row", "pairs", *(f"{name}{end}" for name in names for end in ("", " ±", " ahead"))])


def _by_place(every: pd.DataFrame, names: list[str]) -> dict[str, pd.DataFrame]:
    """The metrics of each row by seed and split; for a row without training, one run stands for all seeds."""
    place = ["split", "seed"] if "split" in every else ["seed"]
    seeds = sorted(every["seed"].unique())
    found = {}
    for row, own in every.groupby("row", sort=False):
        if (own["step"] == 0).all():
            own = pd.concat([own.assign(seed=seed) for seed in seeds])
        found[str(row)] = own.set_index(place)[names].sort_index()
    return found
