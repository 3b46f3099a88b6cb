"""Find the images on which a model fails: sets of them that do not depend on its errors, tested one by one."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse, stats

from likeness.clusters import cluster, name_clusters, with_cluster_names
from likeness.data import has_label, labeled_images, numbers_of
from likeness.errors import InputError
from likeness.notion_trust import FEWEST_IMAGES, notion_trust
from likeness.notions import fitting_notions
from likeness.space import Space


class Slices(NamedTuple):
    """Slices, what explains most of the errors' variance first; rows: (m,) of each, the worst image first; sentences: of each, without its name."""

    table: pd.DataFrame
    rows: list[NDArray[np.int64]]
    answer: str
    sentences: list[str]


def find_slices(space: Space, predicted: str, actual: str | None = None, second: str | None = None, level: float = 0.05) -> Slices:
    """The slices of a space's images (`slice_columns`) where a model makes more errors than elsewhere (`failing_slices`).

    `predicted` is a column of errors or losses, or of predictions, with true labels in `actual` (of fractional numbers the difference). Errors
    of a `second` model are subtracted; without `actual`, labels of two models are compared. InputError: no such column, or nothing to compare with.

    Example:
        >>> import likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> space.table.frame["wrong"] = space.table.frame["car_color"] == "red"
        >>> find_slices(space, "wrong").table["name"][0]
        'car_color: red'
    """
    labeled_images(space.table, [name for name in (predicted, actual, second) if name])  # refuses unknown columns
    models = [space.table.frame[name] for name in (predicted, second) if name]
    errors = [numbers_of(each) if actual is None else _differ(each, space.table.frame[actual]) for each in models]
    errors = [_differ(*models)] if actual is None and len(models) == 2 and errors[0] is None else errors
    known = [each for each in errors if each is not None]
    if len(known) < len(errors):
        raise InputError(f"'{predicted}' holds labels; name the column of true labels (actual), or a second model's, to compare them with.")
    columns = slice_columns(space).drop(columns=[each.name for each in models])
    return failing_slices(columns, known[0] if len(known) == 1 else known[0] - known[1], level)


def slice_columns(space: Space, seed: int = 0) -> pd.DataFrame:
    """Attributes, numbers by quarters, clusters at three depths, and best aspects of the library's notions that fit and can be trusted, as texts."""
    base, clusters, names = space.base or space, cluster(space, seed=seed), None
    with suppress(InputError):  # neither words nor attributes
        names = name_clusters(space, clusters, seed=seed)
    found = with_cluster_names(base.table, clusters, names).frame.drop(columns=base.table.frame.columns.difference(base.table.attributes))
    for name in base.table.attributes:
        column, numbers = found[name], numbers_of(found[name])
        found[name] = _texts(column)
        if numbers is not None and len(np.unique(numbers[np.isfinite(numbers)])) > 10:
            quarters = pd.qcut(pd.Series(numbers).where(np.isfinite(numbers)), 4, duplicates="drop")
            found[name] = quarters.map(lambda each: f"{each.left:.4g} to {each.right:.4g}", na_action="ignore")
    notions = fitting_notions(base.table, base.encoder_name) if base.embed_texts and len(base) >= FEWEST_IMAGES else []
    return found.assign(**{f"{each.name}, by words": base.best_aspects(each) for each in notions if notion_trust(base, each, seed).reads})


def _texts(column: "pd.Series[Any]") -> "pd.Series[Any]":
    return column.convert_dtypes().astype("string").where(has_label(column))  # 3 and 3.0 are the same value


def _differ(one: "pd.Series[Any]", other: "pd.Series[Any]") -> Any:
    """The absolute difference of fractional numbers; of other values whether they differ, NaN where one is missing."""
    first, second = numbers_of(one), numbers_of(other)
    if first is not None and second is not None and (np.nan_to_num([first, second]) % 1).any():
        return np.abs(first - second)
    return (_texts(one) != _texts(other)).astype("Float64").to_numpy(float, na_value=np.nan)


def failing_slices(table: pd.DataFrame, errors: Any, level: float = 0.05, fewest: int = 20) -> Slices:
    """Sets of at least `fewest` rows with one value in a column, and pairs of sets, whose errors (n,), NaN for unknown, are larger than elsewhere.

    Tests are one-sided: Fisher's for errors of 0 and 1, else the larger p of Welch's and of the permutation test's normal limit. A pair must also
    exceed the rest of both its sets (intersection-union test, Berger 1982). p is adjusted by Benjamini and Hochberg (1995), half the level for sets,
    half for pairs: not proven for any overlap, but shuffled errors keep the level; the proven way (Benjamini and Yekutieli 2001) misses more. Each
    further slice has the largest z among rows of no earlier one, if significant (Bonferroni). Intervals, of Newcombe (1998) or Welch, hold for all.
    """
    known = np.flatnonzero(np.isfinite(errors))
    if not 0 < level < 1 or not 2 <= fewest <= len(known) / 2:
        raise InputError(f"There are {len(known)} errors, the level is {level:g}; pass at least {2 * fewest} errors, and a level between 0 and 1.")
    values = np.asarray(errors, np.float64)[known]
    shares, show = (True, "{:.1%}".format) if np.isin(values, (0, 1)).all() else (False, "{:.3g}".format)
    cells = table.iloc[known].assign(**{"": ""}).reset_index(drop=True).melt(var_name=0, value_name=1, ignore_index=False).dropna()  # never empty
    cells = cells[cells.groupby([0, 1])[1].transform("size") >= fewest]
    codes, names = pd.factorize(cells[0] + ": " + cells[1].astype(str))
    members = sparse.csr_array((np.ones(len(codes)), (codes, cells.index)), shape=(len(names), len(known)))
    powers = np.stack([(values - (0 if shares else values.mean())) ** power for power in range(3)])
    sums = members @ powers.T
    a, b = sparse.triu(members @ members.T).coords  # a set with itself is that set; within a column none is paired
    both = np.stack([np.asarray((members * each @ members.T).tocsr()[a, b]) for each in powers], axis=1)
    rest = np.where(a == b, len(values), np.minimum(sums[a, 0], sums[b, 0])) - both[:, 0]
    a, b, both = (each[np.minimum(both[:, 0], rest) >= fewest] for each in (a, b, both))
    p = _compare(both, powers.sum(axis=1) - both, shares)[1]
    near = np.flatnonzero((a != b) & (p <= level))
    p[near] = np.maximum.reduce([p[near], *(_compare(both[near], sums[each[near]] - both[near], shares)[1] for each in (a, b))])
    share, families = np.empty(len(p)), [each for each in (a == b, a != b) if each.any()]
    for family in families:
        p[family] = np.minimum(stats.false_discovery_control(p[family]) * len(families), 1)
        share[family] = level / len(families) / family.sum()
    left, found, rows, free = np.flatnonzero(p <= level), list[tuple[Any, ...]](), list[NDArray[np.int64]](), np.ones(len(values), bool)
    members = (members[a[left]] * members[b[left]]).tocsr()
    while len(left):
        part = members @ (powers * free).T
        z, alone = _compare(part, (powers * free).sum(axis=1) - part, shares)
        best = z.argmax()
        if found and alone[best] > level / len(left):
            break
        inside = members[[best]].toarray()[0] > 0
        same = members @ inside >= 0.7 * (members.sum(axis=1) + inside.sum() - members @ inside)
        name, *also = dict.fromkeys(" + ".join(dict.fromkeys(names[[a[each], b[each]]])) for each in (left[best], *left[same]))
        one, other, sure = values[inside], values[~inside], 1 - share[left[best]]  # the confidence of one interval, for all to hold
        m, n = one.mean(), other.mean()
        if shares:
            (low, high), (least, most) = (stats.binomtest(int(each.sum()), len(each)).proportion_ci(sure, "wilson") for each in (one, other))
            low, high = m - n - np.hypot(m - low, most - n), m - n + np.hypot(high - m, n - least)
        else:
            low, high = stats.ttest_ind(one, other, equal_var=False).confidence_interval(sure)
        found.append((name, len(one), *map(float, (m, n, m - n, low, high, p[left[best]])), "; ".join(also)))
        rows.append(known[inside][np.argsort(-one, kind="stable")])
        left, members, free = left[~same], members[~same], free & ~inside
    said = f"Errors (mean {show(values.mean())}) concentrate beyond chance in {len(found) or 'none'} of {len(p):,} sets of {len(values):,} images."
    line = "Mean error {2} in {1:,} images, {3} elsewhere; difference {4} ({5} to {6}), p = {7:.2g}.{8}"
    table = pd.DataFrame(found, columns=["name", "images", "error", "elsewhere", "difference", "low", "high", "p", "also"])
    others = (each[8] and f" Nearly the same images: {each[8]}." for each in found)
    return Slices(table, rows, said, [line.format(*e[:2], *map(show, e[2:7]), e[7], other) for e, other in zip(found, others, strict=True)])


def _compare(part: Any, rest: Any, shares: bool) -> tuple[Any, Any]:
    """z of the permutation test (m,) and p-values for a part's mean not being above the rest's, from numbers, sums and sums of squares (m, 3)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other, every = ((s / n, np.sqrt(np.maximum(q - s**2 / n, 0) / (n - 1)), n) for n, s, q in (each.T for each in (part, rest, part + rest)))
        z = np.nan_to_num((one[0] - every[0]) / (every[1] * np.sqrt(1 / one[2] - 1 / every[2])))
        if not shares:
            welch = stats.ttest_ind_from_stats(*one, *other, equal_var=False, alternative="greater").pvalue
            return z, np.nan_to_num(np.maximum(stats.norm.sf(z), welch), nan=1)
    p, far = np.ones(len(z)), z > 1  # the others are not significant, and Fisher's test takes most of the time
    p[far] = stats.hypergeom.sf(part[far, 1] - 1, every[2][far], (part + rest)[far, 1], part[far, 0])
    return z, p
