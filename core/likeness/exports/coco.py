"""Export to COCO: images, categories, and per class of an image an annotation whose box is the whole image.

Format: https://cocodataset.org/#format-data. COCO has no image-level classes, only boxes and outlines of objects; hence the boxes.
"""

import json
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.exports.material import Material
from likeness.exports.plain_columns import class_attributes, class_values, plain_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import image_size, name_to_text, write_atomic
from likeness.progress import Progress

_EVERY = 100


def write_coco(material: Material, path: Path, options: ExportOptions, progress: Progress) -> Written:
    """A COCO file: each class of an image is an annotation around the whole image; other attributes are stored with it.

    `file_name` is the path in the table; what COCO has no field for is in `attributes` of each image and `supercategory` of each category.
    """
    paths = material.paths()
    attributes = class_attributes(material.attributes, options.label)
    categories, annotations = categories_of(material, attributes)
    values = {name: plain_values(material.attributes[name]) for name in material.attributes}
    images: list[dict[str, Any]] = []
    for row, (name, file) in enumerate(zip(material.names, paths, strict=True)):
        try:
            width, height = image_size(file)
        except OSError as error:
            raise InputError(f"'{name}' cannot be read as an image ({error}); export the others, by `rows` or --only.") from error
        about = {each: values[each][row] for each in values if values[each][row] is not None}
        images.append({"id": row + 1, "file_name": str(name), "width": width, "height": height, "attributes": about})
        if row % _EVERY == 0:
            progress(row + 1, len(paths))
    for each in annotations:
        width, height = (images[each["image_id"] - 1][side] for side in ("width", "height"))
        each |= {"bbox": [0, 0, width, height], "area": width * height, "iscrowd": 0}
        each["segmentation"] = [[0, 0, width, 0, width, height, 0, height]]
    info = {"description": material.table.name} | ({} if material.portable else {"images_in": name_to_text(str(material.table.root))})
    content = {"info": info, "licenses": [], "images": images, "annotations": annotations, "categories": categories}
    write_atomic(path, json.dumps(content, ensure_ascii=False).encode())
    return Written(len(images), note=f"{len(categories):,} categories of {', '.join(attributes) or 'no attribute'}")


def categories_of(material: Material, attributes: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Categories, and an annotation without a box for each value of an image; a tag is the category of its name if yes, none if no.

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
    return list(categories.values()), annotations


TARGET = Target("coco", "COCO", "images", write_coco, ("label",), ending=".json", several=True)
