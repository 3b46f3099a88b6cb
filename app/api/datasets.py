"""Datasets and their images."""

from typing import Any

import numpy as np
import pandas as pd
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.picture_routes import small_picture
from api.schemas import OCTETS, Attribute, Dataset, DatasetDetails, Datasets, Image, InDataset, OfRow
from likeness.data import DatasetEntry, ImageTable, list_datasets as all_datasets, numbers_of
from likeness.encoders import map_path
from likeness.errors import InputError
from parts import cached
from parts.sidebar import fitting
from server.access import refusal
from server.accounts import request_scope
from server.settings import server
from server.visitors import visitor

_EXAMPLES, _LONGEST = 20, 200


def list_datasets() -> Datasets:
    """Lists the datasets that you may see: everyone's, and those that you uploaded."""
    return Datasets(datasets=[Dataset(**_named(entry)) for entry in all_datasets(visitor())])


def show_dataset(dataset: InDataset) -> DatasetDetails:
    """Shows a dataset: how many images it has, its attributes, and the notions that fit it."""
    entry = entry_of(dataset)
    base = cached.base(entry.id)
    table = base.table
    attributes = [_attribute(table.frame, name) for name in table.attributes]
    notions = [notion.name for notion in fitting(base)]
    more = {"images": len(base), "dim": base.vectors.shape[1], "reads_text": base.embed_texts is not None}
    return DatasetDetails(**_named(entry), **more, attributes=attributes, notions=notions)


def show_image(dataset: InDataset, row: OfRow) -> Image:
    """Shows an image of a dataset with its attributes."""
    entry = entry_of(dataset)
    base = cached.base(entry.id)
    check_row(len(base), row)
    return Image(**image_fields(entry, base.table, row, attributes=True))


def thumbnail(dataset: InDataset, row: OfRow) -> Response:
    """Shows a small picture of an image, as WebP."""
    try:
        picture = small_picture(entry_of(dataset).id, row)
    except (IndexError, OSError):
        raise HTTPException(404, f"There is no picture of an image {row} in this dataset.") from None
    scope = request_scope()
    plain = scope is not None and Headers(scope=scope).get("accept") == OCTETS
    return Response(picture, media_type=OCTETS if plain else "image/webp", headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})


def check_may_edit() -> None:
    """Raises HTTPException, 403, if the client may only view."""
    if reason := refusal("edit"):
        raise HTTPException(403, reason)


def entry_of(dataset: str) -> DatasetEntry:
    """The catalog entry of a dataset. Raises HTTPException, 404, also for a dataset of another visitor."""
    found = next((entry for entry in all_datasets(visitor()) if entry.id == dataset), None)
    if found is None:
        raise HTTPException(404, f"There is no dataset '{dataset}'; GET /api/v1/datasets lists those that you may see.")
    return found


def check_row(images: int, row: int) -> None:
    """Raises HTTPException, 404, if a dataset of so many images has no such row."""
    if row >= images:
        raise HTTPException(404, f"There is no image {row}; the last one of this dataset is {images - 1}.")


def image_fields(entry: DatasetEntry, table: ImageTable, row: int, attributes: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"row": row, "file": file_of(table, row), "thumbnail": f"/api/v1/datasets/{entry.id}/images/{row}/thumbnail"}
    if attributes:
        fields["attributes"] = {name: scalar(table.frame[name].iat[row]) for name in table.attributes}
    return fields


def file_of(table: ImageTable, row: int) -> str:
    """The file of an image for programs: relative to the dataset's folder; if it is elsewhere, only its name."""
    return _without_place(str(table.frame["path"].iat[row])) if table.has_images else ""


def scalar(value: Any) -> str | int | float | bool | None:
    """A value of a table in JSON; None if it is missing."""
    if value is None or value is pd.NA or (isinstance(value, float) and not np.isfinite(value)) or value is pd.NaT:
        return None
    if isinstance(value, np.generic):
        return scalar(value.item())
    return value if isinstance(value, bool | int | float) else _without_place(str(value))[:_LONGEST]


def _without_place(text: str) -> str:
    """A text without server paths."""
    kept = text.rstrip("/").rsplit("/", 1)[-1] if text.startswith(("/", "~")) or "://" in text else text
    return kept.encode("utf-8", "replace").decode()  # names of files need not be text


def _named(entry: DatasetEntry) -> dict[str, Any]:
    try:
        encoder = map_path(entry.encoder, _without_place)
    except InputError:
        encoder = _without_place(entry.encoder)
    return {"id": entry.id, "name": entry.name, "encoder": encoder, "own": server().shared and entry.owner != ""}


def _attribute(frame: pd.DataFrame, name: str) -> Attribute:
    values = frame[name].dropna()
    is_number = numbers_of(values) is not None and not pd.api.types.is_bool_dtype(values)
    counts = values.value_counts()
    examples = [known for each in counts.index[:_EXAMPLES].tolist() if (known := scalar(each)) is not None]
    return Attribute(name=name, kind="number" if is_number else "text", distinct=int((counts > 0).sum()), examples=examples)
