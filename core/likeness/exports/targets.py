"""Registry of export targets, and `export`."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.exports.material import Material
from likeness.exports.run_material import RunMaterial, RunSource, run_material
from likeness.exports.target import Target, Written
from likeness.progress import Progress, no_progress
from likeness.space import Space

# the modules of this package with a `TARGET`, in the order in which they are offered
_MODULES = (
    "csv_table parquet_table coco yolo links lancedb_table faiss_index notion_projection fiftyone "
    "run_onnx run_pt2 run_timm run_open_clip run_sentence_transformers run_safetensors"
)
_LISTED: list[Target] = [import_module(f"likeness.exports.{module}").TARGET for module in _MODULES.split()]
TARGETS: dict[str, Target] = {target.name: target for target in _LISTED}


def find_target(name: str) -> Target:
    """The target of a name; raises InputError if there is none.

    Example:
        >>> find_target("coco").title
        'COCO'
    """
    if name not in TARGETS:
        raise InputError(f"There is no target '{name}'; choose from {', '.join(TARGETS)}.")
    return TARGETS[name]


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
    """Exports images, attributes, vectors and neighbors, a notion, or a trained run for another program.

    InputError: an unknown target, option, row, attribute or run, a source that the target does not take, an existing place, a missing file, or an
    error of the database.

    Args:
        source: a table, such as one with manual labels (`likeness.tagging.with_tags`), or a space if vectors are needed. For targets that take a run:
            "run:NAME", its folder, the result of `likeness.train`, or the encoder `likeness.load("run:NAME")`.
        target: by name: "csv", "coco", "lancedb" and so on (`likeness kinds targets`).
        place: a file, a folder, or the URL of a database. Existing data are never changed.
        rows: numbers of the rows to write, in this order, or a mask; None: all.
        columns: attributes to write; None: all.
        portable: make the export usable on other machines: without local paths, and with copies of images.
        options: of `likeness.exports.ExportOptions`, those that the target uses: label, neighbors, vectors, link, val, split, seed, name, resume.

    Returns:
        The number of images (for a notion or run: dimensions), the place, and a note.

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
        raise InputError(f"The target '{target}' takes images or a Space, not {source!r}; read them with `likeness.read`, or embed them.")
    if chosen.needs_space(given) and not isinstance(source, Space):
        raise InputError(f"The target '{target}' with these options needs vectors; pass a Space, such as from `likeness.embed`, instead of a table.")
    return chosen.write_to(str(place), Material(source, rows, columns, portable), given, progress)


def _run(source: Any, target: str, rows: Any, columns: Any) -> RunMaterial:
    if isinstance(source, ImageTable | Space):
        raise InputError(f"The target '{target}' takes a trained run, not images; pass one, such as 'run:NAME'.")
    if rows is not None or columns is not None:
        raise InputError(f"The target '{target}' writes a run, which has no rows and columns; remove both.")
    return run_material(source)
