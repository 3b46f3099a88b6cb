"""`likeness zero-shot`."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.options import Format
from likeness.commands.terminal import print_table


def zero_shot(
    folder: Annotated[Path | None, typer.Argument(help="Folder of a CLIP; the shipped one by default.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Held-out renders.")] = 2000,
    format: Format = "table",
) -> None:
    """Measure what a CLIP trained on rendered cars recognizes, on renders it never saw.

    Example: `likeness zero-shot models/mine`
    """
    from likeness.io import assets_dir
    from likeness.recipes.clip import zero_shot_report

    print_table(zero_shot_report(folder or assets_dir() / "clip", n).round(3), format)
