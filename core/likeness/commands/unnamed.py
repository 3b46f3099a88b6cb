"""`likeness analyze unnamed`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import write_runs
from likeness.commands.inputs import embedded, notions_for
from likeness.commands.options import EncoderName, Format, Notions, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def unnamed(
    source: Source = DATASET,
    notions: Notions = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of random directions.")] = 5,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Do the directions that no word names show a notion nobody has named? Each notion is left out in turn, and its label judges.

    Printed is the share of the variance along a direction that the label explains, beside principal components and random directions.

    Examples: `likeness analyze unnamed`, `likeness analyze unnamed --encoder cars-small --out unnamed.csv`
    """
    from likeness.data import read_dataset
    from likeness.studies import unnamed_table

    check_format(format)
    base = embedded(read_dataset(source), encoder)
    runs = unnamed_table(base, notions_for(base, notions), seeds=range(seeds))
    write_runs(runs, out)
    means = runs.groupby(["notion", "row", "direction"], sort=False)["explained"].mean().round(3)
    print_table(means.unstack("direction").reset_index().rename_axis(columns=None), format)
