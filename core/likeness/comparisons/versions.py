"""Compare two versions of a dataset: images added, removed, changed or renamed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable, has_label
from likeness.errors import InputError
from likeness.io import content_sha256, without_view
from likeness.progress import Progress, report_progress

Rows = NDArray[np.int64]
_STATES = ("same", "changed", "renamed", "came", "went")
_MOST_VALUES = 1000
_THREADS = 4
_NONE = -1


@dataclass(frozen=True)
class VersionChanges:
    """The change of each image.

    Attributes:
        old, new: rows in both versions (m,), -1 where an image is in one only.
        state: of each pair (m,), "same" path and content; "changed": the same path with other content; "renamed": the same content
            under another path; "came" is in the new version only, "went" in the old one only.
        relabeled: attribute -> (m,), whether an image that is in both versions has another value; of attributes that both versions have.
    """

    old: Rows
    new: Rows
    state: NDArray[np.str_]
    relabeled: dict[str, NDArray[np.bool_]]

    def counts(self) -> pd.DataFrame:
        """Rows "same" to "went", and "relabeled: ATTRIBUTE" of attributes with other values: how many images each."""
        lines = [{"change": state, "images": int((self.state == state).sum())} for state in _STATES]
        lines += [{"change": f"relabeled: {name}", "images": int(mask.sum())} for name, mask in self.relabeled.items() if mask.any()]
        return pd.DataFrame(lines)

    def frame(self, old: ImageTable, new: ImageTable) -> pd.DataFrame:
        """A row per image that is not the same in both: change, old and new row (-1: none) and path, relabeled: the attributes with other values."""
        names = np.array(list(self.relabeled), dtype=object)
        masks = np.array(list(self.relabeled.values()), dtype=bool).reshape(len(names), len(self.state))
        shown = np.flatnonzero((self.state != "same") | masks.any(axis=0))
        sides = ((old, self.old[shown]), (new, self.new[shown]))
        paths = [["" if row == _NONE else str(table.frame["path"].iat[row]) for row in rows] for table, rows in sides]
        relabeled = [", ".join(names[masks[:, row]]) for row in shown]
        columns: dict[str, Any] = {"change": self.state[shown], "old_row": self.old[shown], "old_path": paths[0]}
        columns |= {"new_row": self.new[shown], "new_path": paths[1], "relabeled": relabeled}
        return pd.DataFrame(columns)


def version_changes(old: ImageTable, new: ImageTable, progress: Progress | None = None) -> VersionChanges:
    """Compares two versions of a dataset by the paths of the images, relative to each version's folder, and by SHA-256 of their files.

    Images are first matched by path; remaining ones with equal content are renamed images, matched once in row order. InputError: rows without
    images, a path that a version lists twice, or an image that cannot be read.

    Example:
        >>> import likeness as lk
        >>> cars = lk.read("cars")
        >>> version_changes(cars, cars).counts().set_index("change")["images"].to_dict()
        {'same': 2000, 'changed': 0, 'renamed': 0, 'came': 0, 'went': 0}
    """
    for table in (old, new):
        table.paths()  # refuses rows without images
        twice = table.frame["path"].duplicated()
        if twice.any():
            raise InputError(f"'{table.name}' lists '{table.frame['path'][twice].iat[0]}' twice; list every image once.")
    digests = _contents(old, new, progress)
    old_rows, new_rows, state = _matched(old, new, digests)
    return VersionChanges(old_rows, new_rows, state, _relabeled(old, new, old_rows, new_rows))


def version_values(old: ImageTable, new: ImageTable, changes: VersionChanges, attribute: str) -> pd.DataFrame:
    """What changed of each value of an attribute that both versions have.

    InputError: other images than those of `changes`, an attribute that a version lacks, or one of more than 1,000 values.

    Returns:
        A row per value, most changed first: value; old, new: images; came, went, changed: of these; turnover: share of the images that have the value
            in either version which came, went or changed; share: change of its share among all images, in percentage points.
    """
    sides = []
    for table, rows in ((old, changes.old), (new, changes.new)):
        if len(table) != int((rows >= 0).sum()):
            raise InputError(f"'{table.name}' has {len(table):,} images, and {int((rows >= 0).sum()):,} were compared; compare its own table.")
        if attribute not in table.attributes:
            raise InputError(f"'{table.name}' has no attribute '{attribute}'; there are {', '.join(table.attributes) or 'none'}.")
        column = table.frame[attribute]
        texts = np.array([(value_text(value) or "") if known else "" for value, known in zip(column, has_label(column), strict=True)], dtype=object)
        sides.append(np.where(rows >= 0, texts[rows], ""))
    before, after = sides
    values = sorted({*before, *after} - {""})
    if len(values) > _MOST_VALUES:
        raise InputError(f"'{attribute}' has {len(values):,} values; choose an attribute of at most {_MOST_VALUES:,}.")
    lines = []
    for value in values:
        was, now = before == value, after == value
        came, went, changed = (int(each.sum()) for each in (now & ~was, was & ~now, was & now & (changes.state == "changed")))
        line = {"value": value, "old": int(was.sum()), "new": int(now.sum()), "came": came, "went": went, "changed": changed}
        lines.append(
            line | {"turnover": (came + went + changed) / int((was | now).sum()), "share": 100 * (now.sum() / len(new) - was.sum() / len(old))}
        )
    found = pd.DataFrame(lines, columns=["value", "old", "new", "came", "went", "changed", "turnover", "share"])
    return found.iloc[np.lexsort((-found["share"].abs(), -found["turnover"]))].reset_index(drop=True)


def _matched(old: ImageTable, new: ImageTable, digests: tuple[list[str], list[str]]) -> tuple[Rows, Rows, NDArray[np.str_]]:
    place = {path: row for row, path in enumerate(new.frame["path"])}
    partner = np.array([place.get(path, _NONE) for path in old.frame["path"]], dtype=np.int64)
    states = np.full(len(old), "went", dtype="<U8")
    for row, other in enumerate(partner):
        if other >= 0:
            states[row] = "same" if digests[0][row] == digests[1][other] else "changed"
    free = np.ones(len(new), bool)
    free[partner[partner >= 0]] = False
    waiting: dict[str, list[int]] = {}
    for row in np.flatnonzero(free)[::-1].tolist():
        waiting.setdefault(digests[1][row], []).append(row)
    for row in np.flatnonzero(partner < 0).tolist():
        if rows := waiting.get(digests[0][row]):
            partner[row], states[row] = rows.pop(), "renamed"
            free[partner[row]] = False
    came = np.flatnonzero(free)
    return (
        np.concatenate([np.arange(len(old)), np.full(len(came), _NONE)]),
        np.concatenate([partner, came]),
        np.concatenate([states, np.full(len(came), "came", dtype="<U8")]),
    )


def _relabeled(old: ImageTable, new: ImageTable, old_rows: Rows, new_rows: Rows) -> dict[str, NDArray[np.bool_]]:
    both = np.flatnonzero((old_rows >= 0) & (new_rows >= 0))
    found = {}
    for name in (each for each in old.attributes if each in new.attributes):
        before, after = old.frame[name].to_numpy(object)[old_rows[both]], new.frame[name].to_numpy(object)[new_rows[both]]
        found[name] = np.zeros(len(old_rows), bool)
        found[name][both] = [_comparable(one) != _comparable(other) for one, other in zip(before, after, strict=True)]
    return found


def _comparable(value: Any) -> Any:
    """A value comparable with `==`: arrays as lists of text."""
    if isinstance(value, np.ndarray):
        return _comparable(value.tolist())
    if isinstance(value, list | tuple):
        return [_comparable(each) for each in value]
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    return value_text(value)


def value_text(value: Any) -> str | None:
    """A value as text, None where it is missing.

    A column of whole numbers is read as floats once a value is missing, and as texts once one is no number: 3, 3.0 and "3" are the same value.

    Example:
        >>> value_text(3), value_text(3.0), value_text("3"), value_text(2.5), value_text(float("nan"))
        ('3', '3', '3', '2.5', None)
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if is_whole else str(value)


def _contents(old: ImageTable, new: ImageTable, progress: Progress | None) -> tuple[list[str], list[str]]:
    """Content key of each image of both versions: the digest of its bytes, and what of them it is."""
    digest = cache(content_sha256)  # a film is read once for all of its frames

    def content_of(path: Path) -> str:
        content, view = without_view(path)
        try:
            return f"{digest(content)} {view}"
        except OSError as error:
            raise InputError(f"'{path.name}' cannot be read ({(error.strerror or str(error)).lower()}); remove it from the version.") from error

    paths, found = [*old.paths(), *new.paths()], list[str]()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="likeness-versions") as threads:
        for content in threads.map(content_of, paths):
            found.append(content)
            report_progress(progress, len(found), len(paths), "Comparing files")
    return found[: len(old)], found[len(old) :]
