"""The targets of exports, a line each, and what exports to them and reads from them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.exports import (
    coco,
    csv_table,
    embedding_atlas,
    faiss_index,
    fiftyone,
    lancedb_table,
    links,
    notion_projection,
    parquet_table,
    pgvector,
    qdrant,
    run_onnx,
    run_open_clip,
    run_safetensors,
    run_timm,
    run_torchscript,
    yolo,
)
from likeness.exports.material import Material
from likeness.exports.places import shown
from likeness.exports.run_material import RunMaterial, RunSource
from likeness.exports.target import Target, Written
from likeness.progress import Progress, no_progress
from likeness.space import Space

# in the order in which they are offered
_MODULES = (
    csv_table,
    parquet_table,
    coco,
    yolo,
    links,
    qdrant,
    pgvector,
    lancedb_table,
    faiss_index,
    notion_projection,
    fiftyone,
    embedding_atlas,
    run_onnx,
    run_torchscript,
    run_timm,
    run_open_clip,
    run_safetensors,
)
TARGETS: dict[str, Target] = {module.TARGET.name: module.TARGET for module in _MODULES}


def find_target(name: str) -> Target:
    """The target of a name; InputError with the known names where there is none.

    Example:
        >>> find_target("coco").title
        'COCO'
    """
    if name not in TARGETS:
        raise InputError(f"There is no target '{name}'; choose from {', '.join(TARGETS)}.")
    return TARGETS[name]


def import_space(source: str, place: str, name: str | None = None) -> Space:
    """The space that an export wrote, or that somebody else keeps in a database of vectors.

    What an export wrote comes back with its images, encoder and text side. Of foreign vectors, a column `path` names the images, relative to the
    current folder or absolute.

    Args:
        source: a target that can be read: "qdrant", "pgvector", "lancedb" or "faiss".
        place: as it was written to.
        name: of the collection or table; None: the only one.

    Raises:
        InputError: a target that is not read, nothing there, several collections without a name, or an export that was interrupted.

    Example:
        >>> import tempfile, likeness as lk
        >>> folder = tempfile.mkdtemp()
        >>> space = lk.Space([[1.0, 0.0], [0.0, 1.0]], labels=["a", "b"])
        >>> lk.export(space, "faiss", f"{folder}/index").n
        2
        >>> import_space("faiss", f"{folder}/index").nearest([0.1, 1.0], k=1).rows
        array([1])
    """
    from likeness.embedding import space_of

    read = find_target(source).read
    if read is None:
        readable = ", ".join(each.name for each in TARGETS.values() if each.read)
        raise InputError(f"Nothing is read back from the target '{source}'; spaces are read from {readable}, and from files by `likeness.load`.")
    found = read(place, name)
    return space_of(found, f"'{shown(place)}'")


def export(
    source: ImageTable | Space | RunSource,
    target: str,
    place: str | Path,
    *,
    rows: Any = None,
    columns: Sequence[str] | None = None,
    portable: bool = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Written:
    """Writes images, their attributes, vectors and neighbors, a notion, or a trained run for another program.

    Args:
        source: a table, such as one with labels made by hand (`likeness.tagging.with_tags`), or a space where vectors are needed; for targets that
            take a run, the run: "run:NAME", its folder, what `likeness.train` returns, or the encoder that `likeness.load("run:NAME")` is.
        target: by name: "csv", "coco", "qdrant" and so on (`likeness kinds targets`).
        place: a file, a folder, or the address of a database. What is there already stays as it is.
        rows: numbers of the rows that are written, in this order, or a mask; None: all.
        columns: attributes that are written; None: all.
        portable: what is written can be taken to another machine: it names no place of this one, and images come as copies.
        options: of `likeness.exports.ExportOptions`, those that the target uses: label, neighbors, vectors, link, val, split, seed, name, resume.

    Returns:
        How many images were written (of a notion or a run: dimensions), where, and what else there is to say.

    Raises:
        InputError: no such target, option, row, attribute or run, another source than the target takes, something is there already, a file that
            is missing, or a database that refuses.

    Example:
        >>> import tempfile, likeness as lk
        >>> from pathlib import Path
        >>> folder = tempfile.mkdtemp()
        >>> lk.export(lk.read("cars"), "csv", f"{folder}/red.csv", rows=[0, 2], columns=["car_color"]).n
        2
        >>> Path(f"{folder}/red.csv").read_text().splitlines()[0]
        'path,car_color'
    """
    chosen = find_target(target)
    given = chosen.checked_options(options)
    chosen.check(str(place))
    if chosen.takes == "run":
        return chosen.write_to(str(place), _run(source, target, rows, columns), given, progress)
    if not isinstance(source, ImageTable | Space):
        raise InputError(f"The target '{target}' takes images or a Space, and not {source!r}; read them by `likeness.read`, or embed them.")
    if chosen.needs_space(given) and not isinstance(source, Space):
        raise InputError(f"The target '{target}' with these options needs vectors; pass a Space, as `likeness.embed` makes one, in place of a table.")
    return chosen.write_to(str(place), Material(source, rows, columns, portable), given, progress)


def _run(source: Any, target: str, rows: Any, columns: Any) -> RunMaterial:
    from likeness.exports.run_material import run_material

    if isinstance(source, ImageTable | Space):
        raise InputError(f"The target '{target}' takes a trained run, and not images; name one, as 'run:NAME'.")
    if rows is not None or columns is not None:
        raise InputError(f"The target '{target}' writes a run, which has no rows and columns; leave both out.")
    return run_material(source)
