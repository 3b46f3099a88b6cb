"""What one row of a study gains over another, run against run: the same seed, the same split, the same held-out classes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from likeness.errors import InputError


def paired_differences(every: pd.DataFrame, against: str, figures: Sequence[str] = ("recall_at_1", "map_at_1000", "nmi")) -> pd.DataFrame:
    """Each row's mean difference from one of them, with its standard error over the pairs.

    A pair is two runs of the same seed, and of the same split where the study has splits. A row that does not train is measured once for each
    split and stands beside every seed.

    Args:
        every: a line per run, as `likeness.studies.measured` gives them; `step` 0 says that a row does not train.
        against: the row that the others are compared with.
        figures: columns; those that are not there are left out.

    Returns:
        row, pairs, and of each figure the mean difference, "FIGURE ±", the standard error (NaN for one pair), and "FIGURE ahead", in how many
        pairs the row is above. Rows without a pair are left out.

    Raises:
        InputError: no run of the row that is compared with.
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
    """The figures of each row by seed and split; of a row that does not train, one run stands for all seeds."""
    place = ["split", "seed"] if "split" in every else ["seed"]
    seeds = sorted(every["seed"].unique())
    found = {}
    for row, own in every.groupby("row", sort=False):
        if (own["step"] == 0).all():
            own = pd.concat([own.assign(seed=seed) for seed in seeds])
        found[str(row)] = own.set_index(place)[names].sort_index()
    return found
