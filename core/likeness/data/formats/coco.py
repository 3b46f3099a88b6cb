"""Annotations as COCO has them (Lin et al., 2014): https://cocodataset.org/#format-data."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from likeness.data.captions_column import CAPTIONS_COLUMN, captions_cell
from likeness.data.format import Box, Format, LabeledImage, ReadOptions, document, head, labeled_table, plain
from likeness.data.table import ImageTable

_IMAGES = re.compile(r'\s*\{.*"(images|annotations)"\s*:\s*\[\s*\{', re.DOTALL)
_FILES = ("_annotations.coco.json", "*/_annotations.coco.json", "annotations/instances_*.json", "annotations/captions_*.json", "labels.json")


def read_coco(path: Path, options: ReadOptions) -> ImageTable:
    """Images with their categories, captions and splits; with `regions`, a row per object.

    All files of a folder as COCO, Roboflow or FiftyOne write it (`annotations/instances_*.json`, `captions_*.json`, `train/_annotations.coco.json`).
    """
    files, root, found = [path] if path.is_file() else _files(path), path if path.is_dir() else path.parent, dict[str, LabeledImage]()
    splits = [file.stem.partition("_")[2] if file.parent.name == "annotations" else file.parent.name for file in files]
    for file, split in zip(files, splits, strict=True):
        for image in _images(file, root, split):
            known = found.get(image.path, LabeledImage(image.path, {"split": split} if len({*splits}) > 1 else {}))
            found[image.path] = LabeledImage(image.path, {**known.attributes, **image.attributes}, [*known.boxes, *image.boxes])
    return labeled_table([*found.values()], path, root, options)


def _files(folder: Path) -> list[Path]:
    return [file for pattern in _FILES for file in sorted(folder.glob(pattern)) if _IMAGES.match(head(file))]


def _images(file: Path, root: Path, split: str) -> list[LabeledImage]:
    content, objects, images = document(file), defaultdict[Any, list[dict[str, Any]]](list), []
    categories = {each["id"]: str(each["name"]) for each in content.get("categories", ())}
    for each in content.get("annotations", ()):
        objects[each["image_id"]].append(each)
    places = [file.parent, *(root / first / last for first in ("", "images", "data") for last in (split, "")), file.parent.parent / split]
    places += [Path(str(content.get("info", {}).get("images_in", root)))]  # of our own export
    place = next((place for place in places if (place / content["images"][0]["file_name"]).is_file()), root)
    for entry in content["images"]:
        own, attributes = objects[entry["id"]], plain(entry.get("attributes"))
        if captions := [str(each["caption"]).strip() for each in own if "caption" in each]:
            attributes[CAPTIONS_COLUMN] = captions_cell(captions)
        boxes = []
        for each in (each for each in own if each.get("bbox")):
            x, y, w, h = map(float, each["bbox"])
            boxes.append(Box(categories[each["category_id"]], (x, y, w, h), attributes=plain(each.get("attributes"))))
        name = place / entry["file_name"]
        images.append(LabeledImage((name.relative_to(root) if name.is_relative_to(root) else name).as_posix(), attributes, boxes))
    return images


def _matches(path: Path) -> bool:
    return bool(_files(path)) or (path.suffix.lower() == ".json" and _IMAGES.match(head(path)) is not None)


FORMAT = Format("coco", "COCO", "`coco/`, `instances.json`", _matches, read_coco, takes="regions")
