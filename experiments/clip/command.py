"""Trains the shipped CLIP again, and evaluates one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from likeness.commands.options import Format, output_folder
from likeness.commands.terminal import print_table, progress_bar
from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError


def train(
    folder: Annotated[Path, typer.Argument(callback=output_folder, help="Folder of the model and its checkpoint.")],
    like: Annotated[str, typer.Option(help="Shipped model whose recipe is used: `cars` or `cars-small`.")] = "cars",
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps. Default: the recipe's.")] = None,
    renders: Annotated[int | None, typer.Option(min=2, help="Renders to train on.")] = None,
    tower: Annotated[str | None, typer.Option(help="timm model of the image tower.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=LARGEST_SEED, help="Seed of renders, captions and initial weights.")] = None,
    resume: Annotated[bool, typer.Option(help="Resume from the checkpoint in FOLDER.")] = True,
) -> None:
    """Train the shipped CLIP again on rendered cars; writes an open_clip local directory with a model card.

    Example: `python -m experiments.clip train models/mine --steps 500 --renders 20000`
    """
    from experiments.clip import RECIPES, ClipRecipe, train_clip

    if like not in RECIPES:
        raise InputError(f"There is no recipe '{like}'; choose from {', '.join(RECIPES)}.")
    given: dict[str, Any] = {"steps": steps, "renders": renders, "tower": tower, "seed": seed}
    recipe = ClipRecipe(**RECIPES[like].model_dump() | {name: value for name, value in given.items() if value is not None})
    with progress_bar("Training") as progress:
        train_clip(folder, recipe, resume, progress)
    typer.echo(f"The model is in {folder}; use it as local-dir:{folder}")


def zero_shot(
    folder: Annotated[Path | None, typer.Argument(help="Folder of a CLIP. Default: the shipped one.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Held-out renders.")] = 2000,
    format: Format = "table",
) -> None:
    """Evaluate a CLIP trained on rendered cars, on renders it never saw.

    Example: `python -m experiments.clip zero-shot models/mine`
    """
    from experiments.clip import zero_shot_report
    from likeness.io import assets_dir

    print_table(zero_shot_report(folder or assets_dir() / "clip", n).round(3), format)
