"""`likeness analyze clicks`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notions_for, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def clicks(
    source: Source = DATASET,
    notions: Notions = "all",
    methods: Annotated[str, typer.Option(help="Of {methods}, separated by commas: whose spaces are clicked on.")] = "exact,probabilities",
    seeds: Annotated[int, typer.Option(min=1, help="Halves of the images, and queries in them.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How much better does a notion become by clicks on neighbors? MAP@R after 0, 5, 10 and 20, on images that were not clicked.

    Persons are simulated by the images' labels. They begin with a sentence that says what they mean (`precise`) or something near it (`vague`);
    as controls, answers by a coin and by another label. Both kinds of sentences were written beforehand (`assets/notion_sentences.yaml`,
    `assets/vague_sentences.yaml`).

    Examples: `likeness analyze clicks cars --notions viewpoint`, `likeness analyze clicks cars --encoder cars-small --out runs.csv`
    """
    from likeness.notions import named_methods
    from likeness.studies import clicked_notions, clicks_table

    check_format(format)
    chosen_methods = [each.name for each in named_methods(methods.split(","))]
    base = embedded(source_table(source, only), encoder)
    chosen = notions_for(base, notions)
    runs = measured("Clicks", out, lambda **watch: clicked_notions(base, chosen, seeds=range(seeds), methods=chosen_methods, **watch))
    found = clicks_table(runs)
    print_table(found.round(3), format)
    for start, closed in found.groupby("start", sort=False)["gap closed"]:
        typer.echo(f"Median share of the gap to the Oracle that is closed, {start} sentences: {closed.median():.3f} (of {closed.count()} with a gap)")
