"""Export to a folder that FiftyOne reads: `fiftyone.Dataset.from_dir(FOLDER, dataset_type=fiftyone.types.FiftyOneDataset)`.

Format: `metadata.json`, the dataset's document with the type of each field, and `samples.json`, a document for each image, both as MongoDB's extended
JSON (https://docs.voxel51.com/user_guide/export_datasets.html#fiftyonedataset). FiftyOne migrates documents of version 1.0 when it reads them.
"""

import json
import re
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from likeness.exports.image_files import FreeNames
from likeness.exports.links import link_of, put_files
from likeness.exports.material import Material
from likeness.exports.plain_columns import class_attributes, class_values, kind_of, plain_values
from likeness.exports.target import ExportOptions, Target, Written
from likeness.io import name_to_text
from likeness.progress import Progress

VERSION = "1.0.0"
_FIELDS = "fiftyone.core.fields."
_TYPES = {"bool": "BooleanField", "int": "IntField", "float": "FloatField", "text": "StringField"}
_ODD = re.compile(r"[^A-Za-z0-9_]+")
_TAKEN = ("id", "filepath", "tags", "metadata", "created_at", "last_modified_at", "embedding")
_DATA = "data"
_NOTHING: tuple[str, ...] = ("group_media_types", "app_config", "classes", "mask_targets", "default_mask_targets", "skeletons")
_NOTHING += ("annotation_runs", "brain_methods", "evaluations", "runs")


def write_fiftyone(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder that FiftyOne reads as a FiftyOneDataset: classes, tags and all other attributes.

    Class attributes become Classification fields, tags the samples' tags, others plain fields, and with `vectors` a field `embedding`. Images are
    referenced by path, or with `link` put into the folder, which can then be moved.
    """
    sources = material.paths()
    classes = class_attributes(material.attributes, options.label)
    tags = [str(name) for name in material.attributes if kind_of(material.attributes[name]) == "bool"]
    fields = field_names([str(name) for name in material.attributes if name not in tags])
    files = [name_to_text(str(source)) for source in sources]
    if options.link or material.portable:
        (folder / _DATA).mkdir()
        files = [f"{_DATA}/{file}" for file in put_files(folder / _DATA, sources, [""] * len(sources), link_of(material, options), progress)]
    (folder / "metadata.json").write_text(json.dumps(_dataset(material, fields, classes, options.vectors)), encoding="utf-8")
    with (folder / "samples.json").open("w", encoding="utf-8") as file:
        file.write('{"samples": [')
        for begin, sample in enumerate(_samples(material, files, fields, classes, tags, options.vectors, progress)):
            file.write((",\n" if begin else "\n") + json.dumps(sample, allow_nan=False))
        file.write("\n]}\n")
    renamed = [f"'{name}' is '{field}'" for name, field in fields.items() if name != field]
    return Written(len(material), note=f"Renamed fields, because FiftyOne does not accept their names: {', '.join(renamed)}." if renamed else "")


def field_names(attributes: list[str]) -> dict[str, str]:
    """A valid FiftyOne field name for each attribute: letters, digits and underscores, none of its reserved names.

    Example:
        >>> field_names(["car color", "id", "breed"])
        {'car color': 'car_color', 'id': 'id_2', 'breed': 'breed'}
    """
    names = FreeNames(_TAKEN, sign="_")
    return {name: names.of(_ODD.sub("_", name).strip("_") or "attribute") for name in attributes}


def _samples(
    material: Material, files: list[str], fields: dict[str, str], classes: list[str], tags: list[str], vectors: bool, progress: Progress
) -> Any:
    """Yields a document per image; vectors are read in chunks."""
    columns = {name: (class_values if name in classes else plain_values)(material.attributes[name]) for name in [*fields, *tags]}
    now = _date()
    rows = (vector for part in material.parts() for vector in material.vectors(part)) if vectors else None
    for row, file in enumerate(files):
        sample: dict[str, Any] = {
            "_id": _object_id(),
            "filepath": file,
            "tags": [name for name in tags if columns[name][row]],
            "metadata": None,
            "_media_type": "image",
            "_rand": row / len(files),
            "created_at": now,
            "last_modified_at": now,
        }
        for name, field in fields.items():
            value = columns[name][row]
            if name in classes and value is not None:
                value = {"_id": _object_id(), "_cls": "Classification", "tags": [], "label": str(value)}
            sample[field] = value
        if rows is not None:
            sample["embedding"] = next(rows).astype(float).tolist()
        yield sample
        progress(row + 1, len(files))


def _dataset(material: Material, fields: dict[str, str], classes: list[str], vectors: bool) -> dict[str, Any]:
    """The document of the dataset."""
    own = [
        _field("id", "ObjectIdField", db_field="_id"),
        _field("filepath", "StringField"),
        _field("tags", "ListField", subfield=f"{_FIELDS}StringField"),
        _field("metadata", "EmbeddedDocumentField", document="fiftyone.core.metadata.ImageMetadata", fields=_METADATA),
        _field("created_at", "DateTimeField"),
        _field("last_modified_at", "DateTimeField"),
    ]
    for name, field in fields.items():
        if name in classes:
            own.append(_field(field, "EmbeddedDocumentField", document="fiftyone.core.labels.Classification", fields=_CLASSIFICATION))
        else:
            own.append(_field(field, _TYPES[kind_of(material.attributes[name])]))
    if vectors:
        own.append(_field("embedding", "ListField", subfield=f"{_FIELDS}FloatField"))
    name = material.table.name
    return {
        "_id": _object_id(),
        "name": name,
        "slug": _ODD.sub("-", name).strip("-").lower() or "images",
        "version": VERSION,
        "created_at": _date(),
        "last_modified_at": _date(),
        "sample_collection_name": "samples",
        "persistent": False,
        "media_type": "image",
        "info": {"written_by": "likeness"},
        "sample_fields": own,
        **{each: [] for each in ("tags", "default_classes", "frame_fields", "saved_views", "workspaces")},
        **{each: {} for each in _NOTHING},
    }


def _field(name: str, type: str, *, document: str | None = None, subfield: str | None = None, fields: Any = (), db_field: str | None = None) -> Any:
    return {
        "name": name,
        "ftype": f"{_FIELDS}{type}",
        "embedded_doc_type": document,
        "subfield": subfield,
        "fields": list(fields),
        "db_field": db_field or name,
        "read_only": name in ("created_at", "last_modified_at"),
        **dict.fromkeys(("description", "info", "created_at")),
    }


_METADATA = [_field("size_bytes", "IntField"), _field("mime_type", "StringField")]
_METADATA += [_field(name, "IntField") for name in ("width", "height", "num_channels")]
_CLASSIFICATION = [
    _field("id", "ObjectIdField", db_field="_id"),
    _field("tags", "ListField", subfield=f"{_FIELDS}StringField"),
    _field("label", "StringField"),
    _field("confidence", "FloatField"),
    _field("logits", "VectorField"),
]


def _object_id() -> dict[str, str]:
    return {"$oid": uuid.uuid4().hex[:24]}


def _date() -> dict[str, str]:
    return {"$date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")}


TARGET = Target("fiftyone", "FiftyOne", "images", write_fiftyone, ("label", "link", "vectors"), several=True)
