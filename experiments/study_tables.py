"""Tables of studies: of methods for notions, on continuous labels, and with language guidance."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from likeness.evaluation import metric_title
from likeness.notions import METHOD_TITLES
from likeness.studies import paired_differences, paper_table, statistics
from likeness.studies.table_texts import mean_text, with_spread

# Nonlinear autoencoders: a seed gives .698 or .960 by rounding alone, so that tables show median and range.
RANGED = ("ae", "ae-code")
_KS = (1, 10)
_SIGNS = {"higher": 1, "the same": 0, "lower": -1}


def score_text(values: "pd.Series[float]", method: str) -> str:
    """Mean ± deviation of runs; of an autoencoder median, least and largest, such as "0.705 (0.551 to 0.984)"."""
    if method not in RANGED or len(values) < 2:
        return mean_text(values)
    return f"{values.median():.3f} ({values.min():.3f} to {values.max():.3f})"


def ranged_statistics(runs: pd.DataFrame, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """`statistics`, but of an autoencoder the median as `mean`, half of the range as `std`, and `text` as `score_text`; others have no `text`."""
    found = statistics(runs, metrics)
    ranged = runs[runs["method"].isin(RANGED)].groupby(["notion", "method", "dim"])
    found["text"] = pd.Series(pd.NA, index=found.index, dtype=object)
    for row in found.index[found["method"].isin(RANGED) & (found["runs"] > 1)]:
        values = ranged.get_group(tuple(found.loc[row, ["notion", "method", "dim"]]))[found.loc[row, "metric"]]
        found.loc[row, ["mean", "std"]] = values.median(), (values.max() - values.min()) / 2
        found.loc[row, "text"] = score_text(values, str(found.loc[row, "method"]))
    return found


def autoencoder_ranges(runs: pd.DataFrame) -> pd.DataFrame:
    """Median, least and largest MAP@R of autoencoders by notion, method and dim, and the number of runs."""
    own = runs[runs["method"].isin(RANGED)].groupby(["notion", "method", "dim"], sort=False)["map_at_r"]
    return own.agg(["median", "min", "max", "size"]).reset_index()


def methods_paper_table(runs: pd.DataFrame, metrics: Sequence[str] | None = None, bold: bool = False) -> pd.DataFrame:
    """`paper_table`, in which an autoencoder stands by median and range."""
    ranged, keys = runs["method"].isin(RANGED), ["notion", "method", "dim"]
    shown = runs.copy()
    names = [name for name in (metrics or runs) if metric_title(str(name)) != name and name in runs]
    shown.loc[ranged, names] = runs[ranged].groupby(keys)[names].transform("median")
    table = paper_table(shown, metrics, bold)
    for (notion, method, dim), own in runs[ranged].groupby(keys):
        here = (table["notion"] == notion) & ((table["dim"] == dim) if "dim" in table else True)
        for name in names:
            cells, text = here & (table["metric"] == metric_title(str(name))), score_text(own[name].dropna(), str(method))
            title = METHOD_TITLES[str(method)]
            table.loc[cells, title] = [f"**{text}**" if cell.startswith("**") else text for cell in table.loc[cells, title]]
    return table


def continuous_table(every: pd.DataFrame, others: tuple[str, ...] = ()) -> pd.DataFrame:
    """A row per method: mean label distance of the first and of the ten nearest images, nDCG at the smallest and the largest k, mean ± deviation.

    Then the Oracle, which retrieves by the labels themselves, and chance. `every` is as in `shift_table`, `others` are further columns to show, such
    as recall_at_1.
    """
    ranks = sorted(int(name.rpartition("_")[2]) for name in map(str, every) if name.startswith("ndcg_at_"))
    titles = {f"mean_label_distance_at_{k}": f"distance at {k}" for k in _KS} | {f"ndcg_at_{k}": f"nDCG at {k}" for k in (ranks[0], ranks[-1])}
    lines = []
    for row, own in every.groupby("row", sort=False):
        texts = {titles.get(name, name): mean_text(own[name]) for name in (*titles, *others)}
        lines.append({"row": str(row)} | texts)
    means = every.mean(numeric_only=True)
    oracle = {title: 1.0 if name.startswith("ndcg") else means[f"oracle_{name}"] for name, title in titles.items()}
    chance = {title: means[f"chance_{name}" if name.startswith("ndcg") else "chance_mean_label_distance"] for name, title in titles.items()}
    lines += [{"row": row} | {title: with_spread(value) for title, value in bound.items()} for row, bound in (("Oracle", oracle), ("Chance", chance))]
    return pd.DataFrame(lines).fillna("")


_GAINS = {"recall_at_1": "R@1 gained", "map_at_1000": "mAP@1000 gained"}


def guidance_table(every: pd.DataFrame, without: str = "Multisimilarity") -> pd.DataFrame:
    """A row per method: R@1, in both directions where there are two, mAP@1000 and NMI as mean ± deviation over the seeds, as texts.

    Then what R@1 and mAP@1000 gain over the row without guidance, paired by seed and direction, ± standard error, with the number of pairs in
    which the row is ahead. That row is the one whose name a guided row's name begins with ("Margin" of "Margin +ELG"), or else `without`; where
    that has no run, InputError. `every` is as in `shift_table`.
    """
    places = list(dict.fromkeys(every["split"])) if "split" in every else [None]
    rows = set(every["row"])
    bases = {_unguided(row) for row in rows if _unguided(row) != row} & rows | {without}
    gains: dict[str, pd.DataFrame] = {}
    lines = []
    for row, own in every.groupby("row", sort=False):
        parts = {place: own if place is None else own[own["split"] == place] for place in places}
        line = {"row": str(row)} | {"R@1" if place is None else f"R@1 {place}": mean_text(part["recall_at_1"]) for place, part in parts.items()}
        line |= {title: mean_text(own[name]) for title, name in (("mAP@1000", "map_at_1000"), ("NMI", "nmi"))} if places == [None] else {}
        base = "" if row in bases else _unguided(str(row)) if _unguided(str(row)) in bases else without
        if base and base not in gains:
            gains[base] = paired_differences(every, base, list(_GAINS)).set_index("row")
        lines.append(line | (_gained(gains[base], str(row)) if base else dict.fromkeys(_GAINS.values(), "")))
    return pd.DataFrame(lines)


def _unguided(row: str) -> str:
    return re.split(r" \+(?:ELG|PLG)", row)[0]


def _gained(gains: pd.DataFrame, row: str) -> dict[str, str]:
    gain = gains.loc[row]
    texts = (f"{gain[name]:+.3f} ± {gain[f'{name} ±']:.3f} ({gain[f'{name} ahead']:.0f} of {gain['pairs']:.0f})" for name in _GAINS)
    return dict(zip(_GAINS.values(), texts, strict=True))


def sentence_shares(said: pd.DataFrame) -> pd.DataFrame:
    """Of captions with their CIDEr-D, by stage and photo from ImageNet's and from caption-aware features: the shares of photos for which the latter
    score higher, the same and lower.
    """
    scores = said.pivot(index=["stage", "path"], columns="features", values="cider_d")
    gained = (scores["caption-aware"] - scores["ImageNet"]).map(np.sign).groupby("stage", sort=False)
    shares = gained.value_counts(normalize=True).unstack(fill_value=0).reindex(columns=list(_SIGNS.values()), fill_value=0.0)
    return shares.set_axis(list(_SIGNS), axis=1).reset_index()
