"""Fits the head of the photo encoder again."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.options import CaptionColumn, PathColumn, Seed, output_folder
from likeness.commands.terminal import progress_bar


def main(
    folder: Annotated[Path, typer.Argument(callback=output_folder, help="Folder of the encoder.")],
    captions: Annotated[
        str, typer.Option(help="CSV or Parquet file of photos with captions: columns `path` and `caption` or `captions`; or `flickr:FOLDER`.")
    ],
    weights: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Safetensors file of timm's `mobilenetv2_100`, pretrained on ImageNet.")],
    leave_out: Annotated[
        int,
        typer.Option(min=0, help="Held-out photos, drawn by the seed and listed in `left_out.txt` for `likeness evaluate`."),
    ] = 0,
    seed: Seed = 0,
    path_column: PathColumn = None,
    caption_column: CaptionColumn = None,
    judge: Annotated[
        list[Path] | None, typer.Option(exists=True, file_okay=False, help="Folder of classes, for evaluation only; repeatable.")
    ] = None,
) -> None:
    """Fit the head of the photo encoder again on captioned photos; writes a folder with a model card.

    Examples: `python -m experiments.photos models/mine --captions flickr/captions.csv --weights mobilenetv2_100.safetensors --judge cifar100`,
    `python -m experiments.photos models/mine --captions flickr:data/flickr8k --leave-out 297 --seed 1 --weights mobilenetv2_100.safetensors`
    """
    from experiments.photos import train_photos

    with progress_bar("Reading photos") as progress:
        train_photos(
            folder,
            captions,
            weights,
            tuple(judge or ()),
            leave_out=leave_out,
            seed=seed,
            progress=progress,
            path_column=path_column,
            caption_column=caption_column,
        )
    typer.echo(f"The encoder is in {folder}; use it as photos:{folder}")
