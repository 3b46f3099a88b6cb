"""Declaration of a format: a layout of files in which other programs keep images, labels or vectors; and what readers of several share."""

import inspect
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from likeness.data.columns import free_name
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import Part, as_path, name_to_text, parse_json, part_path, text_of, text_to_name

_LOOKED_AT = 1 << 16  # bytes of a file that tell its format


class ReadOptions(NamedTuple):
    """Options of `likeness.data.read_dataset`, as a reader gets them."""

    name: str | None = None
    path_column: str | None = None
    caption_column: str | None = None
    gps: bool = False
    remote: bool = False
    regions: bool = False


@dataclass(frozen=True)
class Format:
    """A format. Its file declares it as `FORMAT`; `likeness.data.formats` lists it.

    Attributes:
        name: as `read_dataset(..., as_=NAME)` takes it.
        form: how a source looks.
        matches: true for a path whose marks are unmistakable; it looks at names, and at most at the first bytes of a file.
        read: (path, options) -> table; or (vectors, table) if it gives a space. Whatever it raises on damaged files becomes an InputError.
        gives: "table", for `lk.read`; or "space", for `lk.load`.
        takes: options beyond name, gps and remote: "columns", "regions".
    """

    name: str
    title: str
    form: str
    matches: Callable[[Path], bool]
    read: Callable[[Path, ReadOptions], Any]
    gives: Literal["table", "space"] = "table"
    takes: Literal["columns", "regions", ""] = ""

    @property
    def help(self) -> str:
        """The first paragraph of the reader's docstring."""
        return " ".join(inspect.cleandoc(self.read.__doc__ or "").partition("\n\n")[0].split())


class Box(NamedTuple):
    """An object in an image: what it is, and left, top, width and height in pixels, or with `percent` in percent of the image."""

    label: str
    sides: tuple[float, float, float, float]
    percent: bool = False
    attributes: Mapping[str, Any] = {}


class LabeledImage(NamedTuple):
    """An image in somebody's annotations: its path relative to the table's folder, attributes, and objects."""

    path: str
    attributes: Mapping[str, Any]
    boxes: Sequence[Box] = ()


def labeled_table(images: Sequence[LabeledImage], path: Path, root: Path, options: ReadOptions) -> ImageTable:
    """A row per image with its attributes, and what is in it as `label`, or `labels` if an image has several; or with `regions` a row per box. Raises
    InputError if there is none, or no image is there.
    """
    if not any(os.path.isfile(root / text_to_name(image.path)) for image in images):
        first = ", ".join(f"'{image.path}'" for image in images[:3]) or "none"
        raise InputError(f"None of the {len(images):,} images that '{path.name}' lists is in '{root}' (the first are {first}); put them there.")
    if options.regions:
        parts = [(image, box, part_path(image.path, Part(box=box.sides, percent=box.percent))) for image in images for box in image.boxes]
        images = [LabeledImage(place, {**image.attributes, **box.attributes}, [box]) for image, box, place in parts]
    if not images:
        raise InputError(f"'{path.name}' has no boxes; read its images without `regions`.")
    frame = pd.DataFrame([image.attributes for image in images], index=range(len(images))).rename(columns={"path": "path (attribute)"})
    frame.insert(0, "path", [image.path for image in images])
    labels = [sorted({box.label for box in image.boxes}) for image in images]
    if any(labels):
        several = any(len(each) > 1 for each in labels)
        texts = [(json.dumps(each, ensure_ascii=False) if several else each[0]) if each else None for each in labels]
        frame[free_name("labels" if several else "label", {*frame}, "annotated")] = texts
    return ImageTable(shown_name(path, options), root, frame)


def plain(values: Any) -> dict[str, Any]:
    """The attributes among the fields of a document: texts, numbers and truths, and lists of texts as JSON; others are left out."""
    fields = values if isinstance(values, dict) else {}
    texts = {name: value for name, value in fields.items() if isinstance(value, list) and value and all(isinstance(each, str) for each in value)}
    lists = {name: json.dumps(value, ensure_ascii=False) for name, value in texts.items()}
    return {name: lists.get(name, value) for name, value in fields.items() if name in lists or isinstance(value, str | int | float | bool)}


def document(path: Path) -> Any:
    """The content of a JSON file. Raises InputError if it may not be read, is missing or no JSON."""
    return parse_json(text_of(as_path(path)), f"'{path.name}'")


def head(path: Path) -> str:
    """The first characters of a file; "" if there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(_LOOKED_AT).decode("utf-8", "replace")


def shown_name(path: Path, options: ReadOptions) -> str:
    """The name of a table: as given, or that of the folder or file."""
    return options.name or name_to_text(path.name if path.is_dir() else path.name.partition(".")[0])
