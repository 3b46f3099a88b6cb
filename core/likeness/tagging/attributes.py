"""Location of a dataset's tags, and their conversion to attributes of a table."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from likeness.data import ImageTable, absolute_source, is_url
from likeness.errors import InputError
from likeness.io import cache_dir
from likeness.tagging.names import name_key
from likeness.tagging.store import TagStore

_ODD = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 40


def tags_file(source: str) -> Path:
    """The tag file of a dataset in the cache (`likeness.io.cache_dir`), the same for every encoder. Relative sources are relative to the current
    folder. Raises InputError for a path that may not be read here.
    """
    place = source if is_url(source) else absolute_source(source)
    name = _ODD.sub("-", place.rstrip("/").rsplit("/", 1)[-1]).strip("-")[:_LONGEST]
    return cache_dir() / "tags" / f"{name or 'images'}-{hashlib.sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.sqlite"


def tag_store(source: str, table: ImageTable) -> TagStore:
    """The tag store of a dataset, with the table's column names reserved. Raises InputError for rows without images."""
    if not table.has_images:
        raise InputError(f"The rows of '{table.name}' have no images, but tags are stored by image path; pass `images=` with the vectors.")
    return TagStore(tags_file(source), table.frame.columns)


def with_tags(table: ImageTable, store: TagStore) -> ImageTable:
    """The table with additional columns for each tag (bool), attribute (category) and the notes, as in `TagStore.columns`.

    Existing columns are not changed: a tag with the name of one becomes "NAME (tag)". `frame.attrs["tag_columns"]` maps columns to tags and
    attributes.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import likeness as lk
        >>> cars = lk.read("cars")
        >>> store = TagStore(Path(tempfile.mkdtemp()) / "cars.sqlite", cars.frame.columns)
        >>> store.add_tag(cars.frame["path"][:3], "mine", who="ada").images
        3
        >>> int(with_tags(cars, store).frame["mine"].sum())
        3
    """
    found = store.columns(table.frame["path"])
    if found.empty:
        return table
    taken = {name_key(str(column)) for column in table.frame.columns}
    names: dict[Any, str] = {}
    for name in found.columns:
        free = str(name)
        while name_key(free) in taken:
            free = f"{free} (tag)"
        names[name] = free
        taken.add(name_key(free))
    frame = table.frame.join(found.rename(columns=names))
    frame.attrs["tag_columns"] = {str(name): column for name, column in names.items()}
    return replace(table, frame=frame)
