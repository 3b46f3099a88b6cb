"""`likeness captioning`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.options import Changes, Format, output_file, output_folder
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.commands.train import changed
from likeness.errors import InputError
from likeness.io import runs_dir, write_atomic

if TYPE_CHECKING:
    from likeness.recipes.captioning import CaptioningConfig


def captioning(
    config: Annotated[str, typer.Argument(help="A YAML file, or one that ships; `likeness captioning --list` names them.")] = "",
    features: Annotated[
        list[str] | None, typer.Option("--features", help="`imagenet`, or `run:FOLDER`: the backbone of a trained run; may be repeated.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="`topdown` or `att2all2`; may be repeated. Without: the config's.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the models. Without: runs/NAME.")] = None,
    change: Changes = None,
    format: Format = "table",
    table: Annotated[bool, typer.Option("--table", help="Only print what is finished.")] = False,
    save: Annotated[Path | None, typer.Option(callback=output_file, help="CSV file for the table.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print the shipped configs.")] = False,
) -> None:
    """Do features that were trained with caption similarities make better captions? One captioning model per set of features, and their scores.

    Called again, it resumes with what is missing.

    Example: `likeness captioning cars-captions --features imagenet --features run:runs/cars`
    """
    from likeness.recipes.captioning import captioning_configs, read_captioning_config, with_captioning_changes

    if listed:
        for name in captioning_configs():
            typer.echo(f"{name:28} {read_captioning_config(name).note}")
        return
    if not config:
        raise InputError("Say what to train: a YAML file or a config that ships; `likeness captioning --list` names them.")
    check_format(format)
    chosen = with_captioning_changes(read_captioning_config(config), dict(changed(each) for each in change or []))
    _compare(chosen, features or ["imagenet"], model or [], out or runs_dir() / chosen.name, format, table, save)


def _compare(config: "CaptioningConfig", features: list[str], models: list[str], folder: Path, format: str, table: bool, save: Path | None) -> None:
    from likeness.recipes.captioning import captioning_cells, captioning_table, finished_report

    cells = captioning_cells(config, features, models, folder)
    reports = [found for path, cell in cells.items() if (found := finished_report(path, *cell)) is not None] if table else _trained(cells)
    if not reports:
        typer.echo("No model is finished yet.")
        return
    lines = captioning_table(reports)
    print_table(lines.round(4), format)
    if save:
        write_atomic(save, lines.to_csv(index=False).encode())


def _trained(cells: "dict[Path, tuple[CaptioningConfig, str]]") -> list[dict[str, Any]]:
    from likeness.recipes.captioning import compare_features

    last = ""
    with progress_bar("Steps") as bar:

        def progress(done: int, total: int, stage: str = "") -> None:
            nonlocal last
            if stage != last:
                last = stage
                typer.echo(stage, err=True)
            bar(done, total)

        return compare_features(cells, progress)
