"""`likeness analyze changed-images`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notion_named
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def changed_images(
    source: Source = DATASET,
    keep: Annotated[str, typer.Option(help="The notion in which what is found is to be like the image.")] = "car-model",
    change: Annotated[str, typer.Option(help="The notion of which a word says what is to be another.")] = "car-color",
    count: Annotated[int, typer.Option(min=1, help="Queries of each seed.")] = 200,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of the queries.")] = 5,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Does "this one, but red" find what was meant? Ways to put an image and a word together, judged by two labels: mean average precision.

    Examples: `likeness analyze changed-images`, `likeness analyze changed-images --keep car-color --change background-color -e cars-small`
    """
    from likeness.data import read_dataset
    from likeness.studies import changed_table

    check_format(format)
    kept, changed = notion_named(keep), notion_named(change)
    base = embedded(read_dataset(source), encoder)
    runs = measured("Queries", out, lambda **watch: changed_table(base, kept, changed, count, range(seeds), **watch))
    means = runs.groupby(["space", "row"], sort=False)["map"].agg(["mean", "std"]).round(3)
    print_table(means.reset_index(), format)
