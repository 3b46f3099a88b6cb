"""`likeness export`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.inputs import composition_named, embedded, rows_where, source_table, tell_warnings
from likeness.commands.options import Dim, EncoderName, NotionName
from likeness.commands.terminal import printable, progress_bar
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.exports import Written
    from likeness.space import Space


def export(
    source: Annotated[str, typer.Argument(help="{datasets}; or a trained run, `run:NAME` or its folder.")],
    target: Annotated[str, typer.Argument(help="{targets}.")],
    place: Annotated[str, typer.Argument(help="File, folder or address to write to; nothing may stand there yet.")],
    label: Annotated[str | None, typer.Option(help="Attribute whose values are the classes; by default `label` or `class`, or what repeats.")] = None,
    columns: Annotated[str | None, typer.Option(help="Only these attributes, separated by commas; by default all.")] = None,
    only: Annotated[Path | None, typer.Option(help="Text file of the images to export, a path or file name a line.")] = None,
    where: Annotated[str | None, typer.Option(help="Only images with a value of an attribute or a tag: `class=beagle`, `good=yes`.")] = None,
    notion: NotionName = None,
    encoder: EncoderName = None,
    dim: Dim = None,
    method: Annotated[str, typer.Option(help="Of fitting the notion (see `likeness kinds methods`).")] = "exact",
    vectors: Annotated[bool, typer.Option("--vectors", help="Write vectors as well.")] = False,
    neighbors: Annotated[int, typer.Option("-k", "--neighbors", min=0, help="Write so many nearest images of each.")] = 0,
    link: Annotated[str | None, typer.Option(help="How image files come into a folder: `symlink`, `hard` or `copy`.")] = None,
    val: Annotated[float, typer.Option(min=0, max=0.99, help="Share of each class for validation.")] = 0.2,
    split: Annotated[str | None, typer.Option(help="Attribute that says train, val or test, instead of --val.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn at random.")] = 0,
    name: Annotated[str | None, typer.Option(help="Of the collection or table in a database; by default that of the images.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an export into a database that was interrupted.")] = False,
    portable: Annotated[bool, typer.Option("--portable", help="Name no place of this machine, and copy images in place of links.")] = False,
) -> None:
    """Write images, labels, vectors, a notion or a trained run for another program; what was labeled by hand is written as well.

    Examples: `likeness export photos/ coco photos.json --label breed`, `likeness export photos/ yolo breeds/ --label breed --val 0.2`,
    `likeness export photos/ links picked/ --where good=yes --link copy`, `likeness export photos/ parquet photos.parquet --vectors -k 10`,
    `likeness export cars qdrant db/ --notion car-color`, `likeness export cars notion color/ --notion car-color`,
    `likeness export run:shipped-cars-elg onnx model/`
    """
    from likeness.exports import export as write, find_target

    chosen = find_target(target)
    given: dict[str, Any] = {"label": label, "vectors": vectors, "neighbors": neighbors, "link": link, "val": val, "split": split}
    given |= {"seed": seed, "name": name, "resume": resume}
    options = chosen.checked_options(given)
    if chosen.takes == "run":
        others = {"--columns": columns, "--only": only, "--where": where, "--notion": notion, "--encoder": encoder, "--dim": dim}
        others["--portable"] = portable or None
        _check_none_given(others, target)
        _say(write(source, target, place))
        return
    needed = chosen.needs_space(options)
    if not needed and (notion or encoder or dim):
        raise InputError(f"The target '{target}' writes no vectors here, so no encoder and no notion change it; leave them out, or add --vectors.")
    chosen.check(place)
    table = _with_labels(source, only)
    if where is not None:
        table = replace(table, frame=table.frame.iloc[rows_where(table, where)])
    material = _space(table, notion, encoder, dim, method) if needed else table
    names = None if columns is None else [each.strip() for each in columns.split(",")]
    with progress_bar("Writing") as progress:
        done = write(material, target, place, columns=names, portable=portable, progress=progress, **given)
    _say(done)


def _say(done: "Written") -> None:
    typer.echo(printable(f"{done.n:,} {done.what} written to {done.place}"))
    if done.note:
        typer.echo(printable(done.note))


def _check_none_given(options: dict[str, Any], target: str) -> None:
    """Raises InputError for an option that is about images, where a run is written."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"The target '{target}' writes a run, which {name} does not change; leave it out.")


def _with_labels(source: str, only: Path | None) -> "ImageTable":
    """The images of a source, with what was labeled by hand."""
    from likeness.tagging import tag_store, with_tags

    table = source_table(source, only)
    return with_tags(table, tag_store(source, table))


def _space(table: "ImageTable", notion: str | None, encoder: str | None, dim: int | None, method: str) -> "Space":
    base = embedded(table, encoder)
    if notion is None:
        return base
    named = composition_named(notion)
    tell_warnings(named, base.encoder, base)
    return base.refit(named, method, dim=dim)
