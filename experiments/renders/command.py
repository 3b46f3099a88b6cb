"""Draws images with all their attributes."""

from pathlib import Path
from typing import Annotated

import typer

from experiments.renders import RENDERS, find_render
from likeness.commands.options import Seed, output_folder
from likeness.commands.terminal import progress_bar


def main(
    folder: Annotated[Path, typer.Argument(callback=output_folder, help="Folder to write the images and `attributes.csv` to.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of images.")] = 2000,
    seed: Seed = 0,
    what: Annotated[str, typer.Option(help="; ".join(f"`{render.name}`: {render.help}" for render in RENDERS))] = "synthetic-cars",
) -> None:
    """Render images with all attributes, from a seed.

    Examples: `python -m experiments.renders cars/ -n 500 --seed 7`, `python -m experiments.renders rooms/ --what synthetic-rooms`
    """
    with progress_bar("Rendering") as progress:
        find_render(what).draw(folder, n, seed, progress)
    typer.echo(f"{n} images in {folder}")
