"""Export to a LanceDB table: a row per image, with the columns row, vector and all attributes.

Unlike the index of `likeness index --lance`, it has no cells: LanceDB programs build their own index on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from likeness.errors import InputError
from likeness.exports.material import Material, Part
from likeness.exports.parquet_table import arrow_table, vector_column
from likeness.exports.places import is_address
from likeness.exports.plain_columns import check_own_columns
from likeness.exports.stores import about_of, about_text, answers, chosen_name, missing_client, store_writer, vector_file
from likeness.exports.target import Target
from likeness.io import VectorFile, as_path, check_output_folder

_ROW, _VECTOR, _ABOUT = "row", "vector", b"likeness"


class LanceTable:
    """A named table, as a `likeness.exports.stores.Store`."""

    def __init__(self, database: Any, name: str, material: Material) -> None:
        self._database, self._name = database, name
        self._attributes = arrow_table(material)
        own = [pa.field(_ROW, pa.int64()), pa.field(_VECTOR, pa.list_(pa.float32(), material.dim))]
        self._schema = pa.schema([*own, *self._attributes.schema], {_ABOUT: about_text(material.about).encode()})

    def about(self) -> dict[str, Any] | None:
        if self._name not in self._database.list_tables().tables:
            return None
        metadata = self._database.open_table(self._name).schema.metadata or {}
        return about_of(metadata.get(_ABOUT, b"").decode(errors="replace"))

    def create(self, material: Material) -> None:
        self._database.create_table(self._name, schema=self._schema)

    def count(self) -> int:
        return int(self._database.open_table(self._name).count_rows())

    def add(self, part: Part) -> None:
        columns = self._attributes.slice(part.begin, part.end - part.begin).columns
        own = [pa.array(range(part.begin, part.end), pa.int64()), vector_column(part.vectors)]
        self._database.open_table(self._name).add(pa.table([*own, *columns], schema=self._schema))


def read_lancedb(place: str, name: str | None = None) -> VectorFile:
    """Reads the vectors and attributes of any table with a column `vector`."""
    if not is_address(place) and not any(as_path(place).glob("*.lance")):
        raise InputError(f"There is no LanceDB in '{place}'; pass the folder that it was written to.")
    with _database(place) as database:
        table = database.open_table(chosen_name(list(database.list_tables().tables), name, place)).to_arrow()
        if _VECTOR not in table.column_names:
            raise InputError(f"The table '{name}' in {place} has no column '{_VECTOR}'; its columns are {', '.join(table.column_names)}.")
        about = about_of((table.schema.metadata or {}).get(_ABOUT, b"").decode(errors="replace"))
        vectors = table.column(_VECTOR).combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(len(table), -1)
    rows = table.column(_ROW).to_pylist() if about else list(range(len(table)))
    columns = {each: table.column(each).to_pylist() for each in table.column_names if each != _VECTOR and not (about and each == _ROW)}
    return vector_file(rows, vectors, columns, about, place)


def check_place(place: str) -> None:
    """Raises InputError unless a place is a URL or a writable folder."""
    if not place.strip():
        raise InputError("No place is given; pass a folder or the URL of an object store.")
    if not is_address(place):
        check_output_folder(as_path(place))


@contextmanager
def _database(place: str) -> Iterator[Any]:
    """Opens a folder or an object store, whose keys come from the environment."""
    try:
        import lancedb
    except ImportError as error:
        raise missing_client("LanceDB", "lancedb", "lance", error) from error
    with answers(place, "LanceDB at", OSError, RuntimeError, ValueError, KeyError):
        yield lancedb.connect(place if is_address(place) else str(as_path(place)))


def _check_columns(material: Material) -> None:
    check_own_columns(material.columns, _ROW, _VECTOR)


_HELP = "A table of LanceDB in a folder or an object store, with a column for each attribute."
_WRITE = store_writer(_HELP, _database, LanceTable, _check_columns)
TARGET = Target("lancedb", "LanceDB", "vectors", _WRITE, ("name", "resume"), read=read_lancedb, check_address=check_place)
