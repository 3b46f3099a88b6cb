"""Export to a PostgreSQL table with pgvector: a row per image, with the columns row, vector and all attributes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from likeness.errors import InputError
from likeness.exports.material import Material, Part
from likeness.exports.places import is_address
from likeness.exports.plain_columns import check_own_columns, kind_of, plain_values
from likeness.exports.stores import about_of, about_text, answers, chosen_name, missing_client, store_writer, vector_file
from likeness.exports.target import Target
from likeness.io import VectorFile

_ROW, _VECTOR = "row", "vector"
_TYPES = {"bool": "boolean", "int": "bigint", "float": "double precision", "text": "text"}
_MOST_DIMENSIONS = 16_000  # of a column of pgvector
_LONGEST_NAME = 63  # bytes, of PostgreSQL
_READ_AT_ONCE = 1_000
_NO_ADDRESS = "Invalid PostgreSQL URL; write it as postgresql://USER@HOST:5432/DATABASE."


class VectorTable:
    """A named table, as a `likeness.exports.stores.Store`."""

    def __init__(self, connection: Any, name: str, material: Material | None = None) -> None:
        self._connection, self._name = connection, name

    def about(self) -> dict[str, Any] | None:
        quoted = '"' + self._name.replace('"', '""') + '"'
        found = self._connection.execute("SELECT obj_description(to_regclass(%s)), to_regclass(%s)", (quoted,) * 2).fetchone()
        return None if found[1] is None else about_of(found[0])

    def create(self, material: Material) -> None:
        from psycopg import sql

        attributes = {str(name): _TYPES[kind_of(material.columns[name])] for name in material.columns}
        types = {_ROW: "bigint PRIMARY KEY", **attributes, _VECTOR: f"vector({material.dim}) NOT NULL"}
        columns = [sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(type)) for name, type in types.items()]
        with self._connection.transaction():
            self._connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            self._connection.execute(sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(self._name), sql.SQL(", ").join(columns)))
            comment = sql.SQL("COMMENT ON TABLE {} IS {}")
            self._connection.execute(comment.format(sql.Identifier(self._name), sql.Literal(about_text(material.about))))

    def count(self) -> int:
        from psycopg import sql

        return int(self._connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(self._name))).fetchone()[0])

    def add(self, part: Part) -> None:
        from psycopg import sql

        values = [plain_values(part.frame[name]) for name in part.frame]
        names = [_ROW, *map(str, part.frame.columns), _VECTOR]
        copy = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(self._name), sql.SQL(", ").join(map(sql.Identifier, names)))
        with self._connection.transaction(), self._connection.cursor() as cursor, cursor.copy(copy) as rows:
            for number, vector in enumerate(part.vectors):
                rows.write_row([part.begin + number, *(each[number] for each in values), f"[{','.join(map(repr, vector.tolist()))}]"])


def read_pgvector(place: str, name: str | None = None) -> VectorFile:
    """Reads the vectors and attributes of any table with one vector column."""
    with _connection(place) as connection:
        found = connection.execute(
            "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE t.typname = 'vector' AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND pg_table_is_visible(c.oid)"
        ).fetchall()
        chosen = chosen_name(sorted({table for table, _ in found}), name, place)
        vector = [column for table, column in found if table == chosen]
        if len(vector) > 1:
            raise InputError(f"The table '{chosen}' has several vector columns, {', '.join(vector)}; only tables with one are supported.")
        about = VectorTable(connection, chosen).about() or {}
        names, records = _all_rows(connection, chosen, vector[0])
    if any(record[-1] is None for record in records):
        raise InputError(f"Some rows of the table '{chosen}' have no vector; fill them in or remove them.")
    own = names.index(_ROW) if about and _ROW in names else None
    numbers = [record[own] for record in records] if own is not None else list(range(len(records)))
    columns = {each: [record[place] for record in records] for place, each in enumerate(names[:-1]) if place != own}
    vectors = [np.fromstring(record[-1].strip("[]"), np.float32, sep=",") for record in records]
    return vector_file(numbers, vectors, columns, about, place)


def _all_rows(connection: Any, table: str, vector: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and all rows, with the vector as text at the end; fetched in chunks."""
    from psycopg import sql

    names = [each.name for each in connection.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(sql.Identifier(table))).description]
    ordered = [*(name for name in names if name != vector), vector]
    chosen = [sql.Identifier(name) for name in ordered[:-1]] + [sql.SQL("{}::text").format(sql.Identifier(vector))]
    with connection.transaction(), connection.cursor(name="likeness") as cursor:
        cursor.itersize = _READ_AT_ONCE
        cursor.execute(sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(chosen), sql.Identifier(table)))
        return ordered, list(cursor)


def _check_columns(material: Material) -> None:
    check_own_columns(material.columns, _ROW, _VECTOR)
    if material.dim > _MOST_DIMENSIONS:
        raise InputError(f"The vectors have {material.dim:,} dimensions, but pgvector takes at most {_MOST_DIMENSIONS:,}; export a notion's space.")
    for name in material.columns:
        if not str(name) or len(str(name).encode()) > _LONGEST_NAME or "\0" in str(name):
            raise InputError(f"'{str(name)[:80]}' is not a valid PostgreSQL column name, which has 1 to {_LONGEST_NAME} bytes; rename the attribute.")
        if any(isinstance(value, str) and "\0" in value for value in material.columns[name]):
            raise InputError(f"The attribute '{name}' contains a NUL character, which PostgreSQL does not accept; exclude it with `columns`.")


def check_url(place: str) -> None:
    """Raises InputError unless a place is a PostgreSQL URL; the message omits it, because it may contain a password."""
    if place.partition("://")[0] not in ("postgresql", "postgres") or not is_address(place):
        raise InputError(_NO_ADDRESS)


@contextmanager
def _connection(place: str) -> Iterator[Any]:
    check_url(place)
    try:
        import psycopg
    except ImportError as error:
        raise missing_client("PostgreSQL", "psycopg", "pgvector", error) from error
    try:
        psycopg.conninfo.conninfo_to_dict(place)
    except psycopg.Error:
        raise InputError(_NO_ADDRESS) from None  # it may hold the password
    with answers(place, "PostgreSQL at", psycopg.Error, OSError), psycopg.connect(place, autocommit=True) as connection:
        yield connection


# A table by COPY, each part in a transaction. An index is for who asks: `CREATE INDEX ON NAME USING hnsw (vector vector_cosine_ops)`. The
# password may stand in the address "postgresql://USER@HOST/DATABASE", or better in the variable PGPASSWORD or the file ~/.pgpass.
_WRITE = store_writer("A table of PostgreSQL with pgvector, with a column for each attribute.", _connection, VectorTable, _check_columns)
_TITLE = "PostgreSQL with pgvector"
TARGET = Target("pgvector", _TITLE, "vectors", _WRITE, ("name", "resume"), read=read_pgvector, check_address=check_url, ending=None)
