"""`likeness analyze copies`."""

from typing import Annotated

import typer

from likeness.commands.analysis_runs import measured
from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, Only, OutputFile, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def copies(
    source: Source = DATASET,
    images: Annotated[int, typer.Option(min=4, help="Images whose copies are made by each seed; half of them suggest the threshold.")] = 100,
    seeds: Annotated[int, typer.Option(min=1, help="Drawings of images.")] = 3,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Are copies of pictures found by an encoder: saved again as JPEG, halved and enlarged, cropped, brightened?

    Half of the images drawn suggest the threshold, the others judge it, among all images of the source. The control sees thumbnails by a random
    projection to as many dimensions, and so nothing that an encoder learns.

    Examples: `likeness analyze copies`, `likeness analyze copies photos/ --images 200 --out runs.csv`
    """
    from likeness.studies import copies_table, planted_copies

    check_format(format)
    base = embedded(source_table(source, only), encoder)
    runs = measured("Copies", out, lambda **watch: planted_copies(base, images, range(seeds), **watch))
    print_table(copies_table(runs).round(3), format)
