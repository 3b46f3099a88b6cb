"""Export to folders for training and validation with Ultralytics YOLO: of classes, or of images and their boxes.

Formats: https://docs.ultralytics.com/datasets/classify: `train/CLASS/FILE` and `val/CLASS/FILE`. Classes are the folders in alphabetical order,
numbered separately in each part, so that every class must be in every part. https://docs.ultralytics.com/datasets/detect: `images/train/FILE`, and
`labels/train/FILE.txt` with a line for each box: number of the class, center, width and height, in shares of the upright image.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from likeness.errors import InputError
from likeness.exports.links import TABLE, class_texts, folder_names, link_of, one_label, put_files, write_image_table
from likeness.exports.material import Material
from likeness.exports.plain_columns import plain_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import image_size, split_part
from likeness.progress import Progress

PARTS = ("train", "val", "test")


def write_yolo(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """Folders of classes for training and validation, as Ultralytics YOLO and torchvision's ImageFolder read them.

    It also writes a list of files per part, `data.yaml` with the class names, and `metadata.csv` with all attributes.

    Images without a class are skipped. Without `split`, a share `val` of each class is drawn for validation, at least one image each. If there are
    regions, their images and boxes are written for detection instead, and a share `val` of the images is drawn.
    """
    label = one_label(material, options.label)
    texts = class_texts(material, label)
    if any(split_part(str(name))[1] is not None for name in material.names):
        return _write_boxes(material, folder, options, label, texts, progress)
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
    for part in set(parts):
        listed = "".join(f"./{file}\n" for file, of in zip(files, parts, strict=True) if of == part)
        (folder / f"{part}.txt").write_text(listed, encoding="utf-8")
    _write_names(folder, parts, sorted(set(folders)))
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


def _write_boxes(material: Material, folder: Path, options: ExportOptions, label: str, texts: list[str], progress: Progress) -> Written:
    sources, classes = material.paths(regions=True), sorted({text for text in texts if text})
    images = list(dict.fromkeys(sources))
    if options.split is None:
        part_of = dict(zip(images, drawn_parts([""] * len(images), options.val, options.seed), strict=True))
    else:
        given = _given_parts(material, options.split, list(range(len(material))))
        part_of = dict(zip(sources, given, strict=True))
        wrong = next((row for row, source in enumerate(sources) if part_of[source] != given[row]), None)
        if wrong is not None:
            raise InputError(f"The regions of '{sources[wrong].name}' are in several parts by '{options.split}'; put all of an image into one.")
    count: Counter[tuple[str, str]] = Counter()
    subfolders = []
    for image in images:  # labels are found by the name without its suffix, which two images may share
        stem = part_of[image], image.stem.casefold()
        count[stem] += 1
        subfolders.append(f"images/{part_of[image]}" + (f"/{count[stem]}" if count[stem] > 1 else ""))
    files = dict(zip(images, put_files(folder, images, subfolders, link_of(material, options), progress), strict=True))
    lines: dict[Path, list[str]] = {image: [] for image in images}
    for source, name, text in zip(sources, material.names, texts, strict=True):
        part = split_part(str(name))[1]
        if part is not None and text:
            try:
                width, height = image_size(source)
                x, y, w, h = part.clipped(width, height)
            except (OSError, ValueError) as error:
                raise InputError(f"'{name}' cannot be read as an image ({error}); export the others, by `rows` or --only.") from error
            shares = ((x + w / 2) / width, (y + h / 2) / height, w / width, h / height)
            lines[source].append(" ".join([str(classes.index(text)), *(f"{share:.9f}" for share in shares)]))
    for image, file in files.items():
        labels = (folder / "labels" / file.partition("/")[2]).with_suffix(".txt")
        labels.parent.mkdir(parents=True, exist_ok=True)
        labels.write_text("".join(f"{line}\n" for line in lines[image]), encoding="utf-8")
    _write_names(folder, list(part_of.values()), classes, "images/")
    listed = [files[source] + name[len(split_part(name)[0]) :] for source, name in zip(sources, material.names, strict=True)]
    write_image_table(folder / TABLE, material, listed)
    left = sum(not text for text in texts)
    note = f"{left:,} rows without a '{label}' have no box." if left else ""
    return Written(len(images), note=f"{note} Train with: yolo detect train data={{place}}/data.yaml".strip())


def _write_names(folder: Path, parts: list[str], names: list[str], below: str = "") -> None:
    places = {part: f"{below}{part}" for part in PARTS if part in parts}
    about: dict[str, Any] = {"path": ".", **places, "nc": len(names), "names": dict(enumerate(names))}
    (folder / "data.yaml").write_text(yaml.safe_dump(about, sort_keys=False, allow_unicode=True), encoding="utf-8")


TARGET = Target("yolo", "YOLO", "images", write_yolo, ("label", "val", "split", "link", "seed"))
