"""Labels by people and programs: tags, attribute values and notes, through `likeness.tagging`."""

from typing import Annotated

import pandas as pd
from fastapi import Query
from starlette.exceptions import HTTPException

from api.datasets import check_may_edit, check_row, entry_of, file_of
from api.schemas import Edited, EditLabels, InDataset, LabelCount, LabeledImage, LabeledImages, LabelPage, Labels
from likeness.data import ImageTable
from likeness.tagging import NOTE, Edit, TagStore, match_images
from parts import cached
from server import hand_labels


def list_labels(dataset: InDataset) -> Labels:
    """Lists the tags, attribute values and notes of a dataset, and how many images have each."""
    store, _ = _opened(dataset)
    version, counts = store.version(), store.counts()
    return Labels(version=version, labels=[LabelCount(**{str(key): value for key, value in row.items()}) for row in counts.to_dict("records")])


def image_labels(dataset: InDataset, page: Annotated[LabelPage, Query()]) -> LabeledImages:
    """Lists labeled images with their labels, by rows, one page at a time."""
    store, table = _opened(dataset)
    version = store.version()
    columns = store.columns(table.frame["path"].iloc[page.after + 1 :])
    counts = store.counts()
    kinds = dict(zip(counts["name"], counts["kind"], strict=True))
    columns = columns[[name for name in columns if name in kinds]]  # without labels that were removed meanwhile
    has = pd.DataFrame({name: columns[name] if kinds[name] == "tag" else columns[name].notna() for name in columns})
    labeled: list[int] = has.any(axis=1).to_numpy().nonzero()[0].tolist() if len(has.columns) else []
    images = [_image(table, columns.iloc[place], kinds, page.after + 1 + place) for place in labeled[: page.limit]]
    return LabeledImages(version=version, images=images, next=images[-1].row if len(labeled) > page.limit else None)


def edit_labels(dataset: InDataset, label: EditLabels) -> Edited:
    """Adds a tag, an attribute value or a note to images, or removes it, as one edit; its author and time are recorded."""
    check_may_edit()
    store, table = _opened(dataset, writes=True)
    paths, who = _paths(table, label), hand_labels.who()
    if label.note is not None:
        edit = store.set_note(paths, label.note, who)
    elif label.tag is not None:
        edit = store.remove_tag(paths, label.tag, who) if label.remove else store.add_tag(paths, label.tag, who)
    elif label.remove:
        edit = store.clear_value(paths, str(label.attribute), who)
    else:
        edit = store.set_value(paths, str(label.attribute), str(label.value), who)
    return _edited(store, edit)


def undo_labels(dataset: InDataset) -> Edited:
    """Undoes your newest edit of a dataset's labels. Images that others have changed since are not affected."""
    check_may_edit()
    store, _ = _opened(dataset, writes=True)
    return _edited(store, store.undo(hand_labels.who()))


def _opened(dataset: str, writes: bool = False) -> tuple[TagStore, ImageTable]:
    """The labels of a dataset and its images; raises HTTPException, 403, for clients that may not write."""
    entry = entry_of(dataset)
    table = cached.table(entry.id)
    if writes and (reason := hand_labels.refusal_to_tag(entry, table)):
        raise HTTPException(403, reason)
    return hand_labels.store_of(entry, table), table


def _paths(table: ImageTable, label: EditLabels) -> list[str]:
    if label.rows:
        for row in label.rows:
            check_row(len(table), row)
        return [str(path) for path in table.frame["path"].iloc[label.rows]]
    # absolute paths are not tried: a match would reveal where the images are
    named = [file for file in label.files if not file.startswith(("/", "~", "\\"))]
    found, ambiguous = match_images(table, named)
    missing = next((file for file in label.files if file not in named), None)
    missing = missing or next((file for file, path in zip(named, found, strict=True) if path is None), None)
    if missing is not None:
        why = "is the name of several images; add its folder" if missing in ambiguous else "is not an image of this dataset"
        raise HTTPException(404, f"'{missing[-80:]}' {why}; nothing was changed.")
    return [path for path in found if path is not None]


def _image(table: ImageTable, labels: "pd.Series[str]", kinds: dict[str, str], row: int) -> LabeledImage:
    tags = [str(name) for name, value in labels.items() if kinds.get(str(name)) == "tag" and value]
    values = {str(name): str(value) for name, value in labels.items() if kinds.get(str(name)) == "attribute" and pd.notna(value)}
    note = labels.get(NOTE)
    return LabeledImage(row=row, file=file_of(table, row), tags=tags, values=values, note="" if note is None or pd.isna(note) else str(note))


def _edited(store: TagStore, edit: Edit) -> Edited:
    return Edited(edit=edit.id, images=edit.images, skipped=edit.skipped, version=store.version())
