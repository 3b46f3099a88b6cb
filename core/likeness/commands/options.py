"""Arguments and options shared by several commands."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from likeness.commands.inputs import composition_named, listed_notions
from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError, check_known
from likeness.io import as_path, check_output_file, check_output_folder, name_to_text, text_of

FORMATS = ("table", "markdown", "csv", "latex", "json")
Names = TypeVar("Names", str | None, list[str] | None)


def output_file(ctx: typer.Context, place: Path | None) -> Path | None:
    """Callback of options that name a file to write: fails before any work if the file cannot be written, or exists and --force is not given (an
    eager option of `likeness.commands.listed_help`).
    """
    if place is not None:
        check_output_file(place)
        if os.path.lexists(place) and not ctx.params.get("force"):
            raise InputError(f"'{place}' exists; name another file, or add --force to replace it.")
    return place


def output_folder(place: Path | None) -> Path | None:
    """As `output_file`, for a folder."""
    if place is not None:
        check_output_folder(place)
    return place


def plain_text(text: str | None) -> str | None:
    """Callback of text options: decodes text that a non-UTF-8 locale passes as bytes of a file name."""
    return None if text is None else name_to_text(text)


def one_of(what: str, names: Sequence[str]) -> Callable[[str], str]:
    """Callback of options with a choice of names: raises InputError for others."""

    def checked(name: str) -> str:
        check_known(what, name, names)
        return name

    return checked


def page_file(ctx: typer.Context, plot: Path | None) -> Path | None:
    """As `output_file`, for an interactive figure."""
    if plot is not None and plot.suffix != ".html":
        raise InputError(f"Cannot write the plot '{plot}'; its name must end in .html.")
    return output_file(ctx, plot)


WRITE_FILES = (output_file, page_file)


def _each(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) and names else list(names or [])


def known_encoders(names: Names) -> Names:
    """Callback of encoder options: raises InputError for an invalid name before images are read."""
    from likeness.encoders import parse_name

    for name in _each(names):
        parse_name(name)
    return names


def known_notions(names: Names) -> Names:
    """As `known_encoders`, for notions or compositions. A notion's file is read later, by its command, whatever characters its path has."""
    for name in _each(names):
        if not (name.endswith((".yaml", ".yml")) and os.path.isfile(os.path.expanduser(name))):
            composition_named(name)
    return names


def known_list(names: str | None) -> str | None:
    """As `known_notions`, for comma-separated names or `all`."""
    listed_notions(names)
    return names


def readable_list(file: Path | None) -> Path | None:
    """Callback of options that name a text file of images: raises InputError if it cannot be read."""
    if file is not None:
        text_of(as_path(file))
    return file


def _known_solver(solver: str) -> str:
    from likeness.notions import SOLVERS

    check_known("solver", solver, SOLVERS)
    return solver


Source = Annotated[str, typer.Argument(help="{datasets}")]
PathColumn = Annotated[str | None, typer.Option(help="Column of paths in a CSV or Parquet file; by default `path`, `file`, `image` or the like.")]
CaptionColumn = Annotated[
    str | None,
    typer.Option(help="Column of captions in that file, a sentence or a JSON list of sentences per cell; by default `captions` or `caption`."),
]
EncoderName = Annotated[
    str | None, typer.Option("--encoder", "-e", callback=known_encoders, help="{encoders}; by default `cars` for rendered cars, `photos` for others.")
]
Encoders = Annotated[
    list[str] | None,
    typer.Option(
        "--encoder", "-e", callback=known_encoders, help="{encoders}; may be repeated; by default `cars` for rendered cars, `photos` for others."
    ),
]
NotionName = Annotated[
    str | None,
    typer.Option("--notion", "-n", callback=known_notions, help="A notion's name (see `likeness info`), a YAML file, or several: `a + 0.5 b`."),
]
Dim = Annotated[
    int | None,
    typer.Option("--dim", "-d", min=1, help="Dimensions of the notion's space. Default: the notion's own, or the number its prompts suggest."),
]
Solver = Annotated[
    str,
    typer.Option(
        callback=_known_solver, help="`exact`: minimum of the paper's loss; `adam`: the paper's procedure; `faded`: a fast approximation of `adam`."
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of all random choices.")]
OutputFile = Annotated[Path | None, typer.Option("--out", "-o", callback=output_file, help="File to write.")]
Force = Annotated[bool, typer.Option("--force", is_eager=True, help="Replace files that exist.")]
Notions = Annotated[
    str | None, typer.Option(callback=known_list, help="Names, separated by commas; `all`: every notion that the images have labels for.")
]
Runs = Annotated[int, typer.Option(min=1, help="Runs per randomized method.")]
Attribute = Annotated[str | None, typer.Option("--attribute", "-a", help="Class attribute; several, separated by commas, are combined.")]
Only = Annotated[Path | None, typer.Option(callback=readable_list, help="Text file of the images to use, one path or file name per line.")]
Weights = Annotated[str, typer.Option(callback=one_of("checkpoint", ("last", "best")), help="Metrics of the `last` or the `best` weights.")]
Format = Annotated[str, typer.Option(callback=one_of("format", FORMATS), help="table, markdown, csv, latex or json.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="Override a config value by dotted key: `--set guidance.omega=5`; may be repeated.")]
Plot = Annotated[Path | None, typer.Option(callback=page_file, help="Interactive figure to write, FILE.html; works offline.")]
