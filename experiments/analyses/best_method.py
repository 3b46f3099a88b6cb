"""Which method fits notions best, chosen without the notion that evaluates it."""

import numpy as np
import pandas as pd

from likeness.errors import InputError

_CASE = ["images", "notion"]


def leave_one_notion_out(
    runs: pd.DataFrame, metric: str = "map_at_r", labels: "dict[str, str] | None" = None, sets: "dict[str, str] | None" = None
) -> pd.DataFrame:
    """For each notion, the method with the best average over all other notions, and its score on this one.

    A case is a notion on images in the space of an encoder. A method's score there is its mean over seeds; the method with the largest mean over the
    other cases is chosen (`mean_over_sets`), so nothing is tuned on the evaluated notion. Only methods with a score in every case take part.

    Args:
        runs: columns images (what tells images and encoders apart), notion, method and the metric, as `likeness evaluate` writes them.
        metric: larger is better.
        labels: of a notion the label that judges it: notions of one label are left out together. Without: each notion by its name alone.
        sets: of `images` the set that they are, where encoders see the same ones; without: each is a set by itself.

    Returns:
        A row per case: images, notion, chosen, its score, best (of all methods here), its score as best_score, and a column for each method.

    Raises:
        InputError: a missing column, fewer than two labels, or no method that has a score in every case.

    Example:
        >>> runs = pd.DataFrame({"images": ["a"] * 6, "notion": ["x", "x", "y", "y", "z", "z"], "method": ["m", "n"] * 3})
        >>> found = leave_one_notion_out(runs.assign(map_at_r=[0.9, 0.2, 0.3, 0.5, 0.4, 0.5]))
        >>> found[["notion", "chosen", "score", "best"]].to_numpy().tolist()
        [['x', 'n', 0.2, 'm'], ['y', 'm', 0.3, 'n'], ['z', 'm', 0.4, 'n']]
    """
    missing = [column for column in (*_CASE, "method", metric) if column not in runs]
    if missing:
        raise InputError(f"The runs have no column '{missing[0]}'; they need images, notion, method and {metric}.")
    scores = runs.pivot_table(index=_CASE, columns="method", values=metric, sort=False).dropna(axis=1)
    if scores.empty or not len(scores.columns):
        raise InputError("No method has a score for every notion; measure the same methods everywhere.")
    judged = np.array([(labels or {}).get(notion, notion) for _, notion in scores.index])
    if len(set(judged)) < 2:
        raise InputError("Leave-one-out needs at least two notions with different labels; add runs of another notion.")
    found = []
    for place, (images, notion) in enumerate(scores.index):
        own = scores.iloc[place]
        chosen, best = str(mean_over_sets(scores[judged != judged[place]], sets).idxmax()), own.idxmax()
        found.append({"images": images, "notion": notion, "chosen": chosen, "score": own.loc[chosen], "best": best, "best_score": own.max()})
    return pd.concat([pd.DataFrame(found), scores.reset_index(drop=True)], axis=1)


def mean_over_sets(scores: pd.DataFrame, sets: "dict[str, str] | None" = None) -> "pd.Series[float]":
    """The mean of each column over cases; every set of images has the same weight, however many notions and encoders it has.

    Args:
        scores: a row per case, of which the first level of the index names the images.
        sets: as `leave_one_notion_out`.

    Example:
        >>> index = pd.MultiIndex.from_tuples([("cars", "color"), ("cars", "model"), ("birds", "species")])
        >>> mean_over_sets(pd.DataFrame({"m": [0.8, 0.6, 0.1]}, index)).round(3).to_dict()
        {'m': 0.4}
    """
    images = scores.index.get_level_values(0)
    means: pd.Series[float] = scores.groupby([(sets or {}).get(name, name) for name in images]).mean().mean()
    return means
