"""`likeness check`."""

from dataclasses import asdict

import typer

from likeness.commands.inputs import embedded, notion_named
from likeness.commands.options import EncoderName, Format, NotionName, Seed, Source
from likeness.commands.terminal import check_format, print_table
from likeness.defaults import DATASET


def check(source: Source = DATASET, encoder: EncoderName = None, notion: NotionName = None, seed: Seed = 0, format: Format = "table") -> None:
    """Check, without labels, whether an encoder sees anything in images, and tells the prompts of a notion apart; status 1 where it does not.

    Up to 100 images are compared with crops of them: by how much parts of one image are nearer than parts of others (gap), in how many dimensions
    they differ (rank), and how many are found again by a part (agreement), beside images like those that the encoder learned from.

    Examples: `likeness check photos/`, `likeness check photos/ --encoder cars --notion car-color`
    """
    import pandas as pd

    from likeness.data import read_dataset
    from likeness.encoder_check import check_encoder

    check_format(format)
    prompts = notion_named(notion).prompts if notion else ()
    found = check_encoder(embedded(read_dataset(source), encoder), prompts, seed)
    sights = {"these": found.sight} | ({"its own": found.own} if found.own else {})
    print_table(pd.DataFrame([{"set": name} | asdict(sight) for name, sight in sights.items()]).round(3), format)
    typer.echo(found.sentence)
    if not found.sees:
        raise typer.Exit(1)
