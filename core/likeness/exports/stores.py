"""Write vectors and attributes to a database in chunks, resumable after an interruption and without touching existing data."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.exports.material import Material, Part
from likeness.exports.places import plain_slug, shown, without_secrets
from likeness.exports.target import ExportOptions, Written
from likeness.io import VectorFile, foreign_about, parse_json
from likeness.progress import Progress

_SHOWN = 200


class Store(Protocol):
    """A collection or table of vectors in a database."""

    def about(self) -> dict[str, Any] | None:
        """The metadata stored by `create`; None if there is nothing of this name, {} if it is foreign."""
        ...

    def create(self, material: Material) -> None:
        """Creates it empty, and stores `material.about`."""
        ...

    def count(self) -> int:
        """The number of leading rows that are completely stored."""
        ...

    def add(self, part: Part) -> None:
        """Adds the rows of a chunk atomically; existing rows are overwritten."""
        ...


Connect = Callable[[str], AbstractContextManager[Any]]
MakeStore = Callable[[Any, str, Material], Store]
StoreWriter = Callable[[Material, str, ExportOptions, Progress], Written]


def _fill(store: Store, material: Material, place: str, name: str, options: ExportOptions, progress: Progress) -> Written:
    """Writes all rows to a store; with `resume`, the missing rows of an interrupted, equal export. Raises InputError if the name is taken."""
    there, begin = store.about(), 0
    if there is None:
        store.create(material)
    elif not options.resume:
        raise InputError(f"'{name}' exists already in {shown(place)}; choose another name, or resume its interrupted export.")
    # appending other rows would leave a mixture of two exports under one name
    elif there.get("export") != material.digest:
        raise InputError(f"'{name}' in {shown(place)} holds other images, attributes or vectors, so it cannot be resumed; choose another name.")
    else:
        begin = store.count()
    progress(begin, len(material))
    for part in material.parts(begin):
        store.add(part)
        progress(part.end, len(material))
    note = f"{begin:,} of them existed already." if begin else ""
    return Written(len(material), f"'{name}' in {shown(place)}", note)


def store_writer(help: str, connect: Connect, store: MakeStore, check: Callable[[Material], None] | None = None) -> StoreWriter:
    """Returns the writer of a kind of database: `connect` opens a place, `store` (database, name, material) returns the collection or table, and
    `check` raises InputError for unsupported attributes or vectors.
    """

    def write(material: Material, place: str, options: ExportOptions, progress: Progress) -> Written:
        name = store_name(material, options)
        if check is not None:
            check(material)
        with connect(place) as database:
            return _fill(store(database, name, material), material, place, name, options, progress)

    write.__doc__ = help
    return write


def store_name(material: Material, options: ExportOptions) -> str:
    """The name of a collection or table: the given one, or a valid form of the images' name."""
    if options.name is None:
        return plain_slug(material.table.name)
    if not options.name.strip() or not options.name.isprintable() or len(options.name.encode()) > 63:
        raise InputError(f"{options.name[:80]!r} is not a valid name of a collection or table; use 1 to 63 characters.")
    return options.name


def chosen_name(names: list[str], wanted: str | None, place: str) -> str:
    """The wanted collection or table, or the only one; raises InputError if there is none, or several."""
    if wanted in names:
        return str(wanted)
    listed = ", ".join(f"'{name}'" for name in sorted(names)[:20]) or "nothing"
    if wanted is not None:
        raise InputError(f"There is no '{wanted}' in {shown(place)}; there is {listed}.")
    if len(names) != 1:
        raise InputError(f"{shown(place)} holds {listed}; pass the name of one.")
    return names[0]


def vector_file(rows: list[int], vectors: Any, columns: dict[str, list[Any]], about: dict[str, Any], place: str) -> VectorFile:
    """The content of a store in row order; raises InputError if the export was interrupted or there are no rows."""
    if not rows:
        raise InputError(f"{shown(place)} holds no vectors.")
    whole = about.get("rows")
    if isinstance(whole, int) and len(rows) < whole:
        raise InputError(f"{shown(place)} holds {len(rows):,} of {whole:,} rows, because the export was interrupted; finish it with resume.")
    order = np.argsort(rows, kind="stable")
    frame = pd.DataFrame({name: pd.Series([values[row] for row in order]) for name, values in columns.items()}, index=range(len(rows)))
    return VectorFile(np.asarray(vectors, np.float32)[order], frame, about or foreign_about(frame, shown(place).rstrip("/").rpartition("/")[2], "."))


def about_text(about: dict[str, Any]) -> str:
    """The metadata as text for a database."""
    return json.dumps({"likeness": about})


def about_of(text: str | None) -> dict[str, Any]:
    """Inverse of `about_text`; {} for any other text."""
    try:
        found = parse_json(text or "", "It")
    except InputError:
        return {}
    inside = found.get("likeness") if isinstance(found, dict) else None
    return inside if isinstance(inside, dict) else {}


@contextmanager
def answers(place: str, what: str, *errors: type[Exception]) -> Iterator[None]:
    """Turns errors of a database client into one InputError, without the password of the URL."""
    try:
        yield
    except InputError:
        raise
    except errors as error:
        reason = " ".join(without_secrets(str(error), place).split())[:_SHOWN] or type(error).__name__
        raise InputError(f"{what} {shown(place)} failed ({reason}); check the URL and your write permission.") from error


def missing_client(what: str, package: str, extra: str, error: ImportError) -> InputError:
    """The error for a missing client package."""
    return InputError(f'{what} needs the package {package}; install it with: pip install "likeness[{extra}]"')
