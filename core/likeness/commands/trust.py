"""`likeness analyze trust`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notions_for, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def trust(
    source: Source = DATASET,
    notions: Notions = "all",
    method: Annotated[str, typer.Option(help="Of {methods}: whose space the labels judge.")] = "exact",
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of images and of what is random in the control.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Can it be told without labels how far a notion can be trusted? The score that the app shows beside MAP@R by the labels.

    `turned words` is the control: the same words in random directions, which mean nothing to the images.

    Examples: `likeness analyze trust`, `likeness analyze trust --encoder cars-small --out trust.csv`
    """
    from likeness.studies import trust_table

    check_format(format)
    base = embedded(source_table(source, only), encoder)
    chosen = notions_for(base, notions)
    runs = measured("Trust", out, lambda **watch: trust_table(base, chosen, method, range(seeds), **watch))
    print_table(runs.groupby(["notion", "row"], sort=False).mean(numeric_only=True).drop(columns="seed").round(3).reset_index(), format)
