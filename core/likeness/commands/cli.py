"""`likeness`: the command line. Each command calls the package and prints; nothing is computed here."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from likeness.commands.analyze import analyze
from likeness.commands.app import app
from likeness.commands.captioning import captioning
from likeness.commands.continuous import continuous
from likeness.commands.embed import embed
from likeness.commands.evaluate import evaluate
from likeness.commands.index import index
from likeness.commands.inputs import notion_named
from likeness.commands.options import Dim, EncoderName, Format, OutputFile, Seed, Solver
from likeness.commands.pseudolabels import pseudolabels
from likeness.commands.saliency import saliency
from likeness.commands.search import search
from likeness.commands.splits import splits
from likeness.commands.study import study
from likeness.commands.terminal import print_table, progress_bar
from likeness.commands.train import runs, train
from likeness.defaults import ENCODER
from likeness.errors import InputError
from likeness.io.interruption import restore_interruption

cli = typer.Typer(
    name="likeness",
    help="What does *similar* mean in your images? Say it in words; see, measure and search the space that follows.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
)

INTERRUPTED = 130


def main() -> None:
    """Entry point: bad input is one line on stderr and exit status 2, an interruption 130."""
    restore_interruption()
    try:
        cli()
    except InputError as error:
        typer.secho(f"Error: {error}", fg="red", err=True)
        sys.exit(2)
    except SystemExit as end:  # Typer answers an interruption by this status and an empty line
        if end.code == INTERRUPTED:
            typer.echo("Stopped; what was finished is kept.", err=True)
        raise


cli.command()(app)
cli.command()(embed)


@cli.command()
def fit(
    notion: Annotated[str, typer.Argument(help="A notion's name (see `likeness info`) or a YAML file.")],
    encoder: EncoderName = ENCODER,
    dim: Dim = 128,
    solver: Solver = "exact",
    seed: Seed = 0,
    out: OutputFile = None,
) -> None:
    """Fit a notion on its prompts alone; `--out U.npy` writes the projection, (encoder dimensions, dim).

    Example: `likeness fit car-color --dim 16 --out U.npy`
    """
    import time

    import numpy as np

    from likeness.encoders import embed_texts
    from likeness.notions import InDiReCT

    chosen = notion_named(notion)
    texts = embed_texts(encoder, chosen.prompts)
    start = time.perf_counter()
    estimator = InDiReCT(dim=dim, solver=solver, seed=seed).fit(texts.vectors)
    seconds = time.perf_counter() - start
    typer.echo(
        f"{chosen.name}: {len(chosen.prompts)} prompts, {texts.n_encoded} encoded, fitted in {1000 * seconds:.0f} ms, "
        f"mean angle {np.degrees(estimator.loss_):.3g} degrees"
    )
    if out:
        import io

        from likeness.io.files import write_atomic

        buffer = io.BytesIO()
        np.save(buffer, np.asarray(estimator.U))
        write_atomic(out, buffer.getvalue())


cli.command()(index)
cli.command()(search)
cli.command()(evaluate)
cli.command()(continuous)
cli.add_typer(analyze, name="analyze")
cli.command()(saliency)
cli.command()(train)
cli.command()(study)
cli.add_typer(splits, name="splits")
cli.command()(captioning)
cli.command()(pseudolabels)
cli.command()(runs)


@cli.command()
def info() -> None:
    """Show versions, what ships, datasets, notions and where computed files live."""
    import importlib.metadata as metadata

    from likeness.data.catalog import list_datasets
    from likeness.io.paths import assets_dir, cache_dir
    from likeness.notions import list_notions

    typer.echo(f"likeness {metadata.version('likeness')}, Python {sys.version.split()[0]}")
    typer.echo(", ".join(f"{name} {metadata.version(name)}" for name in ("torch", "open_clip_torch", "timm", "streamlit")))
    typer.echo(f"assets   {assets_dir()}\ncomputed {cache_dir()}")
    typer.echo("\nDatasets")
    for dataset in list_datasets():
        typer.echo(f"  {dataset.name}: {dataset.source}, encoder {dataset.encoder}")
    typer.echo("\nNotions")
    for notion in list_notions():
        typer.echo(f"  {notion.slug:32} {len(notion.aspects):4} aspects  {notion.question}")


@cli.command()
def render(
    folder: Annotated[Path, typer.Argument(help="Folder to write the images and `attributes.csv` to.")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many images.")] = 2000,
    seed: Seed = 0,
    what: Annotated[str, typer.Option(help="synthetic-cars, synthetic-poses (with joints) or synthetic-rooms (with layouts).")] = "synthetic-cars",
) -> None:
    """Render Synthetic Cars, Poses or Rooms with all attributes, from a seed.

    Examples: `likeness render cars/ -n 500 --seed 7`, `likeness render rooms/ --what synthetic-rooms`
    """
    from likeness.data.generated import render

    with progress_bar("Rendering") as progress:
        render(what, folder, n, seed, progress)
    typer.echo(f"{n} images in {folder}")


@cli.command("train-clip")
def train_clip_command(
    folder: Annotated[Path, typer.Argument(help="Folder of the model; a run that was stopped goes on from its checkpoint there.")],
    like: Annotated[str, typer.Option(help="The shipped model whose recipe to follow: `cars` or `cars-small`.")] = "cars",
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps; the recipe's by default.")] = None,
    renders: Annotated[int | None, typer.Option(min=2, help="Renders to train on.")] = None,
    tower: Annotated[str | None, typer.Option(help="timm model of the image tower.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of renders, captions and first weights.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on from a checkpoint in FOLDER.")] = True,
) -> None:
    """Train the bundled CLIP anew on rendered cars; writes an open_clip local directory with a model card.

    Example: `likeness train-clip models/mine --steps 500 --renders 20000`
    """
    from likeness.recipes.clip import RECIPES, ClipRecipe, train_clip

    if like not in RECIPES:
        raise InputError(f"There is no recipe '{like}'; choose from {', '.join(RECIPES)}.")
    given: dict[str, Any] = {"steps": steps, "renders": renders, "tower": tower, "seed": seed}
    recipe = ClipRecipe(**RECIPES[like].model_dump() | {name: value for name, value in given.items() if value is not None})
    with progress_bar("Training") as bar:
        train_clip(folder, recipe, resume, lambda stage, done, total, figures: bar(done, total))
    typer.echo(f"The model is in {folder}; use it as local-dir:{folder}")


@cli.command("zero-shot")
def zero_shot_command(
    folder: Annotated[Path | None, typer.Argument(help="Folder of a CLIP; the bundled one by default.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Held-out renders.")] = 2000,
    format: Format = "table",
) -> None:
    """Measure what a CLIP trained on rendered cars recognizes, on renders it never saw.

    Example: `likeness zero-shot models/mine`
    """
    from likeness.io.paths import assets_dir
    from likeness.recipes.clip import zero_shot_report

    print_table(zero_shot_report(folder or assets_dir() / "clip", n).round(3), format)


@cli.command("ship-assets", hidden=True)
def ship_assets() -> None:
    """Write embeddings and maps of the bundled images into the checkout's `assets/`, after a new model or new images."""
    from likeness.recipes.shipping import ship

    with progress_bar("Laying out maps") as bar:
        typer.echo(f"{ship(bar)} maps written")
