"""`likeness tags`: manual tags, attribute values and notes of images."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import rows_where, source_table
from likeness.commands.listed_help import DefaultList, ListedHelp
from likeness.commands.options import Format, Source, output_file, readable_list
from likeness.commands.terminal import print_table, printable
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.tagging import Edit, ImportReport, TagStore

tags = typer.Typer(
    name="tags",
    cls=DefaultList,
    help="Tags, values and notes of images: list, set, remove, rename, import and export them, undo edits. They are available as "
    "attributes immediately.",
)
_Name = Annotated[str, typer.Argument(help="Name of a tag, or of an attribute if there is a value; `note` for notes.")]
_Known = Annotated[str, typer.Argument(help="Name of an existing tag or attribute.")]
_PathsOption = Annotated[list[str] | None, typer.Option("--path", help="Path of an image in the dataset, or its file name; may be repeated.")]
_ImagesOption = Annotated[Path | None, typer.Option("--images", callback=readable_list, help="Text file of images, one path or file name per line.")]
_Where = Annotated[str | None, typer.Option(help="All images with this attribute value or tag: `class=beagle`, `good=yes`.")]
_All = Annotated[bool, typer.Option("--all", help="All images.")]
_Who = Annotated[str | None, typer.Option(help="Author of the edit; by default your user name.")]
_SHOWN = 5


@tags.command(name="list", cls=ListedHelp)
def list_(source: Source = DATASET, format: Format = "table") -> None:
    """List the tags and values of a dataset's images, and how many have each.

    Example: `likeness tags list photos/`
    """
    _, store = _store(source)
    found = store.counts()
    if found.empty:
        raise InputError(f"No image of '{source}' has a tag, a value or a note; give one with `likeness tags set`.")
    print_table(found, format)


@tags.command(name="set", cls=ListedHelp)
def set_(
    source: Source,
    name: _Name,
    value: Annotated[str | None, typer.Option(help="Attribute value; without it, NAME is a tag.")] = None,
    path: _PathsOption = None,
    images: _ImagesOption = None,
    where: _Where = None,
    every: _All = False,
    who: _Who = None,
) -> None:
    """Give images a tag, a value of an attribute, or a note.

    Examples: `likeness tags set photos/ good --path a.jpg --path b.jpg`, `likeness tags set photos/ breed --value beagle --images picked.txt`
    """
    from likeness.tagging import NOTE

    if name == NOTE and value is None:
        raise InputError("A note needs a text; pass it with --value.")
    by, (store, chosen) = _user(who), _chosen(source, path, images, where, every)
    if value is None:
        _tell(store.add_tag(chosen, name, by), source)
    else:
        _tell(store.set_note(chosen, value, by) if name == NOTE else store.set_value(chosen, name, value, by), source)


@tags.command(cls=ListedHelp)
def remove(
    source: Source, name: _Name, path: _PathsOption = None, images: _ImagesOption = None, where: _Where = None, every: _All = False, who: _Who = None
) -> None:
    """Remove a tag, an attribute value, or the note from images.

    Example: `likeness tags remove photos/ good --where class=beagle`
    """
    from likeness.tagging import NOTE

    by, (store, chosen) = _user(who), _chosen(source, path, images, where, every)
    known = None if name == NOTE else store.kind_of(name)
    if name == NOTE:
        _tell(store.set_note(chosen, "", by), source)
    else:
        _tell((store.clear_value if known and known[1] == "attribute" else store.remove_tag)(chosen, name, by), source)


@tags.command(cls=ListedHelp)
def rename(source: Source, name: _Known, new: Annotated[str, typer.Argument(help="New name, not in use yet.")], who: _Who = None) -> None:
    """Rename a tag or an attribute on all images, as one edit.

    Example: `likeness tags rename photos/ good sharp`
    """
    _tell(_store(source)[1].rename(name, new, _user(who)), source)


@tags.command("import", cls=ListedHelp)
def import_file(
    source: Source,
    file: Annotated[Path, typer.Argument(help="CSV file with a column of paths or file names, and one per attribute; `tag:NAME` for a tag.")],
    column: Annotated[str | None, typer.Option(help="Column of image paths in FILE; by default `path`, `file`, `image` or the like.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what matches.")] = False,
    who: _Who = None,
) -> None:
    """Import tags and values from a CSV file as one undoable edit. Empty cells change nothing.

    Examples: `likeness tags import photos/ labels.csv --dry-run`, `likeness tags import photos/ labels.csv --column picture`
    """
    from likeness.tagging import import_csv

    table, store = _store(source)
    report = import_csv(store, table, file, _user(who), column, dry_run)
    _print_report(report)
    if report.edit is None:
        typer.echo("Nothing was changed.")
    else:
        _tell(report.edit, source)


@tags.command(cls=ListedHelp)
def export(
    source: Source,
    file: Annotated[Path, typer.Argument(callback=output_file, help="CSV file to write.")],
    labeled: Annotated[
        str | None, typer.Option(help="Write a dataset instead: only images that have values of these attributes, separated by commas.")
    ] = None,
) -> None:
    """Export all tags, values and notes to a CSV file, which `likeness tags import` reads.

    With --labeled, the file is a dataset for training, which does not change while labeling continues.

    Examples: `likeness tags export photos/ labels.csv`, `likeness tags export photos/ breeds.csv --labeled breed`
    """
    from likeness.tagging import export_csv, export_table

    table, store = _store(source)
    names = None if labeled is None else [name.strip() for name in labeled.split(",")]
    count = export_csv(store, file) if names is None else export_table(store, table, names, file)
    typer.echo(f"{count:,} images written to {file}")


@tags.command(cls=ListedHelp)
def log(
    source: Source = DATASET,
    n: Annotated[int, typer.Option("-n", min=1, help="Number of edits, newest first.")] = 20,
    who: Annotated[str | None, typer.Option(help="Only edits of this person.")] = None,
    path: Annotated[str | None, typer.Option(help="Only edits of this image, by path or file name.")] = None,
    format: Format = "table",
) -> None:
    """List edits: who changed what, and when (UTC).

    Example: `likeness tags log photos/ --who ada`
    """
    table, store = _store(source)
    found = store.log(n, who, _matched(table, [path])[0] if path else None)
    if found.empty:
        raise InputError(f"No matching edit of the tags of '{source}'.")
    print_table(found.assign(time=found["time"].dt.strftime("%Y-%m-%d %H:%M:%S"), undone=found["undone"].map({True: "yes", False: ""})), format)


@tags.command(cls=ListedHelp)
def undo(source: Source, who: _Who = None) -> None:
    """Undo your newest edit, except on images that somebody else has changed since.

    Example: `likeness tags undo photos/`
    """
    _tell(_store(source)[1].undo(_user(who)), source)


@tags.command(cls=ListedHelp)
def redo(source: Source, who: _Who = None) -> None:
    """Redo your last undone edit.

    Example: `likeness tags redo photos/`
    """
    _tell(_store(source)[1].redo(_user(who)), source)


def _store(source: str) -> "tuple[ImageTable, TagStore]":
    from likeness.tagging import tag_store

    table = source_table(source)
    return table, tag_store(source, table)


def _user(who: str | None) -> str:
    import getpass

    if who is not None:
        return who
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise InputError("Cannot determine your user name; pass --who.") from error


def _chosen(source: str, path: list[str] | None, images: Path | None, where: str | None, every: bool) -> "tuple[TagStore, list[str]]":
    """The tags of a dataset, and the paths of the images that exactly one of the options selects."""
    from likeness.data import keep_listed
    from likeness.tagging import with_tags

    if sum((bool(path), images is not None, where is not None, every)) != 1:
        raise InputError("Select images with exactly one of --path, --images, --where and --all.")
    table, store = _store(source)
    if path:
        return store, _matched(table, path)
    if images is not None:
        table = keep_listed(table, images)
    elif where is not None:
        table = with_tags(table, store)
        table = replace(table, frame=table.frame.iloc[rows_where(table, where)])
    return store, [str(each) for each in table.frame["path"]]


def _matched(table: "ImageTable", names: list[str]) -> list[str]:
    from likeness.tagging import match_images

    found, ambiguous = match_images(table, names)
    for name, path in zip(names, found, strict=True):
        if path is None:
            why = "has several images of that name; pass the path" if name in ambiguous else "has no such image; pass a path or a file name"
            raise InputError(f"'{name}': '{table.name}' {why}.")
    return [str(path) for path in found]


def _tell(edit: "Edit", source: str) -> None:
    if not edit.id:
        typer.echo("Nothing to change.")
        return
    what = f" '{edit.name}'" + (f" = '{edit.value}'" if edit.value else "")
    skipped = f"; {edit.skipped:,} changed since and were skipped" if edit.skipped else ""
    typer.echo(printable(f"{edit.action}{what}: {edit.images:,} images{skipped}"))
    if edit.action not in ("undo", "redo"):
        typer.echo(f"Edit {edit.id}; undo it with `likeness tags undo {source}`.")


def _print_report(report: "ImportReport") -> None:
    typer.echo(f"{report.matched:,} of {report.rows:,} rows name an image of the dataset")
    for what, names in (("no image", report.missing), ("several images, so give the path", report.ambiguous)):
        if names:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            typer.echo(printable(f"  {what}: {', '.join(names[:_SHOWN])}{more}"))
    for name, (kind, count) in report.columns.items():
        typer.echo(printable(f"  {kind} '{name}': {count:,} values"))
