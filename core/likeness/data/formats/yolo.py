"""Detection data of Ultralytics YOLO: `data.yaml`, and beside folders `images` folders `labels` with a text file per image.

Format: https://docs.ultralytics.com/datasets/detect and /segment: a line per object, its class, and center, width and height of its box, or the
corners of its outline, as shares of the image.
"""

from dataclasses import replace
from pathlib import Path

from likeness.data.format import Box, Format, LabeledImage, ReadOptions, head, labeled_table, shown_name
from likeness.data.readers.folder import read_folder
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import as_path, file_of, parse_yaml, text_of

_INDEXES = ("data.yaml", "classes.txt")  # Label Studio and LabelImg write a line per class


def read_yolo(path: Path, options: ReadOptions) -> ImageTable:
    """All images of the folder with the names of their objects; with `regions`, a row per object."""
    index = _index(path)
    text = text_of(as_path(index))
    content = {"names": text.splitlines()} if index.suffix == ".txt" else parse_yaml(text, f"'{index.name}'")
    given, listed = as_path(index.parent / str(content.get("path") or "")), content["names"]
    names = {int(key): str(name) for key, name in (listed.items() if isinstance(listed, dict) else enumerate(listed))}
    table, images = read_folder(given if given.is_dir() else index.parent, shown_name(index.parent, options), options.gps), []
    for file, row in zip(table.paths(), table.frame.to_dict("records"), strict=True):
        above, _, below = str(file_of(file).with_suffix(".txt")).rpartition("/images/")
        labels = as_path(f"{above}/labels/{below}" if above else below)
        lines = text_of(labels).splitlines() if labels.is_file() else []
        boxes = [_box(line, names, "kpt_shape" in content, labels) for line in lines if line.strip()]
        images.append(LabeledImage(str(row.pop("path")), {str(name): value for name, value in row.items()}, boxes))
    return replace(labeled_table(images, path, table.root, options), name=table.name, failed=table.failed, notes=table.notes)


def _box(line: str, names: dict[int, str], has_points: bool, file: Path) -> Box:
    try:
        number, *sides = map(float, line.split())
        x, y, w, h = sides[:4]
        left, top = x - w / 2, y - h / 2
        if len(sides) > 5 and not has_points:  # an outline
            left, top = min(sides[::2]), min(sides[1::2])
            w, h = max(sides[::2]) - left, max(sides[1::2]) - top
        return Box(names[int(number)], (100 * left, 100 * top, 100 * w, 100 * h), percent=True)
    except (ValueError, KeyError) as error:
        raise InputError(f"'{file.name}' has the line '{line[:80]}', expected one of the classes and the sides of a box; correct it.") from error


def _index(path: Path) -> Path:
    return next((path / name for name in _INDEXES if (path / name).is_file()), path)


def _matches(path: Path) -> bool:
    index, beside = _index(path), path.is_file() or any(any(path.glob(pattern)) for pattern in ("labels/", "*/labels/"))
    return beside and (index.name == _INDEXES[1] or (index.suffix in (".yaml", ".yml") and "names:" in head(index)))


FORMAT = Format("yolo", "YOLO", "`yolo/`, `data.yaml`", _matches, read_yolo, takes="regions")
