"""Arguments and options that several commands share."""

import os
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from likeness.commands.inputs import composition_named, listed_notions
from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError
from likeness.io import as_path, check_output_file, check_output_folder, name_to_text, text_of

FORMATS = ("table", "markdown", "csv", "latex")
Names = TypeVar("Names", str | None, list[str] | None)


def output_file(ctx: typer.Context, place: Path | None) -> Path | None:
    """What an option that names a file to write calls when it is read, so that nobody works for a result that has no place, and nothing is replaced
    that was not meant to be: its command has the option --force (`likeness.commands.listed_help`), which is read before all others.
    """
    if place is not None:
        check_output_file(place)
        if os.path.lexists(place) and not ctx.params.get("force"):
            raise InputError(f"'{place}' exists; name another file, or add --force to replace it.")
    return place


def output_folder(place: Path | None) -> Path | None:
    """As `output_file`, of a folder."""
    if place is not None:
        check_output_folder(place)
    return place


def plain_text(text: str | None) -> str | None:
    """What an option that takes a text calls: where the system speaks another language than UTF-8, its bytes are those of a file's name."""
    return None if text is None else name_to_text(text)


def _known_format(format: str) -> str:
    if format not in FORMATS:
        raise InputError(f"There is no format '{format}'; choose one of {', '.join(FORMATS)}.")
    return format


def page_file(ctx: typer.Context, plot: Path | None) -> Path | None:
    """As `output_file`, of an interactive figure."""
    if plot is not None and plot.suffix != ".html":
        raise InputError(f"Can't write the plot '{plot}'; end its name in .html.")
    return output_file(ctx, plot)


WRITE_FILES = (output_file, page_file)


def _each(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) and names else list(names or [])


def known_encoders(names: Names) -> Names:
    """What an option that names encoders calls when it is read: InputError for a name of no known form, before images are read."""
    from likeness.encoders import parse_name

    for name in _each(names):
        parse_name(name)
    return names


def known_notions(names: Names) -> Names:
    """As `known_encoders`, of notions or of several joined. The file of one is read by its command, whatever signs its path has."""
    for name in _each(names):
        if not (name.endswith((".yaml", ".yml")) and os.path.isfile(os.path.expanduser(name))):
            composition_named(name)
    return names


def known_list(names: str | None) -> str | None:
    """As `known_notions`, of names with commas between, or `all`."""
    listed_notions(names)
    return names


def readable_list(file: Path | None) -> Path | None:
    """What an option that names a text file of images calls when it is read: InputError where it cannot be read."""
    if file is not None:
        text_of(as_path(file))
    return file


def _known_solver(solver: str) -> str:
    from likeness.notions import SOLVERS

    if solver not in SOLVERS:
        raise InputError(f"There is no solver '{solver}'; choose from {', '.join(SOLVERS)}.")
    return solver


Source = Annotated[str, typer.Argument(help="{datasets}")]
PathColumn = Annotated[str | None, typer.Option(help="Column of paths in a CSV or Parquet file; by default `path`, `file`, `image` or the like.")]
CaptionColumn = Annotated[
    str | None, typer.Option(help="Column of captions there, a sentence or a JSON list of sentences a cell; by default `captions` or `caption`.")
]
EncoderName = Annotated[
    str | None, typer.Option("--encoder", "-e", callback=known_encoders, help="{encoders}; by default `cars` for rendered cars, `photos` for others.")
]
NotionName = Annotated[
    str | None, typer.Option("--notion", "-n", callback=known_notions, help="A notion's name (see `likeness info`) or a YAML file.")
]
Dim = Annotated[
    int | None,
    typer.Option("--dim", "-d", min=1, help="Dimensions of the notion's space. Default: the notion's own, or as many as its prompts suggest."),
]
Solver = Annotated[
    str,
    typer.Option(callback=_known_solver, help="`exact`: the minimum of the paper's loss; `adam`: the paper's procedure; `faded`: near it, at once."),
]
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of all random choices.")]
OutputFile = Annotated[Path | None, typer.Option("--out", "-o", callback=output_file, help="File to write.")]
Force = Annotated[bool, typer.Option("--force", is_eager=True, help="Replace files that exist.")]
Notions = Annotated[
    str | None, typer.Option(callback=known_list, help="Names, separated by commas; `all`: every notion that the images have labels for.")
]
Runs = Annotated[int, typer.Option(min=1, help="Runs per method that has random choices.")]
Attribute = Annotated[str | None, typer.Option("--attribute", "-a", help="Attribute that is the class; several, separated by commas, combine.")]
Only = Annotated[Path | None, typer.Option(callback=readable_list, help="Text file of the images that judge, a path or file name a line.")]
Format = Annotated[str, typer.Option(callback=_known_format, help="table, markdown, csv or latex.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="Another value, by dotted key: `--set guidance.omega=5`; may be repeated.")]
Plot = Annotated[Path | None, typer.Option(callback=page_file, help="Interactive figure to write, FILE.html; opens without network.")]
