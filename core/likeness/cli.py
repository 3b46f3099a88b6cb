"""`likeness`: the command line. Each command calls the package and prints; nothing is computed here."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.errors import InputError
from likeness.terminal import print_table, progress_bar, write_vectors

if TYPE_CHECKING:
    from likeness.spaces import EncoderSpace

cli = typer.Typer(
    name="likeness",
    help="What does *similar* mean in your images? Say it in words; see, measure and search the space that follows.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
)

# the notions that the InDiReCT paper measures on Synthetic Cars (Table 2)
PAPER_NOTIONS = ("car-model", "car-color", "background-color")

Source = Annotated[str, typer.Argument(help="`bundled`, a folder of images, or a CSV / Parquet file with image paths.")]
EncoderName = Annotated[str, typer.Option("--encoder", "-e", help="`bundled`, `ViT-B-32/openai`, `hf-hub:ORG/MODEL` or `local-dir:PATH`.")]
NotionName = Annotated[str | None, typer.Option("--notion", "-n", help="A notion's name (see `likeness info`) or a YAML file.")]
Dim = Annotated[int, typer.Option("--dim", "-d", min=1, help="Dimensions of the notion's space.")]
Solver = Annotated[str, typer.Option(help="`exact`, or `adam`: the paper's procedure.")]
Seed = Annotated[int, typer.Option(help="Seed of all random choices.")]
OutputFile = Annotated[Path | None, typer.Option("--out", "-o", help="File to write.")]


def main() -> None:
    """Entry point: bad input is one line on stderr and exit status 2, an interruption 130."""
    try:
        cli()
    except InputError as error:
        typer.secho(f"Error: {error}", fg="red", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("Stopped; what was finished is kept.", err=True)
        sys.exit(130)


@cli.command()
def app(
    port: Annotated[int | None, typer.Option(help="Port to serve on; the first free one from 8501 by default.")] = None,
    address: Annotated[str, typer.Option(help="Address to bind to; keep it local unless you trust the network.")] = "127.0.0.1",
) -> None:
    """Serve the app in the browser.

    Example: `likeness app --port 8600`
    """
    from likeness.paths import app_dir

    arguments = ["-m", "streamlit", "run", str(app_dir() / "server.py"), "--server.address", address]
    if port:
        arguments += ["--server.port", str(port)]
    os.execv(sys.executable, [sys.executable, *arguments])


@cli.command()
def embed(
    source: Source,
    encoder: EncoderName = "bundled",
    batch_size: Annotated[int, typer.Option(min=1, help="Images per forward pass.")] = 256,
    out: OutputFile = None,
) -> None:
    """Embed images and keep the vectors; run again, only new or changed images are read.

    Examples: `likeness embed photos/`, `likeness embed labels.csv --encoder ViT-B-32/openai --out vectors.parquet`
    """
    from likeness.data import read_dataset

    base = _embedded(read_dataset(source), encoder, batch_size=batch_size)
    for failure in base.failed:
        typer.echo(f"skipped {failure.path}: {failure.reason}", err=True)
    n, d = base.space.vectors.shape
    typer.echo(f"{n} images, {d} dimensions, {len(base.failed)} skipped")
    if out:
        write_vectors(base, out)


@cli.command()
def fit(
    notion: Annotated[str, typer.Argument(help="A notion's name (see `likeness info`) or a YAML file.")],
    encoder: EncoderName = "bundled",
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

    chosen = _notion(notion)
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

        from likeness.files import write_atomic

        buffer = io.BytesIO()
        np.save(buffer, np.asarray(estimator.U))
        write_atomic(out, buffer.getvalue())


@cli.command()
def search(
    source: Source = "bundled",
    text: Annotated[str | None, typer.Option(help="Find images for a text.")] = None,
    image: Annotated[Path | None, typer.Option(help="Find images for an image file.")] = None,
    row: Annotated[int | None, typer.Option(min=0, help="Find images for image number ROW.")] = None,
    notion: NotionName = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many.")] = 10,
    encoder: EncoderName = "bundled",
    dim: Dim = 128,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Find similar images, in the raw encoder's space or a notion's.

    Examples: `likeness search --text "a red car"`, `likeness search photos/ --image query.jpg --notion car-color`
    """
    from likeness.data import read_dataset
    from likeness.search import nearest

    if sum(given is not None for given in (text, image, row)) != 1:
        raise InputError("Say what to search for with exactly one of --text, --image and --row.")
    base = _embedded(read_dataset(source), encoder)
    space = _space(base, notion, dim)
    if row is not None and row >= len(space.table):
        raise InputError(f"There is no image {row}; the last of {source} is {len(space.table) - 1}.")
    if image is not None and not image.is_file():
        raise InputError(f"There is no file '{image}'; give the path of an image.")
    query = space.text_query(text) if text is not None else space.image_query(image) if image is not None else space.vectors[[row]]
    found = nearest(query, space.vectors, k, exclude=None if row is None else [row])
    frame = space.table.frame.iloc[found.rows[0]].copy()
    frame.insert(0, "similarity", found.similarities[0])
    frame.insert(0, "row", found.rows[0])
    print_table(frame, "csv" if csv else "table")


@cli.command()
def evaluate(
    source: Source = "bundled",
    notions: Annotated[str | None, typer.Option(help="Names, separated by commas; `all`: every notion that the images have labels for.")] = None,
    methods: Annotated[str, typer.Option(help="Of random, raw, random-transform, exact, adam; separated by commas.")] = "random,raw,exact,adam",
    dims: Annotated[str, typer.Option(help="Dimensions, separated by commas; `suggested`: as many as the prompts alone suggest.")] = "128",
    seeds: Annotated[int, typer.Option(min=1, help="Runs per method that has random choices.")] = 5,
    encoder: EncoderName = "bundled",
    format: Annotated[str, typer.Option(help="table, markdown, csv or latex.")] = "table",
    out: OutputFile = None,
) -> None:
    """Measure how well each notion's space finds images of the same label: MAP@R and precision@1, mean and deviation.

    Without --notions: the paper's three for Synthetic Cars, or all that other images have labels for.

    Examples: `likeness evaluate`, `likeness evaluate --notions car-color --dims 2,8,128,suggested --methods raw,exact`
    """
    from likeness.data import read_dataset
    from likeness.evaluation import SUGGESTED, compare, summarize
    from likeness.notions import list_notions

    base = _embedded(read_dataset(source), encoder)
    labelled = [notion for notion in list_notions() if notion.attribute in base.space.table.attributes]
    paper = [notion for notion in labelled if notion.slug in PAPER_NOTIONS]
    named = [] if notions in (None, "all") else [_notion(name) for name in str(notions).split(",")]
    chosen = named or (paper if notions is None and paper else labelled)
    if not chosen:
        raise InputError(f"'{source}' has no attribute that a notion is judged by; it has {base.space.table.attributes or 'none'}.")
    sizes = [SUGGESTED if size.strip() == SUGGESTED else _integer(size) for size in dims.split(",")]
    with progress_bar("Comparing") as progress:
        runs = compare(base, chosen, methods=methods.split(","), dims=sizes, seeds=range(seeds), progress=progress)
    if out:
        from likeness.files import write_atomic

        write_atomic(out, runs.to_csv(index=False).encode())
    print_table(summarize(runs), format)


@cli.command()
def info() -> None:
    """Show versions, what ships, datasets, notions and where computed files live."""
    import importlib.metadata as metadata

    from likeness.data.catalog import list_datasets
    from likeness.notions import list_notions
    from likeness.paths import assets_dir, cache_dir

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
) -> None:
    """Render Synthetic Cars with all attributes, from a seed.

    Example: `likeness render cars/ -n 500 --seed 7`
    """
    from likeness.data.synthetic_cars import write_dataset

    with progress_bar("Rendering") as progress:
        write_dataset(folder, n, seed, progress=progress)
    typer.echo(f"{n} images in {folder}")


@cli.command("train-clip")
def train_clip_command(
    folder: Annotated[Path, typer.Argument(help="Folder of the model; a run that was stopped goes on from its checkpoint there.")],
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps; the shipped model's by default.")] = None,
    renders: Annotated[int | None, typer.Option(min=2, help="Renders to train on.")] = None,
    tower: Annotated[str | None, typer.Option(help="timm model of the image tower.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of renders, captions and first weights.")] = None,
    resume: Annotated[bool, typer.Option(help="Go on from a checkpoint in FOLDER.")] = True,
) -> None:
    """Train the bundled CLIP anew on rendered cars; writes an open_clip local directory with a model card.

    Example: `likeness train-clip models/mine --steps 500 --renders 20000`
    """
    from likeness.training.clip import ClipRecipe, train_clip

    given: dict[str, Any] = {"steps": steps, "renders": renders, "tower": tower, "seed": seed}
    recipe = ClipRecipe(**{name: value for name, value in given.items() if value is not None})
    with progress_bar("Training") as bar:
        train_clip(folder, recipe, resume, lambda stage, done, total, figures: bar(done, total))
    typer.echo(f"The model is in {folder}; use it as local-dir:{folder}")


@cli.command("zero-shot")
def zero_shot_command(
    folder: Annotated[Path | None, typer.Argument(help="Folder of a CLIP; the bundled one by default.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Held-out renders.")] = 2000,
    format: Annotated[str, typer.Option(help="table, markdown, csv or latex.")] = "table",
) -> None:
    """Measure what a CLIP trained on rendered cars recognizes, on renders it never saw.

    Example: `likeness zero-shot models/mine`
    """
    from likeness.paths import assets_dir
    from likeness.training.clip import zero_shot_report

    print_table(zero_shot_report(folder or assets_dir() / "clip", n).round(3), format)


@cli.command("ship-assets", hidden=True)
def ship_assets() -> None:
    """Write embeddings and maps of the bundled images into the checkout's `assets/`, after a new model or new images."""
    from likeness.shipping import ship

    with progress_bar("Laying out maps") as bar:
        typer.echo(f"{ship(bar)} maps written")


def _embedded(table: Any, encoder: str, **options: Any) -> "EncoderSpace":
    from likeness.spaces import encoder_space

    with progress_bar("Embedding") as progress:
        return encoder_space(table, encoder, progress=progress, **options)


def _notion(name: str) -> Any:
    from likeness.notions import get_notion, read_notion

    path = Path(name)
    return read_notion(path) if path.suffix in (".yaml", ".yml") else get_notion(name.strip())


def _space(base: "EncoderSpace", notion: str | None, dim: int) -> Any:
    from likeness.notions import InDiReCT
    from likeness.spaces import notion_space

    return notion_space(base, _notion(notion), InDiReCT(dim=dim)).space if notion else base.space


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"'{text}' is not a whole number; give dimensions such as 2,16,128.") from None


if __name__ == "__main__":
    main()
