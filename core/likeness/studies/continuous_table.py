"""A study of continuous labels as a table: how near the labels of what is retrieved are, between chance and the Oracle."""

import pandas as pd

from likeness.studies.table_texts import mean_text, with_spread

_KS = (1, 10)


def continuous_table(every: pd.DataFrame, others: tuple[str, ...] = ()) -> pd.DataFrame:
    """A row per method: mean label distance of the first and of the ten nearest images, nDCG at the smallest and the largest k, mean ± deviation.

    Then the Oracle, which retrieves by the labels themselves, and chance.

    Args:
        every: a line per run, as `likeness.studies.measured` and `read_results` give them.
        others: further columns to show, such as recall_at_1.

    Returns:
        Texts; the rows' names in a column of that name.
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
