"""Splits as files: JSON with class names, so that they hold for any copy of the dataset, and say from what they were made."""

import json
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


class ClassSplit(FrozenConfig):
    """Which classes train and which test, by their names.

    Attributes:
        name: short and unique in its file: "start", "swap 12", "removal 8", "easier 4".
        step: its number in the construction.
        distance: Frechet distance of the two halves, as the file's `measure` says.
        tuning: those of `train` that are held out where a method's settings are chosen, so that no test class takes part in the choice.
    """

    name: str = Field(min_length=1)
    step: int = 0
    distance: float = Field(ge=0, allow_inf_nan=False)
    train: tuple[str, ...]
    test: tuple[str, ...]
    tuning: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _disjoint(self) -> "ClassSplit":
        for side, names in (("train", self.train), ("test", self.test)):
            if len(names) < _FEWEST:
                raise ValueError(f"the split '{self.name}' has {len(names)} {side} classes, and needs {_FEWEST}")
            if len(set(names)) < len(names):
                raise ValueError(f"the split '{self.name}' names the class '{_twice(names)}' twice in {side}")
        both = set(self.train) & set(self.test)
        if both:
            raise ValueError(f"the split '{self.name}' has the class '{min(both)}' in train and in test")
        stray = set(self.tuning) - set(self.train)
        if stray:
            raise ValueError(f"the split '{self.name}' tunes with the class '{min(stray)}', which does not train")
        if self.tuning and min(len(self.tuning), len(self.train) - len(self.tuning)) < _FEWEST:
            raise ValueError(f"the split '{self.name}' tunes with {len(self.tuning)} of {len(self.train)} classes; both parts need {_FEWEST}")
        return self

    def changes_from(self, before: "ClassSplit") -> dict[str, tuple[str, ...]]:
        """Names of the classes that moved since another split: "to train", "to test", "removed", "added"."""
        train, test = set(self.train), set(self.test)
        earlier = set(before.train) | set(before.test)
        return {
            "to train": tuple(name for name in before.test if name in train),
            "to test": tuple(name for name in before.train if name in test),
            "removed": tuple(name for name in (*before.train, *before.test) if name not in train | test),
            "added": tuple(name for name in (*self.train, *self.test) if name not in earlier),
        }


def select_evenly(distances: Sequence[float], count: int, keep: int | None = None) -> list[int]:
    """Which splits to take, so that their distances (n,) lie as evenly as possible from the smallest to the largest (ooDML, section 4): their numbers
    in the order of their distances.

    Of all choices of `count` splits, the one with the least sum of squared differences from `count` equally spaced values, found exactly. `keep`: a
    split that is among them in any case: the dataset's own one.

    Raises:
        InputError: fewer splits than asked for, fewer than two asked for, or distances that are not finite.
    """
    values = np.asarray(distances, dtype=np.float64)
    if not 2 <= count <= len(values):
        raise InputError(f"{count} splits can't be chosen from {len(values)}; choose from 2 to {len(values)}.")
    if not np.isfinite(values).all():
        raise InputError(f"The distance of split {int(np.argmin(np.isfinite(values)))} is not finite; leave it out.")
    order = np.argsort(values, kind="stable")
    targets = np.linspace(values.min(), values.max(), count)
    costs = (values[order, None] - targets) ** 2
    if keep is None:
        return [int(order[row]) for row in _cheapest(costs)[1]]
    kept = int(np.flatnonzero(order == keep)[0])
    choices = []
    for target in range(count):
        forced = costs.copy()
        forced[:, target] = np.inf
        forced[kept, :] = np.inf
        forced[kept, target] = costs[kept, target]
        choices.append(_cheapest(forced))
    return [int(order[row]) for row in min(choices, key=lambda choice: choice[0])[1]]


def _cheapest(costs: NDArray[np.float64]) -> tuple[float, list[int]]:
    """The cheapest way to give each column a row of its own; cost and rows, ascending."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(costs)
    return float(costs[rows, columns].sum()), rows.tolist()


class SplitFile(FrozenConfig):
    """Splits of one dataset, in the order of their distance.

    Attributes:
        attribute: what the class of an image is.
        encoder: whose features were measured.
        measure: "class means": the distance of the two sets of class means, as in the ooDML paper; "images": that of all images' features.
        rule, removal, per_step: of `swap_splits` and `removal_splits`; "" and 0 where they are not known.
        note: where they come from.
    """

    format: str = "likeness splits"
    version: int = VERSION
    dataset: str
    attribute: str | tuple[str, ...] = "class"
    encoder: str = ""
    measure: str = "class means"
    rule: str = ""
    removal: str = ""
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
        """So many of the splits, whose distances cover the range evenly; the start is among them where there is one."""
        names = [split.name for split in self.splits]
        start = names.index("start") if "start" in names else None
        chosen = select_evenly([split.distance for split in self.splits], count, keep=start)
        return self.model_copy(update={"splits": tuple(self.splits[place] for place in chosen)})

    def __iter__(self) -> Iterator[ClassSplit]:  # type: ignore[override]
        return iter(self.splits)


def read_splits(file: Path | str) -> SplitFile:
    """Splits from a JSON file, or shipped ones by their name ("cars196-oodml").

    Raises:
        InputError: no such file or name, no JSON, an unknown version, a class in both halves, or another key or value that does not fit.
    """
    shipped = shipped_splits()
    path = shipped[str(file)] if str(file) in shipped and not Path(file).is_file() else as_path(file)
    if not path.is_file():
        raise InputError(f"There is no file of splits '{file}'; those that ship are {', '.join(shipped)}.")
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
        raise InputError(f"{name} is of version {version!r}, and this program reads version {VERSION}; make it anew with `likeness splits build`.")
    return SplitFile.checked(content, name)


def write_splits(file: Path | str, splits: SplitFile) -> None:
    """Writes a JSON file, whole or not at all."""
    write_atomic(Path(file), (json.dumps(splits.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode())


def shipped_splits() -> dict[str, Path]:
    """Files of splits that ship, by name."""
    return list_splits(assets_dir() / "splits")


def list_splits(folder: Path) -> dict[str, Path]:
    """Files of splits in a folder, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def _twice(names: "tuple[str, ...] | list[str]") -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])
