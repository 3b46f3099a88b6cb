"""Writing vectors with their attributes into a database part by part, so that an interrupted export goes on, and what stands there stays."""

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
from likeness.io import VectorFile, parse_json
from likeness.progress import Progress

_SHOWN = 200


class Store(Protocol):
    """A collection or table of vectors in a database."""

    def about(self) -> dict[str, Any] | None:
        """What `create` was given; None where there is nothing of this name, {} where something else is."""
        ...

    def create(self, material: Material) -> None:
        """Makes it, empty, and keeps `material.about`."""
        ...

    def count(self) -> int:
        """How many rows are there: the first ones, whole."""
        ...

    def add(self, part: Part) -> None:
        """Adds the rows of a part, whole or not at all; rows that are there already are written again."""
        ...


Connect = Callable[[str], AbstractContextManager[Any]]
MakeStore = Callable[[Any, str, Material], Store]
StoreWriter = Callable[[Material, str, ExportOptions, Progress], Written]


def _fill(store: Store, material: Material, place: str, name: str, options: ExportOptions, progress: Progress) -> Written:
    """Writes all rows into a store; with `resume`, those that an interrupted export of the same left out. InputError where the name is taken."""
    there, begin = store.about(), 0
    if there is None:
        store.create(material)
    elif not options.resume:
        raise InputError(f"There is '{name}' in {shown(place)} already; choose another name, or resume an export of it that was interrupted.")
    elif there.get("export") != material.digest:
        raise InputError(f"'{name}' in {shown(place)} is of other images, attributes or vectors, so it can't be gone on with; choose another name.")
    else:
        begin = store.count()
    progress(begin, len(material))
    for part in material.parts(begin):
        store.add(part)
        progress(part.end, len(material))
    note = f"{begin:,} of them were there already." if begin else ""
    return Written(len(material), f"'{name}' in {shown(place)}", note)


def store_writer(help: str, connect: Connect, store: MakeStore, check: Callable[[Material], None] | None = None) -> StoreWriter:
    """What writes into a kind of database: `connect` opens a place, `store` (database, name, material) is the collection or table of that name, and
    `check` raises InputError for attributes or vectors that it cannot hold.
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
    """The name of a collection or table: the one that is given, or the images' name as databases take it."""
    if options.name is None:
        return plain_slug(material.table.name)
    if not options.name.strip() or not options.name.isprintable() or len(options.name.encode()) > 63:
        raise InputError(f"{options.name[:80]!r} is no name of a collection or table; give one of 1 to 63 letters.")
    return options.name


def chosen_name(names: list[str], wanted: str | None, place: str) -> str:
    """Of the collections or tables that are there the one that is wanted, or the only one; InputError for none and for several."""
    if wanted in names:
        return str(wanted)
    listed = ", ".join(f"'{name}'" for name in sorted(names)[:20]) or "nothing"
    if wanted is not None:
        raise InputError(f"There is no '{wanted}' in {shown(place)}; there is {listed}.")
    if len(names) != 1:
        raise InputError(f"{shown(place)} holds {listed}; say which to read, by its name.")
    return names[0]


def vector_file(rows: list[int], vectors: Any, columns: dict[str, list[Any]], about: dict[str, Any], place: str) -> VectorFile:
    """What was read from a store, in the order of its rows; InputError: an export that was interrupted, or no row."""
    if not rows:
        raise InputError(f"{shown(place)} holds no vectors.")
    whole = about.get("rows")
    if isinstance(whole, int) and len(rows) < whole:
        raise InputError(f"{shown(place)} holds {len(rows):,} of {whole:,} rows, since the export was interrupted; go on with it by resume.")
    order = np.argsort(rows, kind="stable")
    frame = pd.DataFrame({name: pd.Series([values[row] for row in order]) for name, values in columns.items()}, index=range(len(rows)))
    return VectorFile(np.asarray(vectors, np.float32)[order], frame, about or _foreign_about(frame, place))


def _foreign_about(frame: pd.DataFrame, place: str) -> dict[str, Any]:
    """What is said of vectors that somebody else wrote: images where there is a column of paths."""
    images = "path" in frame and bool(frame["path"].map(lambda path: isinstance(path, str)).all())
    name = shown(place).rstrip("/").rpartition("/")[2]
    return {"name": name, "table": name, "root": ".", "has_images": images, "encoder": "", "provenance": "", "notion": False, "linear": None}


def about_text(about: dict[str, Any]) -> str:
    """What is said about all rows as a text that databases hold."""
    return json.dumps({"likeness": about})


def about_of(text: str | None) -> dict[str, Any]:
    """The reverse of `about_text`; {} for any other text."""
    try:
        found = parse_json(text or "", "It")
    except InputError:
        return {}
    inside = found.get("likeness") if isinstance(found, dict) else None
    return inside if isinstance(inside, dict) else {}


@contextmanager
def answers(place: str, what: str, *errors: type[Exception]) -> Iterator[None]:
    """Around calls of a database's client: what it raises becomes one sentence without the address's password."""
    try:
        yield
    except InputError:
        raise
    except errors as error:
        reason = " ".join(without_secrets(str(error), place).split())[:_SHOWN] or type(error).__name__
        raise InputError(
            f"{what} {shown(place)} does not answer as it should ({reason}); check the address, and that it may be written to."
        ) from error


def missing_client(what: str, package: str, extra: str, error: ImportError) -> InputError:
    """The error for a client that is not installed."""
    return InputError(f'{what} needs the package {package}; install it with: pip install "likeness[{extra}]"')
