"""Whether two versions of a dataset drifted apart, by space."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.comparisons.two_sample import FEWEST_TOLD, two_sample_test
from likeness.comparisons.versions import VersionChanges
from likeness.errors import InputError
from likeness.progress import Progress, report_progress
from likeness.space import Space

_LEVEL = 0.05


def version_drift(spaces: Sequence[tuple[Space, Space]], changes: VersionChanges, progress: Progress | None = None) -> pd.DataFrame:
    """How well a classifier tells two versions apart in each space (`two_sample_test`); folds keep copies and parts of a file together.

    InputError: spaces of other images or of different dimensions.

    Args:
        spaces: the old and the new version in one space, for each space; an encoder's, a notion's.
        changes: of `version_changes` of their tables.

    Returns:
        A row per space: space, dimensions; auc, low, high, p, chance, seen and images of `two_sample_test`; drifted: whether p, adjusted by Holm
            (1979) for the number of spaces, is at most .05.

    Example:
        >>> import likeness as lk
        >>> from likeness.comparisons import version_changes
        >>> cars = lk.embed(lk.read("cars"), "cars")
        >>> version_drift([(cars, cars)], version_changes(cars.table, cars.table))["drifted"].tolist()
        [False]
    """
    lines, groups = [], None
    for number, (old, new) in enumerate(spaces):
        _check(old, new, changes)
        groups = _groups(old, new, changes) if groups is None else groups
        found = two_sample_test(np.vstack([old.vectors, new.vectors]), np.repeat([False, True], [len(old), len(new)]), groups)
        lines.append({"space": old.name, "dimensions": old.vectors.shape[1]} | found._asdict())
        report_progress(progress, number + 1, len(spaces))
    table = pd.DataFrame(lines)
    ranked = table["p"].dropna().sort_values()
    holm = (ranked * np.arange(len(ranked), 0, -1)).cummax()
    return table.assign(drifted=holm.reindex(table.index) <= _LEVEL)


def drift_sentence(found: pd.DataFrame, named: Callable[[str], str] = str) -> str:
    """Says of the result of `version_drift` which spaces drifted and which did not, and what may have gone unseen; `named` writes their names."""
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


def _groups(old: Space, new: Space, changes: VersionChanges) -> NDArray[np.int64]:
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


def _check(old: Space, new: Space, changes: VersionChanges) -> None:
    if old.vectors.shape[1] != new.vectors.shape[1]:
        raise InputError(
            f"'{old.name}' has {old.vectors.shape[1]} dimensions in one version and {new.vectors.shape[1]} in the other; "
            "use one encoder, and notions of as many dimensions."
        )
    for space, rows in ((old, changes.old), (new, changes.new)):
        if len(space) != int((rows >= 0).sum()):
            raise InputError(f"'{space.table.name}' has {len(space):,} images, and {int((rows >= 0).sum()):,} were compared; compare its own table.")
