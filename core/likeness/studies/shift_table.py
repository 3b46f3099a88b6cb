"""A study on splits of growing shift as a table: a figure of each method on each split."""

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation import by_split, generalization_scores
from likeness.studies.table_texts import with_spread


def shift_table(every: pd.DataFrame, figure: str = "recall_at_1") -> pd.DataFrame:
    """A row per method, and a column per split with its distance, by distance: mean ± deviation over the seeds.

    Then AGS, the area under the figure over all splits, where a method has them all and no two lie at the same distance.

    Args:
        every: a line per run, as `likeness.studies.measured` and `read_results` give them.
        figure: one of its columns, such as matched_recall_at_1.

    Returns:
        Texts; the rows' names in a column of that name, in order of first appearance. Without a run it is empty.

    Raises:
        InputError: runs without the figure.
    """
    if not len(every):
        return pd.DataFrame(columns=["row"])
    if figure not in every:
        raise InputError(f"The runs have no '{figure}'; their columns are {', '.join(every.columns)}.")
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
