"""`likeness analyze sentences`."""

from typing import Annotated

import typer

from likeness.commands.inputs import embedded, notions_of
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.defaults import DATASET


def sentences(
    source: Source = DATASET,
    notions: Annotated[str, typer.Option(help="Names, separated by commas; `all`: every notion that the images have labels for.")] = "all",
    encoder: EncoderName = None,
    only: Annotated[str | None, typer.Option(help="File that lists the images to keep, a path a line.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of aspects at random, for the control.")] = 5,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Is a notion from one sentence as good as aspects that were written by hand? MAP@R by the images' labels.

    Beside the raw encoder and, as controls, as many of the sentence's aspects drawn at random and other notions' sentences. The sentences were
    written beforehand from the names of the notions (`assets/notion_sentences.yaml`).

    Examples: `likeness analyze sentences cars --encoder cars-small`, `likeness analyze sentences cars --notions car-color --out runs.csv`
    """
    from likeness.data import keep_listed, read_dataset
    from likeness.io import write_atomic
    from likeness.studies import sentence_notions, sentence_table

    check_format(format)
    table = read_dataset(source)
    base = embedded(keep_listed(table, only) if only else table, encoder)
    chosen = notions_of(base.table, notions)
    with progress_bar("Sentences") as progress:
        runs = sentence_notions(base, chosen, seeds=range(seeds), progress=progress)
    if out:
        write_atomic(out, runs.to_csv(index=False).encode())
    found = sentence_table(runs)
    print_table(found.round(3), format)
    typer.echo(f"Median of the ratios: {found['ratio'].median():.3f}")
