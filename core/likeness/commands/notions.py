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
    directions: Annotated[int, typer.Option(min=1, help="Number of uncovered directions.")] = 3,
    format: Format = "table",
) -> None:
    """List the notions that vary in these images, most reliable first, and directions that no notion covers.

    No labels are read. `score` is the reliability (stability under rewording times alignment with the images), `share` the fraction of variance along
    the aspects. For each uncovered direction, the images at its two ends are listed.

    Example: `likeness notions photos/ --encoder ViT-B-32/openai`
    """
    import pandas as pd

    from likeness.found_notions import found_notions, unnamed_directions

    space = embedded(source_table(source), encoder)
    found = found_notions(space)
    lines = []
    for each in found:
        trust, verdict = each.trust, "read" if each.trust.reads else "unreliable"
        figures = [f"{figure:.3f}" for figure in (trust.score, trust.stability, trust.alignment, each.share)]
        lines.append([each.notion.name, *figures, verdict])
    print_table(pd.DataFrame(lines, columns=["notion", "score", "stability", "alignment", "share", "verdict"]), format)
    named = [each.notion for each in found if each.trust.reads]
    rows = [
        {"direction": number, "share": f"{each.share:.3f}", "one end": " ".join(map(str, each.low)), "other end": " ".join(map(str, each.high))}
        for number, each in enumerate(unnamed_directions(space, named, directions), start=1)
    ]
    typer.echo("\nNot covered by any notion (image numbers):")
    print_table(pd.DataFrame(rows), format)
