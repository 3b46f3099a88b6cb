"""`likeness train-clip`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from likeness.commands.options import output_folder
from likeness.commands.terminal import progress_bar
from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError


def train_clip(
    folder: Annotated[
        Path, typer.Argument(callback=output_folder, help="Folder of the model; a run that was stopped goes on from its checkpoint there.")
    ],
    like: Annotated[str, typer.Option(help="The shipped model whose recipe to follow: `cars` or `cars-small`.")] = "cars",
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps; the recipe's by default.")] = None,
    renders: Annotated[int | None, typer.Option(min=2, help="Renders to train on.")] = None,
    tower: Annotated[str | None, typer.Option(help="timm model of the image tower.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=LARGEST_SEED, help="Seed of renders, captions and first weights.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on from a checkpoint in FOLDER.")] = True,
) -> None:
    """Train the shipped CLIP anew on rendered cars; writes an open_clip local directory with a model card.

    Example: `likeness train-clip models/mine --steps 500 --renders 20000`
    """
    from likeness.recipes.clip import RECIPES, ClipRecipe
    from likeness.recipes.clip import train_clip as train

    if like not in RECIPES:
        raise InputError(f"There is no recipe '{like}'; choose from {', '.join(RECIPES)}.")
    given: dict[str, Any] = {"steps": steps, "renders": renders, "tower": tower, "seed": seed}
    recipe = ClipRecipe(**RECIPES[like].model_dump() | {name: value for name, value in given.items() if value is not None})
    with progress_bar("Training") as progress:
        train(folder, recipe, resume, progress)
    typer.echo(f"The model is in {folder}; use it as local-dir:{folder}")
