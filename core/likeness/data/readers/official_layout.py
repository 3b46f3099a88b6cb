"""Helpers for readers of published datasets: find the root folder and read its files."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from likeness.data.readers.folder import is_image_name, natural_key
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import MatError, as_path, mat_shapes, mat_variable, name_to_text, parse_json, text_of

_KINDS: dict[type, str] = {list: "list of entries", dict: "entries by name"}
_Lines = list[tuple[int, str]]
_Content = TypeVar("_Content", list[Any], dict[str, Any])


@dataclass(frozen=True)
class OfficialLayout:
    """The unpacked layout of a published dataset.

    Attributes:
        page: where it is published.
        indexes: files or folders, relative to the root; any of them identifies the root.
        distinct: whether an index of that name identifies the dataset, and is not found in arbitrary folders.
    """

    name: str
    page: str
    indexes: tuple[str, ...]
    distinct: bool = True

    def is_root(self, folder: Path) -> bool:
        """True if this folder contains one of the indexes."""
        return any((folder / index).exists() for index in self.indexes)

    def root(self, folder: str | Path) -> Path:
        """The root folder: the given one, or the subfolder that contains an index. Raises InputError if there is none, or several."""
        given = as_path(folder).absolute()
        if not given.is_dir():
            raise InputError(f"There is no folder '{folder}'; pass the folder of the unpacked {self.name}, published at {self.page}.")
        if self.is_root(given):
            return given
        found = [inside for inside in entries_in(given) if self.is_root(inside)]
        if not found:
            raise InputError(
                f"There is no {self.name} in '{folder}': neither it nor a direct subfolder contains {_listed(self.indexes, ' or ')}; pass the "
                f"folder of the unpacked dataset, published at {self.page}."
            )
        if len(found) > 1:
            raise InputError(f"There are several folders of {self.name} in '{folder}': {_listed([one.name for one in found])}; pass one of them.")
        return found[0]

    def find(self, root: Path, *places: str) -> Path:
        """The first of these files or folders that exists. Raises InputError if none does."""
        for place in places:
            if (root / place).exists():
                return root / place
        raise InputError(f"{self.name} in '{root}' lacks '{places[0]}'; get it from the dataset published at {self.page}.")

    def lines(self, file: Path) -> _Lines:
        """The non-blank lines of a text file with their numbers from 1. Raises InputError if it cannot be read as UTF-8."""
        return [(number, line.strip()) for number, line in enumerate(text_of(file).split("\n"), start=1) if line.strip()]

    def counted_lines(self, file: Path, names: str) -> _Lines:
        """The lines below the count of `names` and the titles, with which DeepFashion's lists begin. Raises InputError for another count."""
        lines = self.lines(file)
        count = lines[0][1] if lines else ""
        if count != str(len(lines[2:])):
            raise self.malformed(file, "line 1", count, f"the number of {names} that follow, {len(lines[2:])}")
        return lines[2:]

    def matches(self, file: Path, lines: _Lines, pattern: re.Pattern[str], expected: str, kind: str = "line") -> Iterator[tuple[int, re.Match[str]]]:
        """Numbered lines as matches of a pattern. Raises InputError for the first that is none."""
        for line, text in lines:
            found = pattern.fullmatch(text)
            if found is None:
                raise self.malformed(file, f"{kind} {line}", text, expected)
            yield line, found

    def whole(self, file: Path, place: str, value: Any, what: str, least: int, most: int) -> int:
        """A whole number from `least` to `most`, such as of "a class". Raises InputError for anything else."""
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            number = least - 1
        if not least <= number <= most:
            raise self.malformed(file, place, str(value), f"{what} from {least} to {most}")
        return number

    def error(self, file: Path, problem: str) -> InputError:
        """The error for a file with a problem, such as "has no field 'class'"."""
        return InputError(f"'{file.name}' of {self.name} {problem}; take the file anew from {self.page}.")

    def malformed(self, file: Path, place: str, text: str, expected: str) -> InputError:
        """The error for a place, such as "line 3", with unexpected content."""
        return InputError(f"In '{file.name}' of {self.name}, {place} is '{text[:120]}', expected {expected}; take the file anew from {self.page}.")

    def json(self, file: Path, kind: type[_Content]) -> _Content:
        """The non-empty list or dict of a JSON file. Raises InputError if it is invalid, of another kind, or empty."""
        try:
            content = parse_json(text_of(file, 1 << 32), "it")  # that of iNaturalist 2021 has about a gigabyte
        except InputError as error:
            raise self.error(file, f"is no JSON ({str(error)[:80]})") from error
        if not isinstance(content, kind) or not content:
            raise self.error(file, f"has no {_KINDS[kind]}")
        return content

    def variable(self, file: Path, name: str) -> Any:
        """A variable of a .mat file (versions up to 7.2): a 1-D array, for structs of one dict of a list per field. Raises
        InputError if the file cannot be read so, or lacks the variable.
        """
        found = self._of_mat(file, name, lambda: mat_variable(file, name))
        return np.atleast_1d(np.array(found, dtype=object) if isinstance(found, list | dict) else found)

    def shape(self, file: Path, name: str) -> tuple[int, ...]:
        """The shape of a variable of a .mat file, without reading it; raises InputError as `variable`."""
        found: tuple[int, ...] = self._of_mat(file, name, lambda: mat_shapes(file).get(name))
        return found

    def field(self, file: Path, records: Any, name: str) -> list[Any]:
        """A field of MATLAB structs, one entry per struct. Raises InputError if there is no such field."""
        fields = records[0] if len(records) == 1 else None
        if not isinstance(fields, dict) or name not in fields:
            raise self.error(file, f"has annotations without the field '{name}'")
        return list(fields[name])

    def images(self, folder: Path, pattern: re.Pattern[str], example: str) -> Iterator[re.Match[str]]:
        """The names of the images directly inside a folder, in natural order. Raises InputError if it cannot be listed, or for another name."""
        names = [(number, name_to_text(entry.name)) for number, entry in enumerate(entries_in(folder), start=1) if is_image_name(entry.name)]
        return (found for _, found in self.matches(folder, names, pattern, f"a name such as {example}", "file"))

    def inside(self, file: Path, place: str, path: str) -> str:
        """The same path, after a check. Raises InputError if it is empty, absolute or leaves the dataset's folder."""
        pure = PurePosixPath(path.replace("\\", "/"))
        if not path or pure.is_absolute() or ".." in pure.parts or "\0" in path or ":" in pure.parts[0]:
            raise self.malformed(file, place, path, "a path inside of the dataset's folder")
        return path

    def table(self, root: Path, frame: pd.DataFrame, split: str, index: Path, published: Mapping[str, int] | None = None) -> ImageTable:
        """The table of a split. Missing images stay in it, and embedding reports them; of datasets without a list, notes name the sets in the column
        `split` that have fewer images than `published`. Raises InputError if the split is empty, or if all of its images are missing.
        """
        if frame.empty:
            raise InputError(f"The split '{split}' of {self.name} in '{root}' has no images in '{index.name}'; choose another split or dataset.")
        if not any(os.path.isfile(root / path) for path in frame["path"]):  # false for what is no path at all
            raise InputError(
                f"None of the {len(frame)} images that '{index.name}' lists for the split '{split}' is in '{root}' (the first is "
                f"'{frame['path'].iloc[0]}'); unpack the images of {self.name} there, published at {self.page}."
            )
        found = {name: (int((frame["split"] == name).sum()), count) for name, count in (published or {}).items()}
        note = "Only {:,} of the {:,} published images of '{}' are in the folder; unpack the others if they should be there."
        notes = tuple(note.format(here, count, name) for name, (here, count) in found.items() if here < count)
        return ImageTable(self.name if split == "test" else f"{self.name} ({split})", root, frame, notes=notes)

    def _of_mat(self, file: Path, variable: str, read: Callable[[], Any]) -> Any:
        try:
            found = read()
        except MatError as error:
            raise self.error(file, f"cannot be read as a MATLAB file ({error})") from error
        if found is None:
            raise self.error(file, f"has no variable '{variable}'")
        return found


def entries_in(folder: Path) -> list[Path]:
    """The files and folders directly inside, in natural order. Raises InputError if it cannot be listed."""
    try:
        return sorted((Path(entry.path) for entry in os.scandir(folder)), key=lambda path: natural_key(path.name))
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"The folder '{folder}' cannot be listed ({reason}); check its permissions.") from error


def _listed(names: Sequence[str], between: str = ", ") -> str:
    return between.join(f"'{name}'" for name in names)
