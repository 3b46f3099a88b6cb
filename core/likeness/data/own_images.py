"""Tables from images and labels given as Python objects."""

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.arrays import is_torch, to_numpy
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import name_to_text

_WAYS = "pass paths of files, a data frame with a column 'path', or what `lk.read` gives"
_ORDERED = (Sequence, Iterator, KeysView, ValuesView, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
_LISTS = (list, tuple, set, frozenset, dict, np.ndarray)


def own_table(images: Any, name: str) -> ImageTable:
    """The table of a data frame with a column `path`, or of a list of paths, relative to the current folder. Raises InputError for anything else,
    such as images in memory or a dataset of another library, with a hint what to pass.
    """
    if isinstance(images, pd.DataFrame):
        ImageTable(name, Path(), images)  # refuses one without a column of paths
        return ImageTable(name, Path(), images.assign(path=_paths(images["path"])))
    if isinstance(images, str | bytes | Path) or not isinstance(images, _ORDERED):
        raise _refusal(images)
    return ImageTable(name, Path(), pd.DataFrame({"path": _paths(images)}, dtype=object))


def label_columns(labels: Any, rows: int, index: "pd.Index[Any] | None" = None) -> dict[str, "pd.Series[Any]"]:
    """Labels as columns of a table; values are kept exactly. Values (n,) as NumPy, torch or list become the column "label"; a dict or a data frame
    has names. A pandas index must be 0 to n - 1 or that of the images.

    Raises:
        InputError: not n values, another pandas index, because the values would belong to other rows, or lists instead of values.
    """
    given = labels if isinstance(labels, Mapping | pd.DataFrame) else {"label": labels}
    return {str(name): _column(str(name), given[name], rows, index) for name in given}


def _paths(listed: Iterable[Any]) -> list[str]:
    paths = list(listed)
    wrong = next((row for row, path in enumerate(paths) if not isinstance(path, str | Path)), None)
    if wrong is not None:
        raise InputError(f"Image {wrong} is {_kind(paths[wrong])}; {_way(paths[wrong])}.")
    return [name_to_text(str(path)) for path in paths]


def _refusal(images: Any) -> InputError:
    if isinstance(images, str | Path):
        return InputError(f"The images are '{images}', one text; pass `lk.read({str(images)!r})`, or a list of paths.")
    return InputError(f"The images are {_kind(images)}; {_way(images)}.")


def _kind(value: Any) -> str:
    module = type(value).__module__.split(".")[0]
    return f"a {type(value).__name__}" if module == "builtins" else f"a {module} {type(value).__name__}"


def _way(value: Any) -> str:
    """What to pass instead of a value that is not a path."""
    if hasattr(value, "samples") and hasattr(value, "classes"):  # of torchvision
        return "pass the paths of its files, [path for path, _ in dataset.samples], and labels=dataset.targets"
    if type(value).__module__.startswith(("PIL.", "numpy", "torch")):
        return f"save images in memory as files and {_WAYS}; their vectors, `lk.load('photos').encode_images(images)`, need no paths"
    if type(value).__module__.startswith(("datasets.", "torch.")):
        return f"save its images as files and {_WAYS}"
    return _WAYS


def _column(name: str, given: Any, rows: int, index: "pd.Index[Any] | None") -> "pd.Series[Any]":
    if isinstance(given, pd.Series) and not (given.index.equals(pd.RangeIndex(len(given))) or (index is not None and given.index.equals(index))):
        first = ", ".join(map(repr, given.index[:3].tolist()))
        raise InputError(
            f"The labels '{name}' are a Series with the index {first} ..., which is not that of the {rows} rows; pass its values in the order of the "
            f"rows, as `.to_numpy()` gives them."
        )
    values = to_numpy(given) if is_torch(given) else given
    if isinstance(values, str | bytes | set | frozenset | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"The labels '{name}' are {_kind(values)}, {str(values)[:80]!r}; pass one label per row.")
    shape = np.shape(values) if isinstance(values, np.ndarray | pd.DataFrame) else (len(values := _listed(values)),)
    if shape != (rows,):
        raise InputError(f"The labels '{name}' have shape {shape} for {rows} rows; pass one label per row.")
    column = _exact(values)
    held = next((value for value in column if isinstance(value, _LISTS)), None) if column.dtype == object else None
    if held is not None:
        raise InputError(
            f"The labels '{name}' hold {_kind(held)}, first {str(held)[:80]}, but an attribute has one value per image; join them as text, "
            "or pass one attribute each."
        )
    return column


def _listed(values: Any) -> Any:
    return values if isinstance(values, pd.Series | pd.Index | pd.api.extensions.ExtensionArray) else list(values)


def _exact(values: Any) -> "pd.Series[Any]":
    """A column of the narrowest type that holds every value exactly."""
    if not isinstance(values, list):
        return pd.Series(values).reset_index(drop=True)
    kept = pd.Series(values, dtype=object)
    plain = kept.infer_objects()
    pairs: Iterator[tuple[Any, Any]] = zip(plain.tolist(), values, strict=True)
    same = all(type(a) is type(b) or (isinstance(a, float | int) and a == b) for a, b in pairs)
    return plain if same else kept
