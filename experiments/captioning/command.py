"""Trains captioning models on sets of features, and captions images."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.options import Changes, Format, OutputFile, output_file, output_folder
from likeness.commands.terminal import print_table, progress_bar, write_csv
from likeness.commands.train import changed
from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError
from likeness.io import as_path, name_to_text, runs_dir

if TYPE_CHECKING:
    import pandas as pd

    from experiments.captioning import Cells
    from likeness.data import ImageTable


def train(
    config: Annotated[str, typer.Argument(help="A YAML file or a shipped config; see `python -m experiments.captioning train --list`.")] = "",
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features", help="`imagenet`, or `run:FOLDER` for the backbone of a trained run (`TITLE=run:FOLDER` sets its title); repeatable."
        ),
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="`topdown` or `att2all2`; repeatable. Default: the config's.")] = None,
    seed: Annotated[
        list[int] | None, typer.Option("--seed", min=0, max=LARGEST_SEED, help="Seed of the models; repeatable. Default: the config's.")
    ] = None,
    control: Annotated[
        bool, typer.Option("--control", help="Also train each model on captions of other images, as a baseline from language alone.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the models. Default: runs/NAME.")] = None,
    change: Changes = None,
    format: Format = "table",
    table: Annotated[bool, typer.Option("--table", help="Only print finished results.")] = False,
    save: Annotated[Path | None, typer.Option(callback=output_file, help="CSV file with a row per model, stage and seed.")] = None,
    sentences: Annotated[
        Path | None, typer.Option(callback=output_file, help="CSV file of what each model says of each test image, with its CIDEr-D.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print the shipped configs.")] = False,
) -> None:
    """Do features trained with caption similarities make better captions? Trains a captioning model per set of features and compares scores.

    Run it again to resume. With several seeds the table has mean and standard deviation; `{seed}` in a run's folder stands for the seed of the model
    that uses its features.

    Examples: `python -m experiments.captioning train cars-captions --features imagenet --features run:runs/cars`,
    `python -m experiments.captioning train flickr-captions --features "log-ratio=run:runs/flickr-captions/l-log-ratio-m-dense-{seed}" --seed 0
    --seed 1 --control`
    """
    from experiments.captioning import captioning_cells, captioning_configs, read_captioning_config, with_captioning_changes

    if listed:
        for name in captioning_configs():
            typer.echo(f"{name:28} {read_captioning_config(name).note}")
        return
    if not config:
        raise InputError("Pass a YAML file or a shipped config; see `python -m experiments.captioning train --list`.")
    chosen = with_captioning_changes(read_captioning_config(config), changed(change))
    cells = captioning_cells(chosen, features or ["imagenet"], model or [], out or runs_dir() / chosen.name, seed or [], control)
    _compare(cells, format, table, save, sentences)


def _compare(cells: "Cells", format: str, table: bool, save: Path | None, sentences: Path | None) -> None:
    from experiments.captioning import captioning_runs, captioning_sentences, captioning_table, finished_report

    reports = [found for path, cell in cells.items() if (found := finished_report(path, *cell)) is not None] if table else _trained(cells)
    if not reports:
        typer.echo("No model is finished yet.")
        return
    print_table(_with_spreads(captioning_table(reports)), format)
    write_csv(save, captioning_runs(reports))
    if sentences:
        write_csv(sentences, captioning_sentences(cells))


def _with_spreads(lines: "pd.DataFrame") -> "pd.DataFrame":
    """Scores of several seeds as text, "0.441 ± 0.012"."""
    from likeness.studies import with_spread

    spread = [name for name in lines if f"{name} ±" in lines]
    shown = lines.drop(columns=[f"{name} ±" for name in spread]).round(4)
    for name in spread:
        shown[name] = [with_spread(*each) for each in zip(lines[name], lines[f"{name} ±"], strict=True)]
    return shown


def _trained(cells: "Cells") -> list[dict[str, Any]]:
    from experiments.captioning import compare_features

    last = ""
    with progress_bar("Steps") as bar:

        def progress(done: int, total: int, stage: str = "") -> None:
            nonlocal last
            if stage != last:
                last = stage
                typer.echo(stage, err=True)
            bar(done, total)

        return compare_features(cells, progress)


def caption(
    model: Annotated[Path, typer.Argument(help="Folder of a finished captioning model.")],
    images: Annotated[list[str], typer.Argument(help="Image files, or one source: {datasets}")],
    out: OutputFile = None,
    beam: Annotated[int | None, typer.Option(min=1, max=100, help="Width of the beam search. Default: the one used to score the model.")] = None,
    stage: Annotated[str | None, typer.Option(help="Weights after `xe` (cross-entropy) or `rl` (self-critical training). Default: the last.")] = None,
    format: Format = "table",
) -> None:
    """Caption images with a trained model, one sentence each.

    `--out` writes a CSV file of path and caption, which can be a source of captioned images.

    Examples: `python -m experiments.captioning caption runs/flickr-captions/topdown-imagenet photos/`,
    `python -m experiments.captioning caption runs/mine/att2all2-imagenet a.jpg b.jpg -o c.csv`
    """
    import pandas as pd

    from experiments.captioning import caption_images

    table = _table(images)
    with progress_bar("Captioning") as progress:
        captions = caption_images(model, table, beam, stage, progress)
    if out:
        paths = [name_to_text(str(path)) for path in table.paths()]
        write_csv(out, pd.DataFrame({"path": paths, "caption": captions}))
        typer.echo(f"wrote {out}")
    else:
        print_table(pd.DataFrame({"path": table.frame["path"], "caption": captions}), format)


def _table(images: list[str]) -> "ImageTable":
    """Images of one source, or the listed image files."""
    import pandas as pd

    from likeness.data import TABLE_SUFFIXES, ImageTable, read_dataset

    paths = [as_path(image) for image in images]
    if len(images) == 1 and (paths[0].suffix.lower() in TABLE_SUFFIXES or not paths[0].is_file()):
        return read_dataset(images[0])
    other = next((path for path in paths if not path.is_file()), None)
    if other is not None:
        raise InputError(f"'{other}' is {'a folder' if other.is_dir() else 'not there'}; give image files, or one folder or other source alone.")
    return ImageTable("Images", Path(), pd.DataFrame({"path": [name_to_text(path.as_posix()) for path in paths]}))
