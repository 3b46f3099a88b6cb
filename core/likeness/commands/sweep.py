"""`likeness sweep`."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Changes, Format, Weights, output_file, output_folder
from likeness.commands.study import check_rows, run_cells, with_spreads
from likeness.commands.terminal import print_table, staged_bar
from likeness.commands.train import changed
from likeness.errors import InputError
from likeness.io import runs_dir

if TYPE_CHECKING:
    from likeness.studies import Cell, StudyConfig, SweepConfig, SweepFolder


def sweep(
    config: Annotated[str, typer.Argument(help="A YAML file with base, space and trials, the folder of a sweep, or a study.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the sweep; by default runs/NAME.")] = None,
    change: Changes = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="For a study: only this row; may be repeated.")] = None,
    which: Weights = "last",
    save: Annotated[Path | None, typer.Option(callback=output_file, help="For a study: CSV file for the metrics, a row per finished run.")] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Number of trials; a finished sweep continues up to a larger number.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Only print finished trials.")] = False,
    format: Format = "table",
) -> None:
    """Search hyperparameters with Optuna: one run per trial, evaluated on validation images; at the end test metrics of the best and the base.

    A second call on the same file or folder resumes; an interrupted trial continues from its checkpoint. For a study, the values listed under `sweep`
    are tried in every row, on held-out training images; their runs are stored in NAME-sweep.

    Examples: `likeness sweep rates.yaml`, `likeness sweep runs/rates --show`, `likeness sweep runs/rates --trials 50`,
    `likeness sweep my-study.yaml --row Margin`
    """
    from likeness.studies import SweepFolder, sweep as search

    if not config:
        raise InputError("Pass a sweep: a YAML file with base, space and trials, its folder, or a study.")
    if _is_study(config):
        if trials:
            raise InputError("A study lists the values to try; remove --trials.")
        _sweep_rows(config, out, changed(change), row or [], which, save, show, format)
        return
    if row or save:
        raise InputError(f"--row and --save need a study, which '{config}' is not; remove them.")
    given, folder = _given(config, out)
    chosen = given.model_copy(update={"changes": given.changes | changed(change), "trials": trials or given.trials})
    if show:
        _print_sweep(SweepFolder(folder), format)
        return
    with staged_bar("Runs") as progress:
        found = search(chosen, folder, progress)
    _print_sweep(found, format)


def _is_study(config: str) -> bool:
    from likeness.io import yaml_content
    from likeness.studies import studies

    content = yaml_content(Path(config)) if Path(config).is_file() else None
    return config in studies() or (isinstance(content, Mapping) and "rows" in content)


def _sweep_rows(
    config: str, out: Path | None, changes: dict[str, object], rows: list[str], which: str, save: Path | None, show: bool, format: str
) -> None:
    from likeness.studies import StudyFolder, cells, read_study, sweep_of

    chosen = read_study(config)
    check_rows(chosen, rows)
    tried = sweep_of(chosen, rows or None)
    folder = StudyFolder(out or runs_dir() / tried.name)
    wanted = cells(tried, folder.path, changes)
    begin = None if show else partial(folder.create, tried, changes)
    run_cells(folder, wanted, begin, partial(_print_rows, chosen, wanted, which, format), which, save)


def _print_rows(chosen: "StudyConfig", wanted: "list[Cell]", which: str, format: str) -> None:
    """Prints the metric of every tried value, row by row, and the best one."""
    from likeness.studies import measured, sweep_table

    lines = sweep_table(chosen, measured(wanted, which))
    if not len(lines):
        typer.echo("No run is finished yet.")
        return
    lines["figure"] = [f"{figure:.4f}" for figure in lines["figure"]]
    lines["best"] = lines["best"].map({True: "best", False: ""})
    lines.loc[lines["edge"] & (lines["best"] != ""), "best"] += ", at the edge: there may be a better one beyond"
    print_table(lines.drop(columns="edge"), format)


def _given(config: str, out: Path | None) -> "tuple[SweepConfig, Path]":
    """The search space and the folder of the sweep."""
    from likeness.studies import SweepFolder, read_sweep

    if (Path(config) / "sweep.yaml").is_file():
        if out is not None:
            raise InputError(f"'{config}' is the folder of a sweep, which resumes there; remove --out.")
        return SweepFolder(config).config(), Path(config)
    given = read_sweep(config)
    return given, out or runs_dir() / given.name


def _print_sweep(folder: "SweepFolder", format: str) -> None:
    """Prints the trials, best first, the importance of settings, and test metrics of the best and the base."""
    from likeness.studies import FIGURES, table_of

    trials = folder.trials()
    if not len(trials):
        typer.echo("No trial has begun yet.")
        return
    trials[folder.metric] = ["" if figure != figure else f"{figure:.4f}" for figure in trials[folder.metric].astype(float)]
    for key in folder.config().space:
        trials[key] = [f"{value:.4g}" if isinstance(value, float) else value for value in trials[key]]
    print_table(trials if trials["reason"].any() else trials.drop(columns="reason"), format)
    importance = folder.importance()
    if importance:
        shares = ", ".join(f"{key} {share:.2f}" for key, share in importance.items())
        typer.echo(f"Importance for reaching the best tenth of the trials: {shares}", err=True)
    figures = folder.figures()
    if not len(figures):
        return
    shown = (folder.metric, *FIGURES)
    lines = with_spreads(table_of(figures, shown), shown)
    typer.echo()
    print_table(lines, format)
    typer.echo(f"{folder.metric} selected the trial and its weights, so it is optimistic; metrics without validation_ are of test images.", err=True)
