"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError
from likeness.io import check_output_file, check_output_folder, name_to_text

FORMATS = ("table", "markdown", "csv", "latex")


def output_file(place: Path | None) -> Path | None:
    """What an option that names a file to write calls when it is read, so that nobody works for a result that has no place."""
    if place is not None:
        check_output_file(place)
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


def _page_file(plot: Path | None) -> Path | None:
    if plot is not None and plot.suffix != ".html":
        raise InputError(f"Can't write the plot '{plot}'; end its name in .html.")
    return output_file(plot)


Source = Annotated[str, typer.Argument(help="{datasets}")]
PathColumn = Annotated[str | None, typer.Option(help="Column of paths in a CSV or Parquet file; by default `path`, `file`, `image` or the like.")]
CaptionColumn = Annotated[
    str | None, typer.Option(help="Column of captions there, a sentence or a JSON list of sentences a cell; by default `captions` or `caption`.")
]
EncoderName = Annotated[str | None, typer.Option("--encoder", "-e", help="{encoders}; by default `cars` for rendered cars, `photos` for others.")]
NotionName = Annotated[str | None, typer.Option("--notion", "-n", help="A notion's name (see `likeness info`) or a YAML file.")]
Dim = Annotated[
    int | None,
    typer.Option("--dim", "-d", min=1, help="Dimensions of the notion's space. Default: the notion's own, or as many as its prompts suggest."),
]
Solver = Annotated[str, typer.Option(help="`exact`: the minimum of the paper's loss; `adam`: the paper's procedure; `faded`: near it, at once.")]
Seed = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of all random choices.")]
OutputFile = Annotated[Path | None, typer.Option("--out", "-o", callback=output_file, help="File to write.")]
Notions = Annotated[str | None, typer.Option(help="Names, separated by commas; `all`: every notion that the images have labels for.")]
Runs = Annotated[int, typer.Option(min=1, help="Runs per method that has random choices.")]
Attribute = Annotated[str | None, typer.Option("--attribute", "-a", help="Attribute that is the class; several, separated by commas, combine.")]
Only = Annotated[Path | None, typer.Option(help="Text file of the images that judge, a path or file name a line.")]
Format = Annotated[str, typer.Option(callback=_known_format, help="table, markdown, csv or latex.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="Another value, by dotted key: `--set guidance.omega=5`; may be repeated.")]
Plot = Annotated[Path | None, typer.Option(callback=_page_file, help="Interactive figure to write, FILE.html; opens without network.")]
