"""Export to a LanceDB table: a row per image, with the columns row, vector and all attributes."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from likeness.errors import InputError
from likeness.exports.material import Material
from likeness.exports.parquet_table import arrow_table, vector_column
from likeness.exports.plain_columns import check_own_columns
from likeness.exports.target import ExportOptions, Target, Written, missing_package
from likeness.io import VectorFile, as_path, check_output_folder, foreign_about, from_arrow, parse_json
from likeness.progress import Progress

_ROW, _VECTOR, _ABOUT = "row", "vector", b"likeness"
_LONGEST_REASON = 200
_LONGEST_NAME = 63  # bytes


def write_lancedb(material: Material, place: str, options: ExportOptions, progress: Progress) -> Written:
    """A table of LanceDB in a folder or an object store, with a column for each attribute.

    Rows are added in parts. With `resume`, the missing rows of an interrupted, equal export are added. Existing tables are never changed otherwise.
    """
    name = _table_name(material, options)
    check_own_columns(material.columns, _ROW, _VECTOR)
    attributes = arrow_table(material)
    own = [pa.field(_ROW, pa.int64()), pa.field(_VECTOR, pa.list_(pa.float32(), material.dim))]
    schema, begin = pa.schema([*own, *attributes.schema], about_metadata(material)), 0
    with _database(place) as database:
        if name not in database.list_tables().tables:
            table = database.create_table(name, schema=schema)
        elif not options.resume:
            raise InputError(f"'{name}' exists already in {_shown(place)}; choose another name, or resume its interrupted export.")
        else:
            table = database.open_table(name)
            # appending other rows would leave a mixture of two exports under one name
            if _about(table.schema).get("export") != material.digest:
                raise InputError(
                    f"'{name}' in {_shown(place)} holds other images, attributes or vectors, so it cannot be resumed; choose another name."
                )
            begin = table.count_rows()
        progress(begin, len(material))
        for part in material.parts(begin):
            rows = [pa.array(part, pa.int64()), vector_column(material.vectors(part))]
            table.add(pa.table([*rows, *attributes.slice(part.start, len(part)).columns], schema=schema))
            progress(part.stop, len(material))
    return Written(len(material), f"'{name}' in {_shown(place)}", f"{begin:,} of them existed already." if begin else "")


def read_lancedb(place: str, name: str | None = None) -> VectorFile:
    """Reads the vectors and attributes of any table with a column `vector`; raises InputError for several tables without a name, or an interrupted
    export.
    """
    if not _is_url(place) and not any(as_path(place).glob("*.lance")):
        raise InputError(f"There is no LanceDB in '{place}'; pass the folder that it was written to.")
    with _database(place) as database:
        names = sorted(database.list_tables().tables)
        listed = ", ".join(f"'{each}'" for each in names[:20]) or "nothing"
        if name is not None and name not in names:
            raise InputError(f"There is no '{name}' in {_shown(place)}; there is {listed}.")
        if name is None and len(names) != 1:
            raise InputError(f"{_shown(place)} holds {listed}; pass the name of one.")
        name = name or names[0]
        table = database.open_table(name).to_arrow()
        if _VECTOR not in table.column_names or not pa.types.is_nested(table.schema.field(_VECTOR).type):
            raise InputError(f"The table '{name}' in {_shown(place)} has no vectors in a column '{_VECTOR}'; it has {', '.join(table.column_names)}.")
        about, n = _about(table.schema), len(table)
        whole = about.get("rows")
        if isinstance(whole, int) and n < whole:
            raise InputError(f"{_shown(place)} holds {n:,} of {whole:,} rows, because the export was interrupted; finish it with resume.")
        if about:
            table = table.sort_by(_ROW).drop_columns(_ROW)
        vectors = table.column(_VECTOR).combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(n, -1)
        return vector_file(table.drop_columns(_VECTOR), vectors, _shown(place))


def about_metadata(material: Material) -> dict[bytes, bytes]:
    """The metadata of a pyarrow schema from which `vector_file` makes the same space again."""
    return {_ABOUT: json.dumps({"likeness": material.about}).encode()}


def vector_file(attributes: Any, vectors: Any, place: str) -> VectorFile:
    """The content of a store: a pyarrow table of attributes, n rows, with the metadata of an export or foreign, and vectors (n, d) in the same order.

    Raises InputError if there are no rows.
    """
    if not len(vectors):
        raise InputError(f"{place} holds no vectors.")
    about = _about(attributes.schema)
    if about and attributes.column_names == [_ROW]:
        attributes = attributes.drop_columns(_ROW)
    # without what pandas said in foreign metadata; pyarrow makes no rows of no columns
    frame = from_arrow(attributes.replace_schema_metadata(None)) if attributes.num_columns else pd.DataFrame(index=range(len(vectors)))
    return VectorFile(np.asarray(vectors, np.float32), frame, about or foreign_about(frame, place.rstrip("/").rpartition("/")[2], "."))


def _about(schema: Any) -> dict[str, Any]:
    """What `about_metadata` says; {} for foreign tables."""
    try:
        found = parse_json((schema.metadata or {}).get(_ABOUT, b"").decode(errors="replace"), "It")
    except InputError:
        return {}
    inside = found.get("likeness") if isinstance(found, dict) else None
    return inside if isinstance(inside, dict) else {}


def _table_name(material: Material, options: ExportOptions) -> str:
    """The given name, or that of the images in lower-case letters, digits and underscores."""
    if options.name is None:
        slug = re.sub(r"[^A-Za-z0-9]+", "_", material.table.name).strip("_").lower()[:60] or "images"
        return slug if slug[0].isalpha() else f"images_{slug}"
    if not options.name.strip() or not options.name.isprintable() or len(options.name.encode()) > _LONGEST_NAME:
        raise InputError(f"{options.name[:80]!r} is not a valid name of a table; use 1 to {_LONGEST_NAME} characters.")
    return options.name


def _is_url(place: str) -> bool:
    return "://" in place


def _shown(place: str) -> str:
    """A place for display: URLs without user, password and parameters, which may be keys."""
    return re.sub(r"(?<=://)[^/?#]*@|[?#].*", "", place) if _is_url(place) else place


def check_place(place: str) -> None:
    """Raises InputError unless a place is a URL or a writable folder."""
    if not place.strip():
        raise InputError("No place is given; pass a folder or the URL of an object store.")
    if not _is_url(place):
        check_output_folder(as_path(place))


@contextmanager
def _database(place: str) -> Iterator[Any]:
    """Opens a folder or an object store, whose keys come from the environment; errors of LanceDB become InputError."""
    try:
        import lancedb
    except ImportError as error:
        raise missing_package("LanceDB", "lancedb", "lance") from error
    try:
        yield lancedb.connect(place if _is_url(place) else str(as_path(place)))
    except InputError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        # LanceDB repeats parts of the URL
        reason = " ".join(str(error).split())[:_LONGEST_REASON] if _shown(place) == place else type(error).__name__
        raise InputError(f"LanceDB at {_shown(place)} failed ({reason}); check the URL and your write permission.") from error


TARGET = Target("lancedb", "LanceDB", "vectors", write_lancedb, ("name", "resume"), read=read_lancedb, check_address=check_place)
