"""`likeness analyze composed-queries`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import write_runs
from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.defaults import DATASET


def composed_queries(
    source: Source = DATASET,
    encoder: EncoderName = None,
    only: Only = None,
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
    from likeness.studies import composed_queries as measured
    from likeness.studies import composed_table

    check_format(format)
    space = embedded(source_table(source, only), encoder)
    with progress_bar("Queries") as progress:
        runs = measured(space, range(seeds), queries=queries, progress=progress)
    write_runs(runs, out)
    print_table(composed_table(runs), format)
