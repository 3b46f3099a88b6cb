"""`likeness analyze composed-queries`."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.inputs import embedded
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.defaults import DATASET


def composed_queries(
    source: Source = DATASET,
    encoder: EncoderName = None,
    only: Annotated[
        Path | None, typer.Option(help="Text file of the images that count, a path or file name a line, as `likeness train-photos` writes it.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Samples of queries.")] = 5,
    queries: Annotated[int, typer.Option(min=1, help="Images that ask, for each choice of attributes and each sample.")] = 10,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How well is "this one, but red" answered, and by which score? Mean average precision over queries of an image and words, judged by labels.

    A column per kind of query: the image AND a word, AND two words, NOT what it shows, AND one NOT another. A row per way to make one score of an
    image's similarities to image and words; the last way is that of `likeness search --query`, and "wrong words" a control, the same with words that
    the query is not about. Takes some minutes.

    Examples: `likeness analyze composed-queries`, `likeness analyze composed-queries --encoder cars-small --seeds 2 --queries 5`
    """
    from likeness.data import keep_listed, read_dataset
    from likeness.io import write_atomic
    from likeness.studies import composed_queries as measured
    from likeness.studies import composed_table

    check_format(format)
    table = read_dataset(source)
    space = embedded(keep_listed(table, only) if only else table, encoder)
    with progress_bar("Queries") as progress:
        runs = measured(space, range(seeds), queries=queries, progress=progress)
    if out:
        write_atomic(out, runs.to_csv(index=False).encode())
    print_table(composed_table(runs), format)
