"""`likeness info`."""

import sys
from typing import Annotated

import typer

from likeness.commands.terminal import printable

_VALUES = 5  # of an attribute, that a line names


def info(source: Annotated[str | None, typer.Argument(help="Images to describe instead: {datasets}")] = None) -> None:
    """Show versions, shipped datasets and notions, and the folder of computed files; for a SOURCE, its attributes and skipped files.

    Example: `likeness info photos/`
    """
    from likeness.data import read_dataset

    if source is None:
        _tell_installation()
        return
    table = read_dataset(source)
    typer.echo(printable(f"{table.name}: {len(table):,} images in {table.root}"))
    for name in table.attributes:
        counts = table.frame[name].dropna().astype(str).value_counts()
        named = ", ".join(f"{value} ({count:,})" for value, count in counts.head(_VALUES).items())
        typer.echo(printable(f"  {name}: {len(counts):,} values: {named}{', ...' if len(counts) > _VALUES else ''}").replace("\n", " "))
    for note in table.notes:
        typer.echo(printable(f"Note: {note}"))
    for failure in table.failed:
        typer.echo(printable(f"skipped {failure.path}: {failure.reason}").replace("\n", " "))


def _tell_installation() -> None:
    import importlib.metadata as metadata

    from likeness.data import list_datasets
    from likeness.io import assets_dir, cache_dir
    from likeness.notions import list_notions

    typer.echo(f"likeness {metadata.version('likeness')}, Python {sys.version.split()[0]}")
    typer.echo(", ".join(f"{name} {metadata.version(name)}" for name in ("torch", "open_clip_torch", "timm", "streamlit")))
    typer.echo(f"assets   {assets_dir()}\ncomputed {cache_dir()}")
    typer.echo("\nDatasets")
    for dataset in list_datasets():
        typer.echo(f"  {dataset.name}: {dataset.source}, encoder {dataset.encoder}")
    typer.echo("\nNotions")
    for notion in list_notions():
        typer.echo(f"  {notion.slug:32} {len(notion.aspects):4} aspects  {notion.question}")
