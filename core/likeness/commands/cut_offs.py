"""`likeness analyze cut-offs`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notions_for, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def cut_offs(
    source: Source = DATASET,
    notions: Notions = "all",
    by: Annotated[
        str | None, typer.Option(help="A label column: queries are images, which match those with the same label, in place of words.")
    ] = None,
    queries: Annotated[int, typer.Option(min=2, help="With --by: images that ask, for each seed.")] = 40,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of the images that are asked about, and of those that ask.")] = 5,
    fdr: Annotated[float, typer.Option(help="Share of a promised set that may be wrong, above 0 and below 1.")] = 0.1,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How good is the cut-off of `likeness matches`, and are its promises kept? After 0, 10, 20 and 30 answers, which the images' labels give.

    `ratio` is F1 as a share of that of the best threshold for each query, `within` the share of queries where it is 95 % at least, `promise` the
    share with a promise, `promised_fdr` how much of what is promised is wrong, and `broken` the share of promises where that is too much. Beside it
    one threshold for all queries (`flat`), Otsu's and that of two normal distributions, and as a control the similarities to another query.

    Examples: `likeness analyze cut-offs --notions car-color`, `likeness analyze cut-offs photos/ --by class --out runs.csv`
    """
    from likeness.studies import cut_offs as study
    from likeness.studies import cut_offs_table

    check_format(format)
    base = embedded(source_table(source, only), encoder)
    chosen = [] if by else notions_for(base, notions)
    runs = measured("Cut-offs", out, lambda **watch: study(base, chosen, by=by, queries=queries, seeds=range(seeds), fdr=fdr, **watch))
    print_table(cut_offs_table(runs).round(3), format)
