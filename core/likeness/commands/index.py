"""`likeness index`."""

from typing import Annotated, Any

import typer

from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Seed, Source
from likeness.commands.terminal import progress_bar
from likeness.defaults import default_encoder


def index(
    source: Source,
    encoder: EncoderName = None,
    cells: Annotated[int | None, typer.Option(min=1, help="Number of cells; by default four times the square root of the number of images.")] = None,
    seed: Seed = 0,
    engine: Annotated[str, typer.Option(help="{engines}.")] = "ivf",
    lance: Annotated[str | None, typer.Option(help="Folder or URL (s3://...) for an additional LanceDB index, with all attributes.")] = None,
) -> None:
    """Build the search index, which every notion uses. It helps from about 200,000 images on.

    It is stored beside the embeddings; `likeness search` and the app then use it and report when results are approximate.

    Examples: `likeness index photos/`, `likeness index photos/ --lance s3://bucket/photos-index`
    """
    import time

    from likeness.encoders import index_folder
    from likeness.search import IVFIndex, build_index, find_engine, write_lance

    find_engine(engine)  # refuses one that is unknown
    table = source_table(source)
    encoder = encoder or default_encoder(table.attributes)
    base = embedded(table, encoder)
    begin = time.perf_counter()
    with progress_bar("Indexing") as bar:
        options: dict[str, Any] = {"frame": base.table.frame, "cells": cells, "seed": seed, "progress": bar}
        built = build_index(base.vectors, index_folder(base.table, encoder), engine=engine, **options)
    typer.echo(f"{built.summary}, {time.perf_counter() - begin:.0f} s")
    if lance:
        if isinstance(built, IVFIndex):
            write_lance(built, base.table.frame, lance)
        else:
            build_index(base.vectors, lance, engine="lance", **options)
        typer.echo(f"written to {lance}")
