"""Tables from images and labels given as Python objects."""

import hashlib
import io
import secrets
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from PIL import Image

from likeness.arrays import is_torch, to_numpy
from likeness.data.readers.parquet_columns import cell_paths, open_columns, plain_cells
from likeness.data.readers.tabular import PATH_COLUMNS, column_of_paths
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import Part, cache_dir, from_arrow, make_folder, name_to_text, part_path

_ORDERED = (Sequence, Iterator, KeysView, ValuesView, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
_LISTS = (list, tuple, set, frozenset, dict, np.ndarray)
_MEDIA = ("Image", "Audio", "Video", "Pdf")  # features of `datasets`
_ROWS = 64  # of such a dataset in memory


def own_table(images: Any, name: str, path_column: str | None = None) -> ImageTable:
    """The table of images given as Python objects, in their order; paths are relative to the current folder.

    Args:
        images: a data frame (pandas, polars, Arrow) with a column of paths or images, a list of images, of (image, label) or of dicts, a torch
            dataset of those, or a Dataset or DatasetDict of `datasets`. Files are listed where they are, as by `samples` of torchvision's
            ImageFolder; images in memory are written into the cache (`kept_paths`). `classes` of a dataset names its labels.

    Raises:
        InputError: anything else, such as a stream, with a hint what to pass.
    """
    if isinstance(images, str | bytes | Path):
        raise InputError(f"The images are '{str(images)[:200]}', one text; pass `lk.read({str(images)[:200]!r})`, or a list of paths.")
    module, has_rows = type(images).__module__.split(".")[0], hasattr(images, "__len__") and hasattr(images, "__getitem__")
    if module == "datasets" and has_rows:
        frame = _of_datasets(images, path_column)
    elif isinstance(images, pd.DataFrame):
        frame = _with_images(images, path_column)
    elif hasattr(images, "__arrow_c_stream__") and hasattr(images, "schema"):
        frame = plain_cells(_with_images(_of_arrow(images), path_column))
    elif isinstance(images, _ORDERED) or is_torch(images) or (has_rows and not isinstance(images, Mapping)):
        rows: list[dict[str, Any]] = []
        paths = kept_paths(_items(images, rows))
        frame = pd.DataFrame(rows, index=range(len(paths))).drop(columns="path", errors="ignore")
        frame.insert(0, "path", pd.Series(paths, dtype=object))
    else:
        is_stream = hasattr(images, "__iter__") and module != "builtins"
        remedy = "pass some of its rows, `list(itertools.islice(images, 1000))`" if is_stream else WAYS
        raise InputError(f"The images are {kind_of(images)}; {remedy}.")
    return ImageTable(name, Path(), frame)


def label_columns(labels: Any, rows: int, index: "pd.Index[Any] | None" = None) -> dict[str, "pd.Series[Any]"]:
    """Labels as columns of a table; values are kept exactly. Values (n,) as NumPy, torch or list become the column "label"; a dict or a data frame
    has names. A pandas index must be 0 to n - 1 or that of the images.

    Raises:
        InputError: not n values, another pandas index, because the values would belong to other rows, or lists instead of values.
    """
    given = labels if isinstance(labels, Mapping | pd.DataFrame) else {"label": labels}
    return {str(name): _column(str(name), given[name], rows, index) for name in given}


def _with_images(frame: pd.DataFrame, column: str | None) -> pd.DataFrame:
    """The frame with a column `path`, from the named column, or the first that is called like one of paths (`PATH_COLUMNS`) or holds images."""
    frame = frame.rename(columns=str)
    held = (name for name in frame if frame[name].dtype == object and len(frame) and is_image(frame[name].iloc[0]))
    found = column or column_of_paths(frame.columns) or next(held, None)
    if found not in frame.columns:
        listed = ", ".join(map(repr, frame.columns)) or "none"
        raise InputError(f"The data frame has no column '{found or 'path'}' of paths or images among {listed}; pass its name, path_column=...")
    frame = frame.rename(columns={found: "path"} if found == "path" else {"path": "path (attribute)", found: "path"})
    return frame.assign(path=kept_paths(frame["path"]))


def _of_arrow(images: Any) -> pd.DataFrame:
    frame = from_arrow(pa.table(images))
    objects = [name for name, kind in images.schema.items() if str(kind) == "Object"] if hasattr(images, "to_series") else ()
    return frame.assign(**{name: images[name].to_list() for name in objects})  # of polars, which gives their addresses to Arrow


def _of_datasets(dataset: Any, column: str | None) -> pd.DataFrame:
    """The rows of a dataset of `datasets`, with ClassLabels as their names, and of a DatasetDict with `split`."""
    if isinstance(dataset, Mapping):
        frames = {split: _of_datasets(part, column) for split, part in dataset.items()}
        return pd.concat([frame if "split" in frame else frame.assign(split=split) for split, frame in frames.items()], ignore_index=True)
    kinds, raw = {name: type(feature).__name__ for name, feature in dataset.features.items()}, dataset.with_format("arrow")
    column = column or next((name for name, kind in kinds.items() if kind == "Image"), None)
    others = [name for name, kind in kinds.items() if name != column and kind not in _MEDIA]
    frame = plain_cells(from_arrow(raw.select_columns(others)[:])) if others else pd.DataFrame(index=range(len(dataset)))
    for name in (name for name in others if kinds[name] == "ClassLabel"):
        frame[name] = frame[name].map(dict(enumerate(dataset.features[name].names)))
    if column is None:
        return _with_images(frame, None)
    cells = raw.select_columns([column])
    kept = (cell for begin in range(0, len(cells), _ROWS) for cell in cells[begin : begin + _ROWS].column(0).to_pylist())
    frame = frame.rename(columns={"path": "path (attribute)"})
    frame.insert(0, "path", _in_files(dataset, column) or kept_paths(kept))
    return frame


def _in_files(dataset: Any, column: str) -> list[str]:
    """Paths of the images in the files that a dataset was read from; [] if its rows are not theirs: it may be in memory, a slice, or renamed."""
    opened = {each["filename"]: open_columns(Path(each["filename"])) for each in dataset.cache_files}
    files = {name: file for name, file in opened.items() if column in file.schema_arrow.names}  # another may hold the order of the rows
    if not files or not dataset.data.column(column).equals(
        pa.chunked_array([c for each in files.values() for c in each.table.column(column).chunks])
    ):
        return []
    paths = [path for name, file in files.items() for path in cell_paths(file, name, column)]
    return paths if dataset._indices is None else [paths[row] for row in dataset._indices.column(0).to_pylist()]


def _items(images: Any, rows: list[dict[str, Any]]) -> Iterator[Any]:
    """The images of a list or dataset, paths if it has `samples` or is a Subset of such; their attributes are appended to `rows`."""
    base, numbers = (images.dataset, images.indices) if hasattr(images, "indices") and hasattr(images, "dataset") else (images, None)
    samples, classes = getattr(base, "samples", None) or getattr(base, "imgs", None), getattr(base, "classes", None) or list[str]()
    items: Iterable[Any] = images if isinstance(images, _ORDERED) or is_torch(images) else (images[row] for row in range(len(images)))
    if isinstance(samples, list) and samples and isinstance(samples[0], tuple) and isinstance(samples[0][0], str | Path):
        items = samples if numbers is None else (samples[row] for row in numbers)
    for item in items:
        if isinstance(item, Mapping) and not is_image(item):
            image = next((name for name in (*PATH_COLUMNS, *item) if is_image(item.get(name)) or (name in PATH_COLUMNS and name in item)), None)
            item, values = item.get(image, item), {str(name): _scalar(value) for name, value in item.items() if name != image}
        else:
            item, label = (item[0], _scalar(item[1])) if isinstance(item, tuple | list) and len(item) > 1 else (item, None)
            values = {"label": classes[label] if isinstance(label, int) and 0 <= label < len(classes) else label}
        rows.append({name: value for name, value in values.items() if value is not None})
        yield item


def _scalar(value: Any) -> Any:
    """A text, number or truth, also in an array without axes; None for others."""
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    return value if isinstance(value, str | int | float | bool) else None


def _column(name: str, given: Any, rows: int, index: "pd.Index[Any] | None") -> "pd.Series[Any]":
    if isinstance(given, pd.Series) and not (given.index.equals(pd.RangeIndex(len(given))) or (index is not None and given.index.equals(index))):
        first = ", ".join(map(repr, given.index[:3].tolist()))
        raise InputError(
            f"The labels '{name}' are a Series with the index {first} ..., which is not that of the {rows} rows; pass its values in the order of the "
            f"rows, as `.to_numpy()` gives them."
        )
    values = to_numpy(given) if is_torch(given) else given
    if isinstance(values, str | bytes | set | frozenset | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"The labels '{name}' are {kind_of(values)}, {str(values)[:80]!r}; pass one label per row.")
    if not isinstance(values, np.ndarray | pd.DataFrame | pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        values = list(values)
    shape = np.shape(values) if isinstance(values, np.ndarray | pd.DataFrame) else (len(values),)
    if shape != (rows,):
        raise InputError(f"The labels '{name}' have shape {shape} for {rows} rows; pass one label per row.")
    column = _exact(values)
    held = next((value for value in column if isinstance(value, _LISTS)), None) if column.dtype == object else None
    if held is not None:
        raise InputError(
            f"The labels '{name}' hold {kind_of(held)}, first {str(held)[:80]}, but an attribute has one value per image; join them as text, "
            "or pass one attribute each."
        )
    return column


def _exact(values: Any) -> "pd.Series[Any]":
    """A column of the narrowest type that holds every value exactly."""
    if not isinstance(values, list):
        return pd.Series(values).reset_index(drop=True)
    kept = pd.Series(values, dtype=object)
    plain = kept.infer_objects()
    pairs: Iterator[tuple[Any, Any]] = zip(plain.tolist(), values, strict=True)
    same = all(type(a) is type(b) or (isinstance(a, float | int) and a == b) for a, b in pairs)
    return plain if same else kept


_BATCH = 64  # images
_PNG_MODES = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
WAYS = "pass paths of files, PIL images, arrays, bytes, a data frame or dataset of them, or what `lk.read` gives"


def kept_paths(images: Iterable[Any]) -> list[str]:
    """The path of each image: of a path itself, of PIL images, arrays, encoded bytes and {"bytes", "path"} their cell of the file.

    Arrays are (h, w), (h, w, 1, 3 or 4), or of torch (1, 3 or 4, h, w): integers from 0 to 255, or floats from 0 to 1, which are rounded to 8 bits.
    Raises InputError for anything else.
    """
    paths, digest, count = list[str | int](), hashlib.sha256(), 0

    def encoded() -> Iterator[bytes]:
        nonlocal count
        for row, image in enumerate(images):
            found = _path_or_bytes(image, row)
            paths.append(found if isinstance(found, str) else count)
            if isinstance(found, bytes):
                count += 1
                digest.update(hashlib.sha256(found).digest())
                yield found

    contents, schema = encoded(), pa.schema({"image": pa.binary()})
    batches = iter(lambda: list(islice(contents, _BATCH)), [])
    if first := next(batches, None):
        folder = cache_dir() / "images"
        staging = folder / f".{secrets.token_hex(8)}.partial"
        make_folder(folder)
        try:
            with pa.ipc.new_file(str(staging), schema) as writer:
                for batch in chain([first], batches):
                    writer.write(pa.record_batch([pa.array(batch, pa.binary())], schema))
            file = folder / f"{digest.hexdigest()[:32]}.arrow"
            if not file.exists():
                staging.replace(file)
        finally:
            staging.unlink(missing_ok=True)
    return [path if isinstance(path, str) else part_path(str(file), Part(column="image", row=path)) for path in paths]


def is_image(value: Any) -> bool:
    """True for an image in memory: bytes, a dict with bytes or a path, a PIL image, or an array with two or three axes."""
    if isinstance(value, Mapping):
        return {"bytes", "path"} <= value.keys()
    return isinstance(value, bytes) or hasattr(value, "getbands") or (hasattr(value, "shape") and len(value.shape) in (2, 3))


def _path_or_bytes(image: Any, row: int) -> str | bytes:
    if isinstance(image, Mapping):
        image = image.get("bytes") or image.get("path") or image
    if isinstance(image, str | Path):
        return name_to_text(str(image))
    if isinstance(image, bytes | bytearray | memoryview):
        return bytes(image)
    if not is_image(image) or isinstance(image, Mapping):
        raise InputError(f"Image {row} is {kind_of(image)}; {WAYS}.")
    picture, content = image if hasattr(image, "getbands") else _picture(image, row), io.BytesIO()
    if picture.mode in _PNG_MODES:
        picture.save(content, "PNG", exif=picture.getexif(), compress_level=1)
    else:
        picture.save(content, "TIFF", exif=picture.getexif())
    return content.getvalue()


def _picture(array: Any, row: int) -> Any:
    values = np.moveaxis(to_numpy(array), 0, -1) if is_torch(array) and array.ndim == 3 else to_numpy(array)
    most = 1 if values.dtype.kind in "fb" else 255
    if not (values.min() >= 0 and values.max() <= most):
        raise InputError(f"Image {row} has values from {values.min():g} to {values.max():g}; pass integers to 255, or floats from 0 to 1.")
    values = np.rint(values * np.float64(255 / most)).astype(np.uint8)
    return Image.fromarray(values[..., 0] if values.shape[2:] == (1,) else values)


def kind_of(value: Any) -> str:
    """ "a str", "a torch Tensor": the type of a value in words."""
    module = type(value).__module__.split(".")[0]
    return f"a {type(value).__name__}" if module == "builtins" else f"a {module} {type(value).__name__}"
