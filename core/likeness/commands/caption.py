"""`likeness caption`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Format, OutputFile
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.errors import InputError
from likeness.io import as_path, name_to_text, write_atomic

if TYPE_CHECKING:
    from likeness.data import ImageTable


def caption(
    model: Annotated[Path, typer.Argument(help="Folder of a captioning model that `likeness captioning` finished.")],
    images: Annotated[list[str], typer.Argument(help="Image files, or one source: {datasets}")],
    out: OutputFile = None,
    beam: Annotated[int | None, typer.Option(min=1, max=100, help="Width of the beam search. Default: that by which the model was scored.")] = None,
    stage: Annotated[str | None, typer.Option(help="Weights after `xe` (cross-entropy) or `rl` (self-critical training). Default: the last.")] = None,
    format: Format = "table",
) -> None:
    """Describe images by a trained captioning model, a sentence each.

    With `--out` a CSV file of path and caption, which is a source of captioned images in turn.

    Examples: `likeness caption runs/flickr-captions/topdown-imagenet photos/`, `likeness caption runs/mine/att2all2-imagenet a.jpg b.jpg -o c.csv`
    """
    import pandas as pd

    from likeness.io import csv_bytes
    from likeness.recipes.captioning import caption_images

    check_format(format)
    table = _table(images)
    with progress_bar("Captioning") as progress:
        captions = caption_images(model, table, beam, stage, progress)
    if out:
        paths = [name_to_text(str(path)) for path in table.paths()]
        write_atomic(out, csv_bytes(pd.DataFrame({"path": paths, "caption": captions})))
        typer.echo(f"wrote {out}")
    else:
        print_table(pd.DataFrame({"path": table.frame["path"], "caption": captions}), format)


def _table(images: list[str]) -> "ImageTable":
    """Of one source, or of the image files that are named."""
    import pandas as pd

    from likeness.data import TABLE_SUFFIXES, ImageTable, read_dataset

    paths = [as_path(image) for image in images]
    if len(images) == 1 and (paths[0].suffix.lower() in TABLE_SUFFIXES or not paths[0].is_file()):
        return read_dataset(images[0])
    other = next((path for path in paths if not path.is_file()), None)
    if other is not None:
        raise InputError(f"'{other}' is {'a folder' if other.is_dir() else 'not there'}; give image files, or one folder or other source alone.")
    return ImageTable("Images", Path(), pd.DataFrame({"path": [name_to_text(path.as_posix()) for path in paths]}))
