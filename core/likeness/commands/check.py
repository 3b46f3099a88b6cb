"""`likeness check`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from likeness.commands.inputs import composition_named, embedded, source_table
from likeness.commands.options import Encoders, Format, NotionName, Seed
from likeness.commands.terminal import print_table
from likeness.defaults import DATASET


def check(
    sources: Annotated[list[str] | None, typer.Argument(help="{datasets}; may be repeated, to compare several.")] = None,
    encoder: Encoders = None,
    notion: NotionName = None,
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Check without labels whether an encoder separates images, and the prompts of a notion. Exits with status 1 if one does not.

    Up to 100 images are compared with crops of them: how much nearer crops of one image are than crops of others (gap), the effective number of
    dimensions (rank), and the share of images retrieved by a crop (agreement). Each is divided by the encoder's own value on images like its training
    images; the score is the geometric mean of the three ratios. A score of at least 0.64 passes.

    Examples: `likeness check photos/`, `likeness check photos/ --encoder cars --notion car-color`, `likeness check cars photos/ -e cars -e photos`
    """
    import pandas as pd

    from likeness.encoder_check import check_encoder, images_to_check
    from likeness.notions import parts_of

    prompts = [prompt for _, part in parts_of(composition_named(notion)) for prompt in part.prompts] if notion else ()
    tables = {source: images_to_check(source_table(source), seed) for source in sources or [DATASET]}
    names: Sequence[str | None] = encoder or [None]
    found = {(source, name): check_encoder(embedded(table, name), prompts, seed) for source, table in tables.items() for name in names}
    rows = [{"images": source, "encoder": each.encoder} | each.figures for (source, _), each in found.items()]
    print_table(pd.DataFrame(rows).round(3), format)
    for (source, _), each in found.items():
        typer.echo(f"{source}: {each.sentence}" if len(tables) > 1 else each.sentence)
    if not all(each.sees for each in found.values()):
        raise typer.Exit(1)
