"""`likeness tags`: tags, values and notes that people gave to the images of a dataset."""

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
    help="Tags, values and notes of images: list, set, remove, rename, import and export them; undo an edit; repair their file. "
    "They are attributes of the images at once.",
)
_Name = Annotated[str, typer.Argument(help="Of a tag; with a value, of an attribute; `note` for the notes.")]
_Known = Annotated[str, typer.Argument(help="Of a tag or an attribute that images have.")]
_PathsOption = Annotated[list[str] | None, typer.Option("--path", help="An image, by its path in the dataset or its file's name; may be repeated.")]
_ImagesOption = Annotated[Path | None, typer.Option("--images", callback=readable_list, help="Text file of the images, a path or file name a line.")]
_Where = Annotated[str | None, typer.Option(help="All images with a value of an attribute or a tag: `class=beagle`, `good=yes`.")]
_All = Annotated[bool, typer.Option("--all", help="All images.")]
_Who = Annotated[str | None, typer.Option(help="Who makes the edit; by default the user of this machine.")]
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
    value: Annotated[str | None, typer.Option(help="A value; without, NAME is a tag.")] = None,
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
        raise InputError("A note has a text; give it by --value.")
    by, (store, chosen) = _user(who), _chosen(source, path, images, where, every)
    if value is None:
        _tell(store.add_tag(chosen, name, by), source)
    else:
        _tell(store.set_note(chosen, value, by) if name == NOTE else store.set_value(chosen, name, value, by), source)


@tags.command(cls=ListedHelp)
def remove(
    source: Source, name: _Name, path: _PathsOption = None, images: _ImagesOption = None, where: _Where = None, every: _All = False, who: _Who = None
) -> None:
    """Take a tag, the value of an attribute, or the note from images.

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
def rename(
    source: Source, name: _Known, new: Annotated[str, typer.Argument(help="The new name, which no image has anything of.")], who: _Who = None
) -> None:
    """Give a tag or an attribute another name on all images, as one edit.

    Example: `likeness tags rename photos/ good sharp`
    """
    _tell(_store(source)[1].rename(name, new, _user(who)), source)


@tags.command("import", cls=ListedHelp)
def import_file(
    source: Source,
    file: Annotated[Path, typer.Argument(help="CSV file: a column of paths or file names, and one for each attribute; `tag:NAME` for a tag.")],
    column: Annotated[str | None, typer.Option(help="The column of the images in FILE; by default `path`, `file`, `image` or the like.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what fits.")] = False,
    who: _Who = None,
) -> None:
    """Give images what a CSV file says of them, as one edit. Empty cells change nothing.

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
        str | None, typer.Option(help="A dataset of its own instead: only images that have a value of these attributes, separated by commas.")
    ] = None,
) -> None:
    """Write what all images have into a CSV file, which `likeness tags import` reads again.

    With --labeled, the file is a dataset: it stays as it is while labeling goes on, and runs train on it.

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
    n: Annotated[int, typer.Option("-n", min=1, help="How many edits, the newest first.")] = 20,
    who: Annotated[str | None, typer.Option(help="Only those of one person.")] = None,
    path: Annotated[str | None, typer.Option(help="Only those of one image, by its path or its file's name.")] = None,
    format: Format = "table",
) -> None:
    """List who gave or took what, and when (UTC).

    Example: `likeness tags log photos/ --who ada`
    """
    table, store = _store(source)
    found = store.log(n, who, _matched(table, [path])[0] if path else None)
    if found.empty:
        raise InputError(f"There is no such edit of the tags of '{source}'.")
    print_table(found.assign(time=found["time"].dt.strftime("%Y-%m-%d %H:%M:%S"), undone=found["undone"].map({True: "yes", False: ""})), format)


@tags.command(cls=ListedHelp)
def undo(source: Source, who: _Who = None) -> None:
    """Take back your newest edit. Images that somebody else has changed since stay as they are.

    Example: `likeness tags undo photos/`
    """
    _tell(_store(source)[1].undo(_user(who)), source)


@tags.command(cls=ListedHelp)
def redo(source: Source, who: _Who = None) -> None:
    """Do again what you undid last.

    Example: `likeness tags redo photos/`
    """
    _tell(_store(source)[1].redo(_user(who)), source)


@tags.command(cls=ListedHelp)
def repair(source: Source) -> None:
    """Leave out of a damaged file of tags the edits that do not fit their checksums. The file as it was is kept beside it.

    Example: `likeness tags repair photos/`
    """
    from likeness.tagging import TagStore, tags_file

    left_out = TagStore(tags_file(source)).repair()
    typer.echo(f"Left out: edit {', '.join(map(str, left_out))}." if left_out else "All edits fit their checksums and are kept.")


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
        raise InputError("This machine does not tell who you are; say it by --who.") from error


def _chosen(source: str, path: list[str] | None, images: Path | None, where: str | None, every: bool) -> "tuple[TagStore, list[str]]":
    """The tags of a dataset, and paths of the images that exactly one of the options names."""
    from likeness.data import keep_listed
    from likeness.tagging import with_tags

    if sum((bool(path), images is not None, where is not None, every)) != 1:
        raise InputError("Choose the images by exactly one of --path, --images, --where and --all.")
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
            why = "has several images of that name; give the path" if name in ambiguous else "has no such image; give a path or a file's name"
            raise InputError(f"'{name}': '{table.name}' {why}.")
    return [str(path) for path in found]


def _tell(edit: "Edit", source: str) -> None:
    if not edit.id:
        typer.echo("Nothing to change: the images are so already.")
        return
    what = f" '{edit.name}'" + (f" = '{edit.value}'" if edit.value else "")
    skipped = f"; {edit.skipped:,} were changed since and stay as they are" if edit.skipped else ""
    typer.echo(printable(f"{edit.action}{what}: {edit.images:,} images{skipped}"))
    if edit.action not in ("undo", "redo"):
        typer.echo(f"Edit {edit.id}; `likeness tags undo {source}` takes it back.")


def _print_report(report: "ImportReport") -> None:
    typer.echo(f"{report.matched:,} of {report.rows:,} rows name an image of the dataset")
    for what, names in (("no image", report.missing), ("several images, so give the path", report.ambiguous)):
        if names:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            typer.echo(printable(f"  {what}: {', '.join(names[:_SHOWN])}{more}"))
    for name, (kind, count) in report.columns.items():
        typer.echo(printable(f"  {kind} '{name}': {count:,} values"))
