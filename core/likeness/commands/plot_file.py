"""Writing a figure as a page."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import output_file
from likeness.errors import InputError

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Plot = Annotated[Path | None, typer.Option(callback=output_file, help="Interactive figure to write, FILE.html; opens without network.")]


def check_plot(plot: Path | None) -> None:
    """Raises InputError for a name that could not be written; called before slow work."""
    if plot is not None and plot.suffix != ".html":
        raise InputError(f"Can't write the plot '{plot}'; end its name in .html.")


def write_plot(plot: Path, figure: "Figure", title: str, notes: Sequence[str] = ()) -> None:
    """Writes the page and says so on stderr."""
    from likeness.io import write_atomic
    from likeness.plots import as_page

    write_atomic(plot, as_page(figure, title, notes).encode())
    typer.echo(f"wrote {plot}", err=True)
