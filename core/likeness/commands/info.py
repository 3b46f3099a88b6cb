"""`likeness info`."""

import sys

import typer


def info() -> None:
    """Show versions, what ships, datasets, notions and where computed files live."""
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
