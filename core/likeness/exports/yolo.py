"""Export to folders of classes for training and validation, for classification with Ultralytics YOLO.

Format: https://docs.ultralytics.com/datasets/classify: `train/CLASS/FILE` and `val/CLASS/FILE`. Classes are the folders in alphabetical order,
numbered separately in each part, so that every class must be in every part.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from likeness.errors import InputError
from likeness.exports.links import TABLE, class_texts, folder_names, link_of, one_label, put_files, write_image_table
from likeness.exports.material import Material
from likeness.exports.plain_columns import plain_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.progress import Progress

PARTS = ("train", "val", "test")


def write_yolo(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """Folders of classes for training and validation, as Ultralytics YOLO and torchvision's ImageFolder read them.

    It also writes a list of files per part, `data.yaml` with the class names, and `images.csv` with all attributes.

    Images without a class are skipped. Without `split`, a share `val` of each class is drawn for validation, at least one image each.
    """
    label = one_label(material, options.label)
    texts = class_texts(material, label)
    kept = [row for row, text in enumerate(texts) if text]
    if not kept:
        raise InputError(f"No image has a '{label}', so there is no class to train; label some first.")
    classes = [texts[row] for row in kept]
    parts = drawn_parts(classes, options.val, options.seed) if options.split is None else _given_parts(material, options.split, kept)
    _check_parts(classes, parts)
    chosen = Material(material.table, kept, portable=material.portable)
    folders = folder_names(classes)
    for part in set(parts):
        for each in set(folders):
            (folder / part / each).mkdir(parents=True)
    subfolders = [f"{part}/{each}" for part, each in zip(parts, folders, strict=True)]
    files = put_files(folder, chosen.paths(), subfolders, link_of(material, options), progress)
    _write_lists(folder, files, parts, sorted(set(folders)))
    write_image_table(folder / TABLE, chosen, files)
    left = len(material) - len(kept)
    note = f"{left:,} images without a '{label}' were skipped." if left else ""
    return Written(len(kept), note=f"{note} Train with: yolo classify train data={{place}}".strip())


def drawn_parts(classes: list[str], val: float, seed: int) -> list[str]:
    """ "val" for a share of each class, at least one image if val > 0, "train" for the others.

    Example:
        >>> drawn_parts(["a", "a", "b", "b"], 0.5, seed=0).count("val")
        2
    """
    parts = np.full(len(classes), "train", dtype=object)
    given = np.array(classes, dtype=object)
    draw = np.random.default_rng(seed)
    for each in sorted(set(classes)) if val else ():
        rows = np.flatnonzero(given == each)
        parts[draw.permutation(rows)[: max(1, round(val * len(rows)))]] = "val"
    return [str(part) for part in parts]


def _given_parts(material: Material, split: str, kept: list[int]) -> list[str]:
    if split not in material.attributes:
        raise InputError(f"There is no attribute '{split}'; there are {', '.join(material.table.attributes) or 'none'}.")
    values: list[Any] = plain_values(material.attributes[split])
    parts = [str(values[row]).lower() for row in kept]
    wrong = next((part for part in parts if part not in PARTS), None)
    if wrong is not None:
        raise InputError(f"'{split}' has the value '{wrong}', expected one of {', '.join(PARTS)}; correct it, or use val for a random split.")
    return parts


def _check_parts(classes: list[str], parts: list[str]) -> None:
    counts = Counter(zip(classes, parts, strict=True))
    lacking = [(each, part) for each in sorted(set(classes)) for part in sorted({"train", *parts}) if not counts[each, part]]
    if lacking:
        each, part = lacking[0]
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        raise InputError(
            f"The class '{each}'{more} would have no image in '{part}', so class numbers would differ between parts; exclude it, add "
            "images, or use val=0."
        )


def _write_lists(folder: Path, files: list[str], parts: list[str], names: list[str]) -> None:
    import yaml

    there = [part for part in PARTS if part in parts]
    for part in there:
        listed = "".join(f"./{file}\n" for file, of in zip(files, parts, strict=True) if of == part)
        (folder / f"{part}.txt").write_text(listed, encoding="utf-8")
    about: dict[str, Any] = {"path": ".", **{part: part for part in there}, "nc": len(names), "names": dict(enumerate(names))}
    (folder / "data.yaml").write_text(yaml.safe_dump(about, sort_keys=False, allow_unicode=True), encoding="utf-8")


TARGET = Target("yolo", "YOLO classification", "images", write_yolo, ("label", "val", "split", "link", "seed"))
