"""Exports of FiftyOne as FiftyOneDataset: `metadata.json`, and `samples.json` with a document per image."""

from pathlib import Path
from typing import Any

from likeness.data.format import Box, Format, LabeledImage, ReadOptions, document, labeled_table, plain
from likeness.data.table import ImageTable

_OWN = ("id", "filepath", "metadata", "created_at", "last_modified_at")
_FILES = ("metadata.json", "samples.json")


def read_fiftyone(path: Path, options: ReadOptions) -> ImageTable:
    """The samples with their fields, tags and classifications; with `regions`, a row per detection."""
    return labeled_table([_image(sample) for sample in document(path / _FILES[1])["samples"]], path, path, options)


def _image(sample: dict[str, Any]) -> LabeledImage:
    attributes, boxes = dict[str, Any](), list[Box]()
    for name, value in sample.items():
        kind = value.get("_cls") if isinstance(value, dict) else None
        if kind in ("Detection", "Detections"):
            for each in value["detections"] if kind == "Detections" else [value]:
                x, y, w, h = (100 * float(side) for side in each["bounding_box"])
                boxes.append(Box(str(each["label"]), (x, y, w, h), percent=True))
        elif name not in _OWN and not name.startswith("_"):
            several = [each["label"] for each in value["classifications"]] if kind == "Classifications" else value
            attributes[name] = value.get("label") if kind == "Classification" else several
    return LabeledImage(str(sample["filepath"]), plain(attributes), boxes)


_TITLE = "an export of FiftyOne"
FORMAT = Format("fiftyone", _TITLE, "`export/`", lambda path: all((path / name).is_file() for name in _FILES), read_fiftyone, takes="regions")
