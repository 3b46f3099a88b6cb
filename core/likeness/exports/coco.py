"""Export to COCO: images, categories, and per class of an image or region an annotation with its box.

Format: https://cocodataset.org/#format-data. COCO has no image-level classes, only boxes and outlines of objects; hence the boxes of whole images.
"""

import json
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.exports.material import Material
from likeness.exports.plain_columns import class_attributes, class_values, plain_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import Part, image_size, name_to_text, split_part, write_atomic
from likeness.progress import Progress

_EVERY = 100


def write_coco(material: Material, path: Path, options: ExportOptions, progress: Progress) -> Written:
    """A COCO file: each class of an image is an annotation around the whole image, or around a region; other attributes are stored with it.

    `file_name` is the path in the table; what COCO has no field for is in `attributes` of each image, or of each region's annotations, and
    `supercategory` of each category. Regions without a class are of the category "object", and cut off at the image's edges.
    """
    paths = material.paths(regions=True)
    attributes = class_attributes(material.attributes, options.label)
    categories, annotations = categories_of(material, attributes)
    values = {name: plain_values(material.attributes[name]) for name in material.attributes}
    images: dict[Path, dict[str, Any]] = {}
    boxes: list[dict[str, Any]] = []
    for row, (name, file) in enumerate(zip(material.names, paths, strict=True)):
        (shown, part), about = split_part(str(name)), {each: values[each][row] for each in values if values[each][row] is not None}
        try:
            if file not in images:
                width, height = image_size(file)
                images[file] = {"id": len(images) + 1, "file_name": shown, "width": width, "height": height, "attributes": {}}
            image = images[file]
            x, y, w, h = (part or Part()).clipped(image["width"], image["height"])
        except (OSError, ValueError) as error:
            raise InputError(f"'{name}' cannot be read as an image ({error}); export the others, by `rows` or --only.") from error
        box = {"image_id": image["id"], "bbox": [x, y, w, h], "area": w * h, "iscrowd": 0}
        box["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
        (image if part is None else box)["attributes"] = about
        boxes.append(box)
        if row % _EVERY == 0:
            progress(row + 1, len(paths))
    for each in annotations:
        each |= boxes[each["image_id"] - 1]
    info = {"description": material.table.name} | ({} if material.portable else {"images_in": name_to_text(str(material.table.root))})
    content = {"info": info, "licenses": [], "images": list(images.values()), "annotations": annotations, "categories": categories}
    write_atomic(path, json.dumps(content, ensure_ascii=False).encode())
    return Written(len(material), note=f"{len(categories):,} categories of {', '.join(attributes) or 'no attribute'}")


def categories_of(material: Material, attributes: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Categories, and an annotation without a box for each value of a row, whose number from 1 is its `image_id`; a tag is the category of its name
    if yes, none if no. A region without a value is an "object".

    With several attributes, categories are named "ATTRIBUTE: VALUE", so that names are unique.
    """
    categories: dict[tuple[str, str], dict[str, Any]] = {}
    annotations: list[dict[str, Any]] = []
    columns = {name: class_values(material.attributes[name]) for name in attributes}
    for name, values in columns.items():
        for value in sorted({str(value) for value in values if value is not None and value is not False}):
            tag = value == "True" and any(each is True for each in values)
            title = name if tag else value if len(attributes) == 1 else f"{name}: {value}"
            categories[name, value] = {"id": len(categories) + 1, "name": title, "supercategory": name}
    for row in range(len(material)):
        for name, values in columns.items():
            if values[row] is not None and values[row] is not False:
                category = categories[name, str(values[row])]["id"]
                annotations.append({"id": len(annotations) + 1, "image_id": row + 1, "category_id": category})
    found = {each["image_id"] for each in annotations}
    bare = [row for row, name in enumerate(material.names, 1) if row not in found and split_part(str(name))[1] is not None]
    if bare:
        categories["", ""] = {"id": len(categories) + 1, "name": "object", "supercategory": ""}
    annotations += [{"id": len(annotations) + place, "image_id": row, "category_id": len(categories)} for place, row in enumerate(bare, 1)]
    return list(categories.values()), annotations


TARGET = Target("coco", "COCO", "images", write_coco, ("label",), ending=".json", several=True)
