"""`likeness analyze sentences`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notions_for, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def sentences(
    source: Source = DATASET,
    notions: Notions = "all",
    encoder: EncoderName = None,
    only: Only = None,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of aspects at random, for the control.")] = 5,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Is a notion from one sentence as good as aspects that were written by hand? MAP@R by the images' labels.

    Beside the raw encoder and, as controls, as many of the sentence's aspects drawn at random and other notions' sentences. The sentences were
    written beforehand from the names of the notions (`assets/notion_sentences.yaml`).

    Examples: `likeness analyze sentences cars --encoder cars-small`, `likeness analyze sentences cars --notions car-color --out runs.csv`
    """
    from likeness.studies import sentence_notions, sentence_table

    check_format(format)
    base = embedded(source_table(source, only), encoder)
    chosen = notions_for(base, notions)
    runs = measured("Sentences", out, lambda **watch: sentence_notions(base, chosen, seeds=range(seeds), **watch))
    found = sentence_table(runs)
    print_table(found.round(3), format)
    typer.echo(f"Median of the ratios: {found['ratio'].median():.3f}")
