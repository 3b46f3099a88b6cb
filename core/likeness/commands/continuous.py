"""`likeness continuous`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import embedded, notion_named, source_table
from likeness.commands.options import Encoders, Format, Source, known_notions, output_file
from likeness.commands.terminal import print_table, progress_bar, write_csv
from likeness.defaults import DATASET, default_encoder
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.labels import LabelsConfig
    from likeness.space import Space


def continuous(
    source: Source = DATASET,
    kind: Annotated[str | None, typer.Option("--kind", help="{label kinds}; by default the kind that the images have.")] = None,
    columns: Annotated[str, typer.Option(help="Label columns, separated by commas, if the kind needs them: yaw,elevation.")] = "",
    file: Annotated[Path | None, typer.Option(help="A .npy file with a matrix of label distances (kind matrix).")] = None,
    encoder: Encoders = None,
    notion: Annotated[
        list[str] | None, typer.Option("--notion", callback=known_notions, help="A notion on top of the first encoder; may be repeated.")
    ] = None,
    format: Format = "table",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_file, help="CSV file for every figure.")] = None,
) -> None:
    """Evaluate spaces by continuous labels: the label distance of retrieved images, compared with chance and retrieval by the labels.
    Every image is a query.

    Examples: `likeness continuous --notion viewpoint`, `likeness continuous joints.csv -e cars -e run:runs/pose`,
    `likeness continuous photos.csv --kind numbers --columns age`
    """
    from likeness.evaluation import continuous_comparison, with_bounds
    from likeness.labels import label_distances

    given = None if kind is None else _config(kind, columns, file)
    table = source_table(source)
    config = given or _known(table, columns, file)
    with progress_bar("Label distances") as progress:
        labels = label_distances(table, config, progress)
    bases = [embedded(table, name) for name in encoder or [default_encoder(table.attributes)]]
    failed = [each.path for base in bases for each in base.table.failed]
    if failed:
        raise InputError(f"'{failed[0]}' could not be read; remove it from the table, because every image is a query.")
    chosen = [notion_named(name) for name in notion or []]
    spaces = _named([(base.encoder_name, base) for base in bases] + [(each.name, bases[0].refit(each)) for each in chosen])
    with progress_bar("Measuring") as progress:
        found = continuous_comparison({name: space.vectors for name, space in spaces.items()}, labels, progress=progress)
    assert found is not None
    print_table(with_bounds(found).round(4).reset_index(names="space"), format)
    write_csv(out, found)


def _known(table: "ImageTable", columns: str, file: Path | None) -> "LabelsConfig":
    """The first label kind that fits the images."""
    from likeness.labels import kind_names, known_labels

    known = list(known_labels(table).values())
    if not known or columns or file:
        raise InputError(f"Pass --kind, one of {', '.join(kind_names())}; '{table.name}' has {', '.join(table.attributes) or 'none'}.")
    return known[0]


def _config(kind: str, columns: str, file: Path | None) -> "LabelsConfig":
    from pydantic import ValidationError

    from likeness.io import validation_message
    from likeness.labels import LabelsConfig

    names = tuple(name.strip() for name in columns.split(",") if name.strip())
    try:
        return LabelsConfig.model_validate({"kind": kind, "columns": names, "file": str(file) if file else None})
    except ValidationError as error:
        raise InputError(f"These labels do not fit: {validation_message(error)}.") from error


def _named(spaces: "list[tuple[str, Space]]") -> "dict[str, Space]":
    twice = [name for place, (name, _) in enumerate(spaces) if name in [other for other, _ in spaces[:place]]]
    if twice:
        raise InputError(f"'{twice[0]}' is given twice; give each space once.")
    return dict(spaces)
