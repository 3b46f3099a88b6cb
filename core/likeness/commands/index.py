"""`likeness index`."""

from typing import Annotated

import typer

from likeness.commands.inputs import embedded
from likeness.commands.options import EncoderName, Seed, Source
from likeness.commands.terminal import progress_bar
from likeness.defaults import ENCODER


def index(
    source: Source,
    encoder: EncoderName = ENCODER,
    cells: Annotated[int | None, typer.Option(min=1, help="Cells; by default four times the root of the number of images.")] = None,
    seed: Seed = 0,
    lance: Annotated[str | None, typer.Option(help="Folder or URL (s3://...) for a LanceDB with the index and all attributes.")] = None,
) -> None:
    """Build the index from which every notion is searched, once; of use from some 200,000 images on.

    It lies beside the embeddings; `likeness search` and the app use it from then on, and say where what they find is approximate.

    Examples: `likeness index photos/`, `likeness index photos/ --lance s3://bucket/photos-index`
    """
    import time

    from likeness.data import read_dataset
    from likeness.search import build_index, write_lance
    from likeness.space import index_folder

    base = embedded(read_dataset(source), encoder)
    begin = time.perf_counter()
    with progress_bar("Indexing") as bar:
        built = build_index(base.vectors, index_folder(base.table, encoder), cells=cells, seed=seed, progress=bar)
    n, d = built.vectors.shape
    typer.echo(
        f"{n:,} images, {d} dimensions, {len(built.centers):,} cells, {built.vectors.nbytes / 1e6:,.0f} MB, {time.perf_counter() - begin:.0f} s"
    )
    if lance:
        write_lance(built, base.table.frame, lance)
        typer.echo(f"written to {lance}")
