"""`likeness export`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.inputs import embedded, rows_where, source_table, space_named
from likeness.commands.options import Dim, EncoderName, NotionName, Only
from likeness.commands.terminal import print_table, printable, progress_bar
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.exports import Written


def export(
    source: Annotated[str, typer.Argument(help="{datasets}; or a trained run, `run:NAME` or its folder.")],
    target: Annotated[str, typer.Argument(help="{targets}.")],
    place: Annotated[str, typer.Argument(help="File or folder to write to, which must not exist yet; for `lancedb` also a URL.")],
    label: Annotated[str | None, typer.Option(help="Class attribute; by default `label` or `class`, or one whose values repeat.")] = None,
    columns: Annotated[str | None, typer.Option(help="Attributes to include, separated by commas; by default all.")] = None,
    only: Only = None,
    where: Annotated[str | None, typer.Option(help="Only images with this attribute value or tag: `class=beagle`, `good=yes`.")] = None,
    notion: NotionName = None,
    encoder: EncoderName = None,
    dim: Dim = None,
    method: Annotated[str, typer.Option(help="Method that fits the notion (see `likeness kinds methods`).")] = "exact",
    vectors: Annotated[bool, typer.Option("--vectors", help="Also write vectors.")] = False,
    neighbors: Annotated[int, typer.Option("-k", "--neighbors", min=0, help="Number of nearest images written per image.")] = 0,
    link: Annotated[str | None, typer.Option(help="How image files get into a folder: `symlink`, `hard` or `copy`.")] = None,
    val: Annotated[float, typer.Option(min=0, max=0.99, help="Share of each class for validation.")] = 0.2,
    split: Annotated[str | None, typer.Option(help="Attribute with the values train, val or test, instead of --val.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    name: Annotated[str | None, typer.Option(help="Name of the table in a LanceDB; by default that of the images.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted export into a LanceDB.")] = False,
    precision: Annotated[str, typer.Option(help="`float32`, `int8` or `binary` vectors; what is lost is printed.")] = "float32",
    portable: Annotated[bool, typer.Option("--portable", help="Write relative paths, and copy images instead of linking them.")] = False,
) -> None:
    """Export images, labels (also those given by hand), vectors, a notion or a trained run for another program.

    Examples: `likeness export photos/ coco photos.json --label breed`, `likeness export photos/ yolo breeds/ --label breed --val 0.2`,
    `likeness export photos/ links picked/ --where good=yes --link copy`, `likeness export photos/ parquet photos.parquet --vectors -k 10`,
    `likeness export cars lancedb db/ --notion car-color`, `likeness export cars notion color/ --notion car-color`,
    `likeness export run:shipped-cars-elg onnx model/`
    """
    from likeness.evaluation import quantization_losses
    from likeness.exports import export as write, find_target
    from likeness.notions import named_methods
    from likeness.tagging import tag_store, with_tags

    chosen = find_target(target)
    given: dict[str, Any] = {"label": label, "vectors": vectors, "neighbors": neighbors, "link": link, "val": val, "split": split}
    given |= {"seed": seed, "name": name, "resume": resume, "precision": precision}
    options = chosen.checked_options(given)
    if chosen.takes == "run":
        others = {"--columns": columns, "--only": only, "--where": where, "--notion": notion, "--encoder": encoder, "--dim": dim}
        wrong = next((option for option, value in (others | {"--portable": portable or None}).items() if value is not None), None)
        if wrong is not None:
            raise InputError(f"The target '{target}' writes a run, so {wrong} has no effect; remove it.")
        _say(write(source, target, place))
        return
    needed = chosen.needs_space(options)
    if not needed and (notion or encoder or dim):
        raise InputError(f"The target '{target}' writes no vectors here, so encoder and notion have no effect; remove them, or add --vectors.")
    chosen.check(place)
    named_methods([method])  # refuses what is none
    table = source_table(source, only)
    table = with_tags(table, tag_store(source, table))  # what was labeled by hand
    if where is not None:
        table = replace(table, frame=table.frame.iloc[rows_where(table, where)])
    material = space_named(embedded(table, encoder), notion, dim, method) if needed else table
    names = None if columns is None else [each.strip() for each in columns.split(",")]
    with progress_bar("Writing") as progress:
        done = write(material, target, place, columns=names, portable=portable, progress=progress, **given)
    _say(done)
    if precision != "float32" and len(material) > 1:
        print_table(quantization_losses(material), "table")


def _say(done: "Written") -> None:
    typer.echo(printable(f"{done.n:,} {done.what} written to {done.place}"))
    if done.note:
        typer.echo(printable(done.note))
