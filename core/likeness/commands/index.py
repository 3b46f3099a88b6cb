"""`likeness index`."""

from typing import Annotated

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
) -> None:
    """Build the search index, which every notion uses. It helps from about 200,000 images on.

    It is stored beside the embeddings; `likeness search` and the app then use it and report when results are approximate.

    Example: `likeness index photos/`
    """
    import time

    from likeness.encoders import index_folder
    from likeness.search import build_index

    table = source_table(source)
    encoder = encoder or default_encoder(table.attributes)
    base = embedded(table, encoder)
    begin = time.perf_counter()
    with progress_bar("Indexing") as bar:
        built = build_index(base.vectors, index_folder(base.table, encoder), cells=cells, seed=seed, progress=bar)
    typer.echo(f"{built.summary}, {time.perf_counter() - begin:.0f} s")
