"""Distance of two versions of a dataset in a space, with random halves of one as baseline."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.comparisons.two_sample import FEWEST_TOLD, two_sample_test
from likeness.comparisons.versions import VersionChanges, value_text
from likeness.data import has_label
from likeness.errors import InputError
from likeness.progress import Progress, report_progress
from likeness.shifts import frechet_distance
from likeness.space import Space
from likeness.threads import one_blas_thread

Rows = NDArray[np.int64]
MOST_VALUES = 1000
_LEVEL = 0.05
FEWEST = 20  # images of a value in each version, from which on its distance is measured


def version_distances(
    spaces: Sequence[tuple[Space, Space]], changes: VersionChanges, seeds: Sequence[int] = (0, 1, 2, 3, 4), progress: Progress | None = None
) -> pd.DataFrame:
    """The Frechet distance between two versions in each space, how well a classifier tells them apart, and both without change.

    A Frechet distance of few images comes out too large, so both distances are of equally many: with m half the number of images of the smaller
    version, "halves" is that of two sets of m images of the old version that share none, drawn at random, and "distance" that of the first of these
    sets and m images of the new version, drawn from those that are not in it, with images that came and images that stayed in their shares. Of a
    version and itself both are the same in the mean. InputError: versions of fewer than four images, spaces of other images or of different
    dimensions.

    Args:
        spaces: the old and the new version in one space, for each space; an encoder's, a notion's.
        changes: of `version_changes` of their tables.

    Returns:
        A row per space: space, dimensions; distance and halves, means over the seeds; deviation of the halves and the largest of them; times,
            distance over halves; whole: the distance of all images of both versions, as papers state it; auc, low, high, p, chance and seen of
            `two_sample_test`, whose folds keep copies and parts of a file together; drifted: whether p, adjusted by Holm (1979) for the number
            of spaces, is at most .05.

    Example:
        >>> import likeness as lk
        >>> from likeness.comparisons import version_changes
        >>> cars = lk.embed(lk.read("cars"), "cars")
        >>> found = version_distances([(cars, cars)], version_changes(cars.table, cars.table), seeds=[0])
        >>> round(float(found["times"][0]), 6), round(float(found["whole"][0]), 6)
        (1.0, 0.0)
    """
    lines, groups = [], None
    for number, (old, new) in enumerate(spaces):
        _check(old, new, changes)
        drawn = [_draw(changes, np.arange(len(changes.old)), seed) for seed in seeds]
        with one_blas_thread():
            found = _distances(old, new, drawn) | {"whole": frechet_distance(old.vectors, new.vectors)}
        groups = _groups(old, new, changes) if groups is None else groups
        is_new = np.repeat([False, True], [len(old), len(new)])
        found |= two_sample_test(np.vstack([old.vectors, new.vectors]), is_new, groups)._asdict()
        lines.append({"space": old.name, "dimensions": old.vectors.shape[1]} | found)
        report_progress(progress, number + 1, len(spaces))
    columns = ["distance", "halves", "deviation", "largest half", "times", "whole", "auc", "low", "high", "p", "chance", "seen", "images"]
    table = pd.DataFrame(lines, columns=["space", "dimensions", *columns])
    ranked = table["p"].dropna().sort_values()
    holm = (ranked * np.arange(len(ranked), 0, -1)).cummax()
    return table.assign(drifted=holm.reindex(table.index) <= _LEVEL)


def drift_sentence(found: pd.DataFrame, named: Callable[[str], str] = str) -> str:
    """Says of the result of `version_distances` which spaces drifted and which did not, and what may have gone unseen; `named` writes their names."""
    images = int(found["images"].min())
    if found["auc"].isna().all():
        return f"Too few to tell whether anything drifted: {images} different images in a version; {FEWEST_TOLD} are needed."
    ranked = found.sort_values("auc", ascending=False)
    far = [f"{named(str(line.space))} ({line.auc:.0%})" for line in ranked[ranked["drifted"]].itertuples()]
    same = ", ".join(named(str(line.space)) for line in found[~found["drifted"]].itertuples())
    unseen = f"Where less than {max(0.0, 2 * float(found['seen'].max()) - 1):.0%} of the images are new in kind, it can go unseen."
    told = "Shown an image of each version, a classifier finds the new one this often; 50% is chance."
    return " ".join(
        part for part in (far and f"Drifted: {', '.join(far)}. {told}", same and f"Not drifted, as far as can be told: {same}. {unseen}") if part
    )


def version_values(old: Space, new: Space, changes: VersionChanges, attribute: str, seeds: Sequence[int] = (0, 1, 2)) -> pd.DataFrame:
    """What changed of each value of an attribute that both versions have: how many images it has, and how far these lie apart in a space.

    InputError: as `version_distances`, or an attribute that a version lacks, or of more than 1,000 values.

    Returns:
        A row per value, most changed first: value; old, new: images; came, went, changed: of these; turnover: share of the images that have the value
            in either version which came, went or changed, by which rows are sorted, then by times; share: change of its share among all images, in
            percentage points; distance, halves and times as in `version_distances`, NaN where either version has fewer than 20 images of the value.
    """
    _check(old, new, changes)
    for space in (old, new):
        if attribute not in space.table.attributes:
            known = ", ".join(space.table.attributes) or "none"
            raise InputError(f"'{space.table.name}' has no attribute '{attribute}'; there are {known}.")
    before = _values(old.table.frame[attribute], changes.old)
    after = _values(new.table.frame[attribute], changes.new)
    values = sorted({*before, *after} - {""})
    if len(values) > MOST_VALUES:
        raise InputError(f"'{attribute}' has {len(values):,} values; choose an attribute of at most {MOST_VALUES:,}.")
    lines = [_value_line(old, new, changes, (value, before == value, after == value), seeds) for value in values]
    columns = ["value", "old", "new", "came", "went", "changed", "turnover", "share", "distance", "halves", "times"]
    found = pd.DataFrame(lines, columns=columns)
    order = np.lexsort((-found["share"].abs(), -found["times"].fillna(0.0), -found["turnover"]))
    return found.iloc[order].reset_index(drop=True)


def _value_line(
    old: Space, new: Space, changes: VersionChanges, found: tuple[str, NDArray[np.bool_], NDArray[np.bool_]], seeds: Sequence[int]
) -> dict[str, Any]:
    """Of a value and the pairs that have it in the old and in the new version."""
    value, was, now = found
    counts = int(was.sum()), int(now.sum())
    line: dict[str, Any] = {"value": value, "old": counts[0], "new": counts[1]}
    line |= {"came": int((now & ~was).sum()), "went": int((was & ~now).sum()), "changed": int((was & now & (changes.state == "changed")).sum())}
    line["turnover"] = (line["came"] + line["went"] + line["changed"]) / int((was | now).sum())
    line["share"] = 100 * (counts[1] / len(new) - counts[0] / len(old))
    if min(counts) >= FEWEST:
        own = VersionChanges(np.where(was, changes.old, -1), np.where(now, changes.new, -1), changes.state, {})
        with one_blas_thread():
            measured = _distances(old, new, [_draw(own, np.flatnonzero(was | now), seed) for seed in seeds])
        line |= {name: measured[name] for name in ("distance", "halves", "times")}
    return line


def _draw(changes: VersionChanges, pairs: Rows, seed: int) -> tuple[Rows, Rows, Rows]:
    """Rows of two sets of the old version that share no image, and of one of the new version that shares none with the first; of equally many."""
    rng = np.random.default_rng([seed, 13])
    olds, news = (pairs[rows[pairs] >= 0] for rows in (changes.old, changes.new))
    size = min(len(olds), len(news)) // 2
    if size < 2:
        raise InputError(f"The versions have {len(olds)} and {len(news)} images; a distance needs four of each.")
    dealt = rng.permutation(olds)
    # disjoint halves: shared images would make the noise level too small
    first, rest = dealt[:size], dealt[size:]
    # an image whose content changed is another image, so it may stand on both sides
    stayed = (changes.old >= 0) & (changes.new >= 0) & (changes.state != "changed")
    fresh, free = rng.permutation(news[~stayed[news]]), rest[stayed[rest]]
    count = max(round(size * len(fresh) / len(news)), size - len(free))
    # in the order of the draw, so that where nothing changed they are the second half itself
    others = np.concatenate([fresh[:count], free[: size - count]])
    return changes.old[first], changes.old[rest[:size]], changes.new[others]


def _groups(old: Space, new: Space, changes: VersionChanges) -> Rows:
    """A number for each row of both versions, equal for rows that show the same: a pair, parts of one file, and equal vectors."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pair = np.empty(len(old) + len(new), np.int64)
    for rows, first in ((changes.old, 0), (changes.new, len(old))):
        pair[first + rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    files = [re.sub(r"[#&](?:t|page|xywh)=[^&]*", "", str(path)) for space in (old, new) for path in space.table.frame["path"]]
    contents = [row.tobytes() for space in (old, new) for row in space.vectors]
    count, keys = len(pair), [pd.factorize(np.array(each, object))[0] for each in (pair, files, contents)]
    ends = np.concatenate([key + count * (place + 1) for place, key in enumerate(keys)])
    links = coo_array((np.ones(3 * count), (np.tile(np.arange(count), 3), ends)), shape=(4 * count, 4 * count))
    return np.asarray(connected_components(links, directed=False)[1][:count], np.int64)


def _distances(old: Space, new: Space, drawn: Sequence[tuple[Rows, Rows, Rows]]) -> dict[str, Any]:
    halves = np.array([frechet_distance(old.vectors[first], old.vectors[second]) for first, second, _ in drawn])
    apart = np.array([frechet_distance(old.vectors[first], new.vectors[other]) for first, _, other in drawn])
    noise = float(halves.mean())
    return {
        "distance": float(apart.mean()),
        "halves": noise,
        "deviation": float(halves.std(ddof=1)) if len(halves) > 1 else np.nan,
        "largest half": float(halves.max()),
        "times": float(apart.mean()) / noise if noise > 0 else np.nan,
    }


def _check(old: Space, new: Space, changes: VersionChanges) -> None:
    if old.vectors.shape[1] != new.vectors.shape[1]:
        raise InputError(
            f"'{old.name}' has {old.vectors.shape[1]} dimensions in one version and {new.vectors.shape[1]} in the other; "
            "use one encoder, and notions of as many dimensions."
        )
    for space, rows in ((old, changes.old), (new, changes.new)):
        if len(space) != int((rows >= 0).sum()):
            raise InputError(f"'{space.table.name}' has {len(space):,} images, and {int((rows >= 0).sum()):,} were compared; compare its own table.")


def _values(column: "pd.Series[Any]", rows: Rows) -> NDArray[np.object_]:
    """The value of each pair (m,) as text; "" where it has none, or the version lacks the image."""
    texts = np.array([(value_text(value) or "") if known else "" for value, known in zip(column, has_label(column), strict=True)], dtype=object)
    return np.where(rows >= 0, texts[rows], "")
