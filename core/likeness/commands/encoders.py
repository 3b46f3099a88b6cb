"""`likeness encoders`: recommended published encoders and their downloads."""

from typing import Annotated

import typer

from likeness.commands.listed_help import ListedHelp
from likeness.commands.options import Format
from likeness.commands.terminal import print_table, progress_bar

SHIPPED_ENCODERS = ("cars", "cars-small", "photos")
encoders = typer.Typer(name="encoders", help="List, measure and download recommended published encoders.", no_args_is_help=True)


@encoders.command(name="list")
def list_(
    measure: Annotated[bool, typer.Option("--measure", help="Measure their speed on this machine, without downloading weights.")] = False,
    format: Format = "table",
) -> None:
    """List published encoders: what each is good for, its download, license and speed on this machine.

    Examples: `likeness encoders list`, `likeness encoders list --measure`
    """
    import pandas as pd

    from likeness.encoders import PUBLISHED, measure_speed, remembered_speeds
    from likeness.io import size_text

    if measure:
        with progress_bar("Measuring") as progress:
            for number, encoder in enumerate(PUBLISHED.values()):
                progress(number, len(PUBLISHED), encoder.name)
                measure_speed(encoder)
    speeds = remembered_speeds()
    rows = [
        {
            "name": each.name,
            "good for": each.help,
            "texts": "yes" if each.has_text else "no",
            "pixels": each.pixels,
            "download": "is here" if each.is_here else size_text(each.megabytes * 1e6),
            "images/s": f"{speeds[each.name]:.3g}" if each.name in speeds else "?",
            "license": each.license,
        }
        for each in PUBLISHED.values()
    ]
    print_table(pd.DataFrame(rows), format)
    if not speeds:
        typer.echo("Speeds are measured by `likeness encoders list --measure`.", err=True)


@encoders.command(cls=ListedHelp)
def get(name: Annotated[str, typer.Argument(help="{encoders}.")]) -> None:
    """Download an encoder into the hub's cache. An interrupted download resumes on the next call.

    Example: `likeness encoders get MobileCLIP2-S0/dfndr2b`
    """
    from likeness.encoders import download_encoder

    download_encoder(name)
    typer.echo(f"{name} is on this machine")
