"""Tables of studies: on continuous labels, and with language guidance."""

import re

import pandas as pd

from likeness.studies import paired_differences
from likeness.studies.table_texts import mean_text, with_spread

_KS = (1, 10)


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
    lines = []
    for row, own in every.groupby("row", sort=False):
        parts = {place: own if place is None else own[own["split"] == place] for place in places}
        line = {"row": str(row)} | {"R@1" if place is None else f"R@1 {place}": mean_text(part["recall_at_1"]) for place, part in parts.items()}
        line |= {title: mean_text(own[name]) for title, name in (("mAP@1000", "map_at_1000"), ("NMI", "nmi"))} if places == [None] else {}
        base = "" if row in bases else _unguided(str(row)) if _unguided(str(row)) in bases else without
        lines.append(line | _gained(every, str(row), base))
    return pd.DataFrame(lines)


def _unguided(row: str) -> str:
    return re.split(r" \+(?:ELG|PLG)", row)[0]


def _gained(every: pd.DataFrame, row: str, base: str) -> dict[str, str]:
    if not base:
        return dict.fromkeys(_GAINS.values(), "")
    gain = paired_differences(every, base, list(_GAINS)).set_index("row").loc[row]
    texts = (f"{gain[name]:+.3f} ± {gain[f'{name} ±']:.3f} ({gain[f'{name} ahead']:.0f} of {gain['pairs']:.0f})" for name in _GAINS)
    return dict(zip(_GAINS.values(), texts, strict=True))
