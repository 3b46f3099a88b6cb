"""`likeness encoders`: the published encoders worth choosing, and their downloads."""

from typing import Annotated

import typer

from likeness.commands.listed_help import ListedHelp
from likeness.commands.options import Format, Seed
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.defaults import DATASET

SHIPPED_ENCODERS = ("cars", "cars-small", "photos")
encoders = typer.Typer(name="encoders", help="Published encoders worth choosing: list them, measure them, download one.", no_args_is_help=True)


@encoders.command(name="list")
def list_(
    measure: Annotated[bool, typer.Option("--measure", help="Measure their speed on this machine; no download is needed for that.")] = False,
    format: Format = "table",
) -> None:
    """List published encoders: what each is good for, its download, license and speed on this machine.

    Examples: `likeness encoders list`, `likeness encoders list --measure`
    """
    import pandas as pd

    from likeness.encoders import PUBLISHED, measure_speed, remembered_speeds
    from likeness.io import size_text

    check_format(format)
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
    """Download an encoder into the hub's cache; stopped and started again, it goes on where it stopped.

    Example: `likeness encoders get MobileCLIP2-S0/dfndr2b`
    """
    from likeness.encoders import download_encoder

    download_encoder(name)
    typer.echo(f"{name} is on this machine")


@encoders.command(cls=ListedHelp)
def precision(
    sources: Annotated[list[str] | None, typer.Argument(help="{datasets}; several are measured one by one.")] = None,
    encoder: Annotated[list[str] | None, typer.Option("--encoder", "-e", help="{encoders}; may be repeated; by default the three that ship.")] = None,
    images: Annotated[int, typer.Option(min=12, help="At most so many of each source, drawn at random.")] = 2000,
    device: Annotated[str, typer.Option(help="`auto` (CUDA, MPS or the processor), or a device of torch.")] = "auto",
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Measure whether rankings stay where encoders compute in bfloat16, and what time that saves on this machine; status 1 where they do not stay.

    Images are embedded in both precisions. Of the ten nearest of each in float32, the share that is among its ten nearest in bfloat16 is the recall;
    rankings stay from .99 on. `likeness embed --precision bf16` embeds that way.

    Examples: `likeness encoders precision photos/`, `likeness encoders precision cars photos/ -e ViT-B-32/openai --device cuda`
    """
    import pandas as pd

    from likeness.data import read_dataset
    from likeness.precision_check import check_precision

    check_format(format)
    tables = {source: read_dataset(source) for source in sources or [DATASET]}
    found = []
    for source, table in tables.items():
        for name in encoder or SHIPPED_ENCODERS:
            with progress_bar(f"Embedding with {name}") as progress:
                found.append((source, check_precision(table, name, device=device, images=images, seed=seed, progress=progress)))
    rows = [{"source": source} | each.figures for source, each in found]
    print_table(pd.DataFrame(rows).round({"recall@10": 4, "images/s, 32": 1, "images/s, bf16": 1}), format)
    if not all(each.holds for _, each in found):
        raise typer.Exit(1)
