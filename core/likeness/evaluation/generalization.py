"""Tables of a benchmark of methods on splits: scores by shift, an aggregate over shifts, and correlations."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation.structure import STRUCTURE

_REMOVAL, _CONTROL = "removal ", "random "  # names that `likeness.shifts.build_splits` gives to splits with fewer classes
CELL = ["row", "split", "distance"]


def aggregated_generalization_score(distances: Any, scores: Any) -> float:
    """AGS: area under the curve of scores over distances, which are scaled to [0, 1] first (ooDML, section 4.1).

    Trapezoidal rule between neighboring distances; in [0, 1] for scores in [0, 1]. InputError: different lengths, fewer than two splits, equal
    distances, or values that are not finite.

    Args:
        distances: (s,) Frechet distances of the splits, in any order.
        scores: (s,) a method's score on each.
    """
    x, y = np.asarray(distances, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise InputError(f"Distances have shape {x.shape} and scores {y.shape}; pass at least two splits with a distance and a score each.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("A distance or score is not finite; remove that split.")
    if len(np.unique(x)) < len(x):
        raise InputError("Two splits have the same distance; remove one of them.")
    order = np.argsort(x)
    return float(np.trapezoid(y[order], (x[order] - x.min()) / (x.max() - x.min())))


def by_split(measured: pd.DataFrame, figure: str = "recall_at_1") -> pd.DataFrame:
    """Mean and standard deviation of a score over seeds, a row per method and split, with the difference from the mean of all methods on the split.

    `measured` has a row per run: `row` (the method), `seed`, `split`, `distance` and scores, as from `likeness.studies.study.measured`. Columns: row,
    split, distance, runs, mean, deviation (0 for one run), difference; sorted by distance. The difference is NaN on splits that lack a method.
    """
    if not len(measured):
        return pd.DataFrame(columns=[*CELL, "runs", "mean", "deviation", "difference"])
    groups = measured.groupby(CELL, sort=False)[figure]
    found = groups.agg(runs="count", mean="mean", deviation=lambda values: values.std(ddof=1) if len(values) > 1 else 0.0).reset_index()
    methods = found["row"].nunique()
    means, counts = found.groupby("split")["mean"].transform("mean"), found.groupby("split")["mean"].transform("count")
    found["difference"] = (found["mean"] - means).where(counts == methods)
    return found.sort_values(["distance", "row"], kind="stable").reset_index(drop=True)


class RemovalRise(NamedTuple):
    """Scores that rise with the distance: the hardest split without removals, a harder one with removals, and the mean score on each."""

    before: str
    after: str
    score_before: float
    score_after: float


def rise_by_removal(found: pd.DataFrame) -> RemovalRise | None:
    """Whether methods score higher on the hardest split with removed classes than on the hardest one without, from the table of `by_split`.

    Removal deletes the classes between the two sides, which are the hardest to tell apart, and leaves fewer to choose from. Means are over the
    methods measured on both splits; larger scores are better. None if there is no rise.
    """
    found = found[~is_control(found)]
    is_removal = found["split"].astype(str).str.startswith(_REMOVAL)
    both = found[is_removal], found[~is_removal]
    if not all(map(len, both)):
        return None
    after, before = (str(part.sort_values("distance", kind="stable")["split"].iloc[-1]) for part in both)
    table = found[found["split"].isin([before, after])].pivot(index="row", columns="split", values="mean").dropna()
    place = found.groupby("split")["distance"].first()
    if not len(table) or place[after] <= place[before] or table[after].mean() <= table[before].mean():
        return None
    return RemovalRise(before, after, float(table[before].mean()), float(table[after].mean()))


def generalization_scores(measured: pd.DataFrame, figure: str = "recall_at_1") -> pd.DataFrame:
    """AGS of each method, mean and standard deviation over the seeds that have every split: row, runs, ags, deviation; best first.

    Controls with classes removed at random are not on the way from easy to hard, and left out. So are methods without a complete seed, since areas
    over fewer splits are not comparable. Empty if two splits have the same distance, such as the two directions of one division.
    """
    lines, measured = [], measured[~is_control(measured)] if len(measured) else measured
    splits = measured["split"].nunique() if len(measured) else 0
    comparable = splits > 1 and measured["distance"].nunique() == splits
    for row, own in measured.groupby("row", sort=False) if comparable else []:
        whole = [seed for _, seed in own.groupby("seed") if seed["split"].nunique() == splits]
        if whole:
            scores = [aggregated_generalization_score(seed["distance"], seed[figure]) for seed in whole]
            lines.append({"row": row, "runs": len(scores), "ags": np.mean(scores), "deviation": np.std(scores, ddof=1) if len(scores) > 1 else 0.0})
    found = pd.DataFrame(lines, columns=["row", "runs", "ags", "deviation"])
    return found.sort_values("ags", ascending=False, kind="stable").reset_index(drop=True)


def is_control(found: pd.DataFrame) -> "pd.Series[bool]":
    """Rows of splits where classes were removed at random, which are not on the way from easy to hard."""
    return found["split"].astype(str).str.startswith(_CONTROL)


def scaled_structure(measured: pd.DataFrame, figure: str = "recall_at_1") -> pd.DataFrame:
    """Structure and score of each run, both scaled to [0, 1] within its split, to plot splits in one figure (Figure 4).

    row, seed, split, distance, property, structure, score: a row per run and property; splits with one run or equal values are left out.
    """
    parts = []
    for (_, _), own in measured.groupby(["split", "distance"], sort=False) if len(measured) else []:
        for name in STRUCTURE:
            column = f"structure_{name}"
            if column in own and len(own) > 1 and np.isfinite(own[column]).all() and np.ptp(own[column]) > 0 and np.ptp(own[figure]) > 0:
                both = own[["row", "seed", "split", "distance"]].copy()
                parts.append(both.assign(property=name, structure=_scaled(own[column]), score=_scaled(own[figure])))
    columns = ["row", "seed", "split", "distance", "property", "structure", "score"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def structure_correlations(scaled: pd.DataFrame) -> pd.DataFrame:
    """Pearson correlation of structure and score (`scaled_structure`) on each split and over all ("all"): property, split, runs, correlation."""
    lines = []
    for name, own in scaled.groupby("property", sort=False):
        for split, part in [("all", own), *own.groupby("split", sort=False)]:
            if len(part) > 2:
                correlation = float(np.corrcoef(part["structure"], part["score"])[0, 1])
                lines.append({"property": name, "split": split, "runs": len(part), "correlation": correlation})
    return pd.DataFrame(lines, columns=["property", "split", "runs", "correlation"])


def correlation_intervals(scaled: pd.DataFrame, draws: int = 2000, seed: int = 0) -> pd.DataFrame:
    """95 % intervals of the correlations of structure and score (`scaled_structure`) by a bootstrap over methods.

    A method has one point on each split, the mean of its seeds. Methods are drawn with replacement, the same ones on all splits, and the points of
    each split are scaled to [0, 1] anew.

    Returns:
        property, correlation (of all methods), low, high. Properties with fewer than three methods are left out.
    """
    lines = []
    for name, own in scaled.groupby("property", sort=False):
        means = own.groupby(["split", "row"])[["structure", "score"]].mean().unstack("row").dropna()
        points = means.to_numpy().reshape(len(means), 2, -1)  # (splits, 2, methods)
        methods = points.shape[2]
        if methods >= 3 and len(points):
            drawn = np.random.default_rng(seed).integers(methods, size=(draws, methods))
            found = [_of_points(points[:, :, chosen]) for chosen in (np.arange(methods), *drawn)]
            low, high = np.nanquantile(found[1:], [0.025, 0.975])
            lines.append({"property": name, "correlation": found[0], "low": low, "high": high})
    return pd.DataFrame(lines, columns=["property", "correlation", "low", "high"])


def _of_points(points: NDArray[np.float64]) -> float:
    """Correlation of points (splits, 2, n), scaled within each split; NaN where no split has two different ones."""
    low, span = points.min(axis=2, keepdims=True), np.ptp(points, axis=2, keepdims=True)
    kept = (span > 0).all(axis=(1, 2))
    both = ((points - low) / np.where(span > 0, span, 1))[kept].transpose(1, 0, 2).reshape(2, -1)
    return float(np.corrcoef(both)[0, 1]) if kept.any() else float("nan")


def few_shot_gains(measured: pd.DataFrame) -> pd.DataFrame:
    """R@1 on the queries of few-shot episodes before and after adaptation (Figure 7), a row per method, split and number of shots.

    row, split, distance, shots, runs, zero_shot, few_shot, gain: few_shot / zero_shot - 1 of the means over the seeds.
    """
    shots = sorted(int(name.removeprefix("few_shot_")) for name in measured.columns if name.removeprefix("few_shot_").isdigit())
    parts = []
    for count in shots:
        names = {f"zero_shot_{count}": "zero_shot", f"few_shot_{count}": "few_shot"}
        own = measured.dropna(subset=list(names)).rename(columns=names)
        groups = own.groupby(CELL, sort=False)
        found = groups.agg(zero_shot=("zero_shot", "mean"), few_shot=("few_shot", "mean"), runs=("few_shot", "size"))
        parts.append(found.reset_index().assign(shots=count))
    columns = [*CELL, "shots", "runs", "zero_shot", "few_shot", "gain"]
    if not parts:
        return pd.DataFrame(columns=columns)
    found = pd.concat(parts, ignore_index=True)
    found["gain"] = found["few_shot"] / found["zero_shot"] - 1
    return found.sort_values(["distance", "row", "shots"], kind="stable")[columns].reset_index(drop=True)


def _scaled(values: "pd.Series[float]") -> "pd.Series[float]":
    span: pd.Series[float] = (values - values.min()) / (values.max() - values.min())
    return span
