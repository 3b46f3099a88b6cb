"""`likeness evaluate`."""

from typing import Annotated

import typer

from likeness.commands.inputs import dimensions, embedded, notions_for
from likeness.commands.options import EncoderName, OutputFile, Source
from likeness.terminal import print_table, progress_bar


def evaluate(
    source: Source = "bundled",
    notions: Annotated[str | None, typer.Option(help="Names, separated by commas; `all`: every notion that the images have labels for.")] = None,
    methods: Annotated[str, typer.Option(help="Of random, raw, random-transform, exact, adam; separated by commas.")] = "random,raw,exact,adam",
    dims: Annotated[str, typer.Option(help="Dimensions, separated by commas; `suggested`: as many as the prompts alone suggest.")] = "128",
    seeds: Annotated[int, typer.Option(min=1, help="Runs per method that has random choices.")] = 5,
    encoder: EncoderName = "bundled",
    format: Annotated[str, typer.Option(help="table, markdown, csv or latex.")] = "table",
    out: OutputFile = None,
) -> None:
    """Measure how well each notion's space finds images of the same label: MAP@R and precision@1, mean and deviation.

    Without --notions: the paper's three for Synthetic Cars, or all that other images have labels for.

    Examples: `likeness evaluate`, `likeness evaluate --notions car-color --dims 2,8,128,suggested --methods raw,exact`
    """
    from likeness.data import read_dataset
    from likeness.evaluation import compare, summarize

    base = embedded(read_dataset(source), encoder)
    chosen, sizes = notions_for(base, notions), dimensions(dims)
    with progress_bar("Comparing") as progress:
        runs = compare(base, chosen, methods=methods.split(","), dims=sizes, seeds=range(seeds), progress=progress)
    if out:
        from likeness.files import write_atomic

        write_atomic(out, runs.to_csv(index=False).encode())
    print_table(summarize(runs), format)
