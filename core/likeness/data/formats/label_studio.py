"""Label Studio's JSON of tasks and annotations (https://labelstud.io/guide/export), as JSON or JSON-MIN."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from likeness.data.format import Box, Format, LabeledImage, ReadOptions, document, head, labeled_table, plain
from likeness.data.readers.folder import has_image_suffix
from likeness.data.table import ImageTable

_TASKS = re.compile(r'\s*\[\s*\{.*"(annotations|annotator|annotation_id)"\s*:', re.DOTALL)
_UPLOADED = re.compile(r"[0-9a-f]{8}-")  # what an upload adds to a name
_OWN = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")  # of JSON-MIN
_ANSWERS = ("choices", "taxonomy", "rating", "number", "text")


def read_label_studio(path: Path, options: ReadOptions) -> ImageTable:
    """Tasks with their data, choices, ratings and texts; with `regions`, a row per rectangle.

    Of the annotations the last counts that was not canceled. Images are looked for by path and name, beside the file, in `images` and `upload`.
    """
    images = [_image(task, path.parent) for task in document(path)]
    return labeled_table([image for image in images if image is not None], path, path.parent, options)


def _image(task: dict[str, Any], root: Path) -> LabeledImage | None:
    data, kept = task.get("data", task), [each for each in task.get("annotations") or () if not each.get("was_cancelled")]
    image = next((name for name, value in data.items() if isinstance(value, str) and has_image_suffix(_place(value))), None)
    if image is None:
        return None
    attributes, boxes = plain({name: value for name, value in data.items() if name not in (image, *_OWN)}), list[Box]()
    lists = [(name, value if isinstance(value, list) else [value]) for name, value in data.items() if data is task]
    results = [{"from_name": name, "value": each} for name, listed in lists for each in listed if isinstance(each, dict)]
    for result in (each for each in (kept[-1]["result"] if kept else results) if "value" in each):
        value = result["value"]
        for label in value.get("rectanglelabels") or ():
            x, y, w, h = (float(value[side]) for side in ("x", "y", "width", "height"))
            boxes.append(Box(str(label), (x, y, w, h), percent=True))
        for answer in (value[name] for name in _ANSWERS if value.get(name)):
            attributes |= plain({result["from_name"]: answer[0] if isinstance(answer, list) and len(answer) == 1 else answer})
    place = _place(data[image])
    names = [place.lstrip("/"), Path(place).name, _UPLOADED.sub("", Path(place).name, count=1)]
    found = next((f"{folder}{name}" for name in names for folder in ("", "images/", "upload/") if (root / folder / name).is_file()), place)
    return LabeledImage(found, attributes, boxes)


def _place(text: str) -> str:
    """The path in a task's address: "/data/local-files/?d=a/b.jpg" is a/b.jpg."""
    parts = urlsplit(text)
    return parse_qs(parts.query).get("d", [unquote(parts.path)])[0]


def _matches(path: Path) -> bool:
    return path.suffix.lower() == ".json" and _TASKS.match(head(path)) is not None


FORMAT = Format("label-studio", "Label Studio's JSON", "`project.json`", _matches, read_label_studio, takes="regions")
