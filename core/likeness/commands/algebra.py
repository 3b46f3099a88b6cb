"""`likeness analyze algebra`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notions_for, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def algebra(
    source: Source = DATASET,
    notions: Notions = "all",
    method: Annotated[str, typer.Option(help="Linear, of {methods}: whose spaces are joined.")] = "exact",
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of what the controls take.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Are two notions joined better than either, and is a space better without the other notions? Labels judge.

    Every pair of notions is judged by both labels at once, every notion by its own after all others are taken away. Controls: another notion in place
    of the second, as many directions at random, and the notion itself taken away.

    Examples: `likeness analyze algebra`, `likeness analyze algebra --encoder cars-small --out algebra.csv`
    """
    from likeness.studies import algebra_summary, algebra_table

    check_format(format)
    base = embedded(source_table(source, only), encoder)
    chosen = notions_for(base, notions)
    runs = measured("Algebra", out, lambda **watch: algebra_table(base, chosen, method, range(seeds), **watch))
    print_table(algebra_summary(runs).round(3), format)
