"""Split files of the ooDML authors: pickles, read by a reader that executes nothing."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from likeness.errors import InputError
from likeness.io import PlainUnpickler, regular_file
from likeness.shifts.split_files import VERSION, SplitFile, splits_from

_MOST_BYTES = 100_000_000


def read_plain_pickle(file: Path | str) -> Any:
    """Content of a pickle of plain containers, texts, numbers and NumPy arrays of these."""
    path = Path(file)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"'{path.name}' is larger than {_MOST_BYTES // 1_000_000} MB, too large for a file of splits; choose another file.")
        content = PlainUnpickler(io.BytesIO(regular_file(path).read_bytes())).load()
    except OSError as error:
        raise InputError(f"'{path}' cannot be read ({error.strerror or error}); pass the authors' pickle of splits.") from error
    except InputError:
        raise
    except Exception as error:  # a damaged pickle can raise anything
        raise InputError(f"'{path.name}' is not a pickle of plain splits: {error}.") from error
    return _plain(content, path.name)


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject and value.dtype != object:
            raise InputError(f"'{name}' holds an array of {value.dtype}; splits are made of texts and numbers.")
        return _plain(value.tolist(), name)
    if isinstance(value, dict):
        return {_plain(key, name): _plain(each, name) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each, name) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError(f"'{name}' holds a {type(value).__name__}; splits are made of texts and numbers.")


def class_aliases(paths: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Maps names to classes: the class's own name, also as a folder's, the folder of its images, and the prefix of their file names; names shared by
    several classes are left out.

    The authors name CUB200-2011's classes by their folders ("001.Black_footed_Albatross"), those of Cars196 by folders, too ("Ram C-V Cargo Van
    Minivan 2012", officially "Ram C/V ..."), and the products of Stanford Online Products by the prefix of their file names ("111085122871" of
    "bicycle_final/111085122871_0.JPG").

    Args:
        paths: (n,) of the images.
        classes: (n,) the name of each image's class.
    """
    found: dict[str, set[str]] = {}
    for path, name in zip(map(PurePosixPath, paths), classes, strict=True):
        for alias in {path.parent.name, path.name.partition("_")[0], name.replace("/", "-")}:
            found.setdefault(alias, set()).add(name)
    return {alias: min(names) for alias, names in found.items() if len(names) == 1} | {name: name for name in classes}


def import_official(file: Path | str, dataset: str, attribute: str = "class", aliases: Mapping[str, str] | None = None) -> SplitFile:
    """Splits from a pickle of the authors' benchmark: a dict from number to `train`, `test` (class names), `fid`, `split_val` (held out for tuning)
    and `test_episodes` (by shots, episode and class the files to adapt to).

    Args:
        aliases: of `class_aliases`, if the images have other class names; None: names are kept.

    Raises:
        InputError: no such file, a damaged one, one above 100 MB, or one with anything but plain data; splits that do not fit `SplitFile`, or a name
            that the aliases lack.
    """
    name, content = Path(file).name, read_plain_pickle(file)
    if not isinstance(content, dict) or not all(isinstance(each, dict) and {"train", "test", "fid"} <= set(each) for each in content.values()):
        raise InputError(f"'{name}' holds no splits of the ooDML benchmark, a dict from numbers to train, test and fid.")
    if not all(isinstance(each["fid"], int | float) for each in content.values()):
        raise InputError(f"'{name}' has a fid that is not a number; use the authors' unchanged file.")
    splits = [
        {"name": f"split {key}", "step": number, "distance": each["fid"]}
        | {side: _renamed(each.get(theirs, []), aliases, name) for side, theirs in (("train", "train"), ("test", "test"), ("tuning", "split_val"))}
        | {"episodes": _episodes(each.get("test_episodes", {}), each["test"], name)}
        for number, (key, each) in enumerate(sorted(content.items(), key=lambda item: float(item[1]["fid"])), 1)
    ]
    about = {"version": VERSION, "dataset": dataset, "attribute": attribute, "rule": "official", "removal": "official"}
    return splits_from(about | {"encoder": "resnet50", "note": f"Imported from {name}.", "splits": splits}, name)


def _episodes(given: Any, test: Sequence[str], file: str) -> list[dict[str, Any]]:
    """As `ShotEpisodes`."""
    try:
        return [{"shots": shots, "support": [[own[number][name] for number in sorted(own)] for name in test]} for shots, own in given.items()]
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"The test_episodes of '{file}' lack {error}; use the authors' unchanged file.") from error


def _renamed(names: Any, aliases: Mapping[str, str] | None, file: str) -> Any:
    if aliases is None or not isinstance(names, list):
        return names
    missing = next((name for name in names if str(name) not in aliases), None)
    if missing is not None:
        raise InputError(f"'{file}' names the class '{missing}', but no class, folder or file of the images has this name; use the whole dataset.")
    return [aliases[str(name)] for name in names]
