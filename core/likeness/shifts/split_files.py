"""Splits as JSON files with class names, which fit any copy of the dataset, and a record of how they were made."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from likeness.errors import InputError
from likeness.io import FrozenConfig, as_path, assets_dir, parse_json, text_of, write_atomic

VERSION = 1
_FEWEST = 2


class ShotEpisodes(FrozenConfig):
    """Few-shot episodes with so many `shots`: `support` names the files (classes, episodes, shots) to adapt to, of each test class in its order; all
    other test images are queries.
    """

    shots: int = Field(ge=1)
    support: tuple[tuple[tuple[str, ...], ...], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _rectangular(self) -> "ShotEpisodes":
        if len({len(own) for own in self.support}) > 1 or {len(set(files)) for own in self.support for files in own} != {self.shots}:
            raise ValueError(f"the episodes of {self.shots} shots need as many for each class, with {self.shots} different images each")
        return self


class ClassSplit(FrozenConfig):
    """Names of the train and test classes.

    Attributes:
        name: short and unique in its file: "start", "swap 12", "removal 8", "easier 4".
        step: its number in the construction.
        distance: Frechet distance of the two sides, by the file's `measure`.
        tuning: those of `train` that are held out to tune a method's settings, so that no test class affects the choice.
        episodes: published few-shot episodes, by their shots; empty: episodes are drawn from a seed.
    """

    name: str = Field(min_length=1)
    step: int = 0
    distance: float = Field(ge=0, allow_inf_nan=False)
    train: tuple[str, ...]
    test: tuple[str, ...]
    tuning: tuple[str, ...] = ()
    episodes: tuple[ShotEpisodes, ...] = ()

    @model_validator(mode="after")
    def _disjoint(self) -> "ClassSplit":
        for side, names in (("train", self.train), ("test", self.test)):
            if len(names) < _FEWEST:
                raise ValueError(f"the split '{self.name}' has {len(names)} {side} classes, but needs {_FEWEST}")
            if len(set(names)) < len(names):
                raise ValueError(f"the split '{self.name}' names the class '{_twice(names)}' twice in {side}")
        both = set(self.train) & set(self.test)
        if both:
            raise ValueError(f"the split '{self.name}' has the class '{min(both)}' both in train and in test")
        stray = set(self.tuning) - set(self.train)
        if stray:
            raise ValueError(f"the split '{self.name}' tunes with the class '{min(stray)}', which is not a train class")
        if self.tuning and min(len(self.tuning), len(self.train) - len(self.tuning)) < _FEWEST:
            raise ValueError(f"the split '{self.name}' tunes with {len(self.tuning)} of {len(self.train)} classes; both parts need {_FEWEST}")
        if any(len(each.support) != len(self.test) for each in self.episodes):
            raise ValueError(f"the split '{self.name}' has episodes of other than its {len(self.test)} test classes")
        return self

    def changes_from(self, before: "ClassSplit") -> dict[str, tuple[str, ...]]:
        """Names of the classes that changed since another split: "to train", "to test", "removed", "added"."""
        train, test = set(self.train), set(self.test)
        earlier = set(before.train) | set(before.test)
        return {
            "to train": tuple(name for name in before.test if name in train),
            "to test": tuple(name for name in before.train if name in test),
            "removed": tuple(name for name in (*before.train, *before.test) if name not in train | test),
            "added": tuple(name for name in (*self.train, *self.test) if name not in earlier),
        }


def select_evenly(distances: Sequence[float], count: int, keep: int | None = None) -> list[int]:
    """Selects splits whose distances (n,) are as evenly spaced as possible from the smallest to the largest (ooDML, section 4): their numbers, in
    order of distance.

    Exact: minimizes the sum of squared differences from `count` equally spaced values over all choices of `count` splits. `keep`: a split that is
    always included, such as the dataset's own.

    Raises:
        InputError: fewer than `count` splits, a `count` below two, or distances that are not finite.
    """
    values = np.asarray(distances, dtype=np.float64)
    if not 2 <= count <= len(values):
        raise InputError(f"{count} splits cannot be chosen from {len(values)}; choose 2 to {len(values)}.")
    if not np.isfinite(values).all():
        raise InputError(f"The distance of split {int(np.argmin(np.isfinite(values)))} is not finite; remove it.")
    order = np.argsort(values, kind="stable")
    targets = np.linspace(values.min(), values.max(), count)
    costs = (values[order, None] - targets) ** 2
    if keep is None:
        return [int(order[row]) for row in _cheapest(costs)[1]]
    kept = int(np.flatnonzero(order == keep)[0])
    choices = []
    for target in range(count):
        # the kept split takes this target; the cheapest over all targets is optimal
        forced = costs.copy()
        forced[:, target] = np.inf
        forced[kept, :] = np.inf
        forced[kept, target] = costs[kept, target]
        choices.append(_cheapest(forced))
    return [int(order[row]) for row in min(choices, key=lambda choice: choice[0])[1]]


def _cheapest(costs: NDArray[np.float64]) -> tuple[float, list[int]]:
    """Cheapest assignment of an ascending row to each column: cost and rows."""
    from scipy.optimize import linear_sum_assignment

    # scipy returns the rows in ascending order
    rows, columns = linear_sum_assignment(costs)
    return float(costs[rows, columns].sum()), rows.tolist()


class SplitFile(FrozenConfig):
    """Splits of one dataset, in order of distance.

    Attributes:
        attribute: label column that is the class of an image.
        encoder: encoder of the measured features.
        measure: "class means": distance of the two sets of class means, as in the ooDML paper; "images": of all images' features.
        rule, removal, per_step: of `swap_splits` and `removal_splits`; "" and 0 if unknown.
        half: what half must remain of after removals, "images" or "classes"; "" if unknown.
        note: origin of the splits.
    """

    format: str = "likeness splits"
    version: int = VERSION
    dataset: str
    attribute: str | tuple[str, ...] = "class"
    encoder: str = ""
    measure: str = "class means"
    rule: str = ""
    removal: str = ""
    half: str = ""
    per_step: int = 0
    seed: int = 0
    note: str = ""
    splits: tuple[ClassSplit, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _named_once(self) -> "SplitFile":
        names = [split.name for split in self.splits]
        if len(set(names)) < len(names):
            raise ValueError(f"two splits are called '{_twice(names)}'")
        return self

    def named(self, name: str) -> ClassSplit:
        """The split of this name.

        Raises:
            InputError: there is none.
        """
        found = next((split for split in self.splits if split.name == name), None)
        if found is None:
            raise InputError(f"There is no split '{name}' of {self.dataset}; there are {', '.join(split.name for split in self.splits)}.")
        return found

    def evenly(self, count: int) -> "SplitFile":
        """Selects `count` splits whose distances cover the range evenly, including the start if there is one."""
        names = [split.name for split in self.splits]
        start = names.index("start") if "start" in names else None
        chosen = select_evenly([split.distance for split in self.splits], count, keep=start)
        return self.model_copy(update={"splits": tuple(self.splits[place] for place in chosen)})

    def __iter__(self) -> Iterator[ClassSplit]:  # type: ignore[override]
        return iter(self.splits)


def read_splits(file: Path | str) -> SplitFile:
    """Reads splits from a JSON file, or shipped ones by name ("cars196-oodml").

    Raises:
        InputError: no such file or name, not JSON, an unknown version, a class on both sides, or another invalid key or value.
    """
    shipped = shipped_splits()
    path = shipped[str(file)] if str(file) in shipped and not Path(file).is_file() else as_path(file)
    if not path.is_file():
        raise InputError(f"There is no file of splits '{file}'; shipped ones are {', '.join(shipped)}.")
    return splits_from(parse_json(text_of(path), f"'{path.name}'"), path.name)


def splits_from(content: Any, name: str = "The file") -> SplitFile:
    """Splits from what a JSON file holds.

    Raises:
        InputError: as `read_splits`.
    """
    if not isinstance(content, dict) or "splits" not in content:
        raise InputError(f"{name} holds no splits; a file of splits is an object with the keys dataset and splits.")
    version = content.get("version")
    if version != VERSION:
        raise InputError(f"{name} has version {version!r}, but this program reads version {VERSION}; create it again with `likeness splits build`.")
    return SplitFile.checked(content, name)


def write_splits(file: Path | str, splits: SplitFile) -> None:
    """Writes a JSON file, whole or not at all, with each list of classes on a line."""
    text = json.dumps(splits.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_atomic(Path(file), (re.sub(r"\n {4,}| *\n {3}(?=\])", " ", text) + "\n").encode())


def shipped_splits() -> dict[str, Path]:
    """Files of splits that ship, by name."""
    return list_splits(assets_dir() / "splits")


def list_splits(folder: Path) -> dict[str, Path]:
    """Files of splits in a folder, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def _twice(names: "tuple[str, ...] | list[str]") -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])
