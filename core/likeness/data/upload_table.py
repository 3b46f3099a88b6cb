"""Read the table of attributes in an uploaded archive."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from likeness.data.readers.tabular import read_table
from likeness.data.upload_archive import ArchiveTable, plain_steps
from likeness.errors import InputError
from likeness.io import part_path, plain_name, split_part

_REMEDY = "unpack the archive and pass the table to read it"


def listed_images(
    tables: Sequence[ArchiveTable], places: Mapping[str, str], scratch: Path, path_column: str | None = None
) -> tuple[pd.DataFrame | None, tuple[str, ...]]:
    """The rows of the table that lists images of the archive, with `path` as stored, and notes for the user.

    A table refers to images by paths relative to itself, or by unique file names. Rows of other images are dropped, so that an archive cannot refer
    to files outside of it. `places` maps paths in the archive to stored ones; tables are written to `scratch` for reading, with their own suffix.
    """
    notes, found = [], {}
    for table in tables:
        try:
            found[table.path] = _rows(table, places, scratch, path_column)
        except InputError as error:
            notes.append(f"The table '{_shown(table)}' in the archive is not read: {str(error).rstrip('.')}.")
    if len(found) > 1:
        named = ", ".join(f"'{plain_name(path)}'" for path in found)
        return None, (*notes, f"Several tables in the archive list its images ({named}), so none of them is read; {_REMEDY}.")
    if not found:
        return None, tuple(notes)
    ((path, (rows, missing)),) = found.items()
    return rows, (*notes, _counted(plain_name(path), missing, len(places) - rows["path"].map(lambda path: split_part(path)[0]).nunique()))


def _rows(table: ArchiveTable, places: Mapping[str, str], scratch: Path, path_column: str | None) -> tuple[pd.DataFrame, int]:
    """The rows with existing images, and the number of others."""
    if not table.path.lower().endswith((".csv", ".tsv")):
        raise InputError(f"Parquet and Arrow files are only read if given directly; {_REMEDY}")
    if table.content is None:
        raise InputError(f"it is empty, too large or in a folder beside images; {_REMEDY}")
    file = scratch.with_suffix(Path(table.path).suffix.lower())
    try:
        file.write_bytes(table.content)
        frame = read_table(file, path_column, check_there=False).frame
    except InputError as error:
        raise InputError(str(error).replace(file.name, _shown(table))) from None
    finally:
        file.unlink(missing_ok=True)
    folder, known = plain_steps(table.path)[:-1], _known(places)
    kept = frame["path"].map(lambda path: _region(str(path), lambda file: _place(file, folder, *known)))
    rows = frame.assign(path=kept)[kept.notna()]
    if not len(rows):
        raise InputError("it lists none of the images")
    return rows.reset_index(drop=True), len(frame) - len(rows)


def _region(path: str, place: Callable[[str], str | None]) -> str | None:
    """The stored path of an image or of its region."""
    file, part = split_part(path)
    found = place(file)
    return found if found is None or part is None else part_path(found, part)


def _known(places: Mapping[str, str]) -> tuple[dict[tuple[str, ...], str], dict[str, str]]:
    """Stored paths by path components, and by unique file names."""
    steps = {plain_steps(unicodedata.normalize("NFC", path)): place for path, place in places.items()}
    counts = Counter(each[-1] for each in steps if each)
    return steps, {each[-1]: place for each, place in steps.items() if each and counts[each[-1]] == 1}


def _place(path: str, folder: tuple[str, ...], by_path: Mapping[tuple[str, ...], str], by_name: Mapping[str, str]) -> str | None:
    steps = plain_steps(unicodedata.normalize("NFC", path))
    return by_path.get((*folder, *steps)) or by_path.get(steps) or (by_name.get(steps[-1]) if len(steps) == 1 else None)


def _counted(name: str, missing: int, unlisted: int) -> str:
    parts = [f"images that it does not list ({unlisted:,})"] * bool(unlisted) + [f"rows without an image in the archive ({missing:,})"] * bool(
        missing
    )
    left_out = f"; {' and '.join(parts)} are skipped" if parts else ""
    return f"Images and attributes are those that the table '{name}' in the archive lists{left_out}."


def _shown(table: ArchiveTable) -> str:
    return plain_name(table.path)
