"""`likeness analyze label-spreading`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, notions_for, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def label_spreading(
    source: Source = DATASET,
    notions: Notions = "all",
    methods: Annotated[str, typer.Option(help="propagation or probe, or both, separated by a comma.")] = "propagation,probe",
    images: Annotated[int, typer.Option(min=2, help="How many are drawn, where more have the label.")] = 10_000,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of the images, of those that are labeled first, and of the random projection.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How many clicks until 95 % of the images have the right label? With labels that spread and without, in a notion's space and the raw encoder's.

    Persons are simulated by the images' labels: a click labels one image, and a screen of 24 images with one label is confirmed by a click after each
    wrong one was corrected by a click. Clicks are printed for each image, beside the .95 of labeling one by one. Control: a random projection to as
    many dimensions as the notion's space has.

    Examples: `likeness analyze label-spreading cars --notions car-color`, `likeness analyze label-spreading cars --seeds 2 --out runs.csv`
    """
    from likeness.studies import label_spreading as spreading
    from likeness.studies import label_spreading_table

    check_format(format)
    ways = [each.strip() for each in methods.split(",")]
    base = embedded(source_table(source, only), encoder)
    chosen = notions_for(base, notions)
    runs = measured("Label spreading", out, lambda **watch: spreading(base, chosen, ways, range(seeds), images=images, **watch))
    print_table(label_spreading_table(runs).round(3), format)
