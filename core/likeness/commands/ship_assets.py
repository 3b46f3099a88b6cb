"""`likeness ship-assets`."""

import typer

from likeness.commands.terminal import progress_bar


def ship_assets() -> None:
    """Write embeddings and maps of the shipped images into the checkout's `assets/`, after a new model or new images."""
    from likeness.recipes import ship

    with progress_bar("Laying out maps") as bar:
        typer.echo(f"{ship(bar)} maps written")
