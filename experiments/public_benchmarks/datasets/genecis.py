"""GeneCIS (Vaze, Carion and Misra, A Benchmark for General Conditional Image Similarity, CVPR 2023, arXiv 2306.07969) in its official layout."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data import Dataset, ImageTable, OfficialLayout, check_split

GENECIS_TASKS = ("focus_attribute", "change_attribute", "focus_object", "change_object")
LAYOUT = OfficialLayout(
    "GeneCIS", "https://github.com/facebookresearch/genecis", tuple(f"{place}{task}.json" for place in ("genecis/", "") for task in GENECIS_TASKS)
)
_COCO, _GENOME = ("val2017", "coco/val2017"), ("VG_100K_all", "VG_100K", "VG_100K_2")
_LARGEST = 1e6  # pixels


@dataclass(frozen=True)
class TemplateImage:
    """An image of a template: its path in the dataset's folder, and in the tasks of attributes the box of the object (left, top, width, height)."""

    path: str
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class ConditionTemplate:
    """A question of a task: which image is like the reference under the condition?

    Attributes:
        reference: the image that asks.
        condition: the text that asks.
        target: the only image that answers.
        gallery: the others among which it is to be found.
    """

    reference: TemplateImage
    condition: str
    target: TemplateImage
    gallery: tuple[TemplateImage, ...]


def read_genecis(folder: str | Path, split: str = "test") -> ImageTable:
    """The images of the benchmark's templates, each once. Column `tasks`: those that show it, separated by commas.

    Files: `focus_attribute.json`, `change_attribute.json`, `focus_object.json`, `change_object.json`, here or in `genecis/`, of which one at least is
    there; the images of COCO's validation part of 2017 in `val2017/` (`coco/val2017/`), those of Visual Genome 1.2 in `VG_100K_all/`, or as Visual
    Genome is published in `VG_100K/` and `VG_100K_2/`.

    Args:
        folder: the folder that has all these, or the one it lies in.
        split: a task, or "test" and "all": every task whose file is there.

    Raises:
        InputError: a missing or damaged file, an unknown or empty split, or no image at all.
    """
    check_split(split, ("test", *GENECIS_TASKS, "all"))
    root = LAYOUT.root(folder)
    tasks = (split,) if split in GENECIS_TASKS else genecis_tasks(root)
    shown: dict[str, list[str]] = {}
    for task in tasks:
        for template in read_templates(root, task):
            for image in (template.reference, template.target, *template.gallery):
                shown.setdefault(image.path, []).append(task)
    rows = [(path, ", ".join(dict.fromkeys(found))) for path, found in shown.items()]
    return LAYOUT.table(root, pd.DataFrame(rows, columns=["path", "tasks"], dtype=object), split, _file(root, tasks[0]))


def genecis_tasks(root: Path) -> tuple[str, ...]:
    """The tasks whose files lie in the dataset's folder."""
    return tuple(task for task in GENECIS_TASKS if any((root / place / f"{task}.json").exists() for place in ("genecis", "")))


def read_templates(root: Path, task: str) -> list[ConditionTemplate]:
    """The templates of a task, some 2,000.

    Raises:
        InputError: the file is missing or damaged.
    """
    file = _file(root, task)
    coco = next((place for place in _COCO if (root / place).is_dir()), _COCO[0])
    return [_template(file, number, entry, root, coco) for number, entry in enumerate(LAYOUT.json(file, list), start=1)]


def _template(file: Path, number: int, entry: Any, root: Path, coco: str) -> ConditionTemplate:
    try:
        condition, gallery = entry["condition"], tuple(_image(one, root, coco) for one in entry["gallery"])
        if not isinstance(condition, str) or not condition.strip() or not gallery:
            raise ValueError("no condition or gallery")
        return ConditionTemplate(_image(entry["reference"], root, coco), condition.strip(), _image(entry["target"], root, coco), gallery)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        expected = "a condition and images as reference, target and gallery, by val_image_id, or image_id and instance_bbox of four numbers"
        raise LAYOUT.malformed(file, f"template {number}", json.dumps(entry), expected) from error


def _image(one: Any, root: Path, coco: str) -> TemplateImage:
    if "val_image_id" in one:
        return TemplateImage(f"{coco}/{int(one['val_image_id']):012d}.jpg")
    left, top, width, height = (float(value) for value in one["instance_bbox"])
    if not (0 < width < _LARGEST and 0 < height < _LARGEST and abs(left) < _LARGEST and abs(top) < _LARGEST):  # nor what is no number
        raise ValueError("no box")
    name = f"{int(one['image_id'])}.jpg"
    place = next((place for place in _GENOME if (root / place / name).exists()), _GENOME[0])
    return TemplateImage(f"{place}/{name}", (left, top, width, height))


def _file(root: Path, task: str) -> Path:
    return LAYOUT.find(root, f"genecis/{task}.json", f"{task}.json")


_HELP = "Queries of an image and a condition in four tasks: focus on or change an attribute or object."
DATASET = Dataset("genecis", LAYOUT.name, _HELP, read_genecis, LAYOUT)
