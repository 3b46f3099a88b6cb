"""`likeness notions`."""

from typing import Annotated

import typer

from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, Source
from likeness.commands.terminal import print_table
from likeness.defaults import DATASET


def notions(
    source: Source = DATASET,
    encoder: EncoderName = None,
    directions: Annotated[int, typer.Option(min=1, help="How many directions that no word names.")] = 3,
    format: Format = "table",
) -> None:
    """Which notions do these images have? Those of the library, the most trustworthy first, and what varies beyond them.

    No label is read. `score` says how far a notion can be trusted (stability in other words times alignment with the images), `share` how much of
    the images' variance lies along its aspects. Of each direction that no word names, the images at its ends are listed.

    Example: `likeness notions photos/ --encoder ViT-B-32/openai`
    """
    import pandas as pd

    from likeness.found_notions import found_notions, unnamed_directions

    space = embedded(source_table(source), encoder)
    found = found_notions(space)
    lines = [
        {
            "notion": each.notion.name,
            "score": f"{each.trust.score:.3f}",
            "stability": f"{each.trust.stability:.3f}",
            "alignment": f"{each.trust.alignment:.3f}",
            "share": f"{each.share:.3f}",
            "verdict": "read" if each.trust.reads else "not to be relied on",
        }
        for each in found
    ]
    print_table(pd.DataFrame(lines, columns=["notion", "score", "stability", "alignment", "share", "verdict"]), format)
    named = [each.notion for each in found if each.trust.reads]
    rows = [
        {"direction": number, "share": f"{each.share:.3f}", "one end": " ".join(map(str, each.low)), "other end": " ".join(map(str, each.high))}
        for number, each in enumerate(unnamed_directions(space, named, directions), start=1)
    ]
    typer.echo("\nBeyond these, which no word names (numbers of images):")
    print_table(pd.DataFrame(rows), format)
