"""`likeness sweep`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Changes, Format, output_folder
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.commands.train import changed
from likeness.errors import InputError
from likeness.io import runs_dir

if TYPE_CHECKING:
    from likeness.studies import SweepConfig, SweepFolder


def sweep(
    config: Annotated[str, typer.Argument(help="A YAML file with base, space and trials, or the folder of a sweep.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the sweep. Without: runs/NAME.")] = None,
    change: Changes = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Another number of trials; a finished sweep goes on up to there.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Only print what is finished.")] = False,
    format: Format = "table",
) -> None:
    """Search settings by Optuna: a run for each trial, judged on validation images; at the end test figures of the best beside the base.

    Called again on the same file or folder, it resumes: the trial that was stopped or killed goes on from its checkpoint.

    Examples: `likeness sweep rates.yaml`, `likeness sweep runs/rates --show`, `likeness sweep runs/rates --trials 50`
    """
    from likeness.studies import SweepFolder, sweep as search

    if not config:
        raise InputError("Say which sweep: a YAML file with base, space and trials, or the folder of one.")
    check_format(format)
    given, folder = _given(config, out)
    chosen = given.model_copy(update={"changes": given.changes | dict(changed(each) for each in change or []), "trials": trials or given.trials})
    if show:
        _print_sweep(SweepFolder(folder), format)
        return
    with progress_bar("Runs") as bar:

        def progress(done: int, total: int, stage: str = "") -> None:
            typer.echo(f"{done + 1} of {total}: {stage}", err=True)
            bar(done, total)

        found = search(chosen, folder, progress)
    _print_sweep(found, format)


def _given(config: str, out: Path | None) -> "tuple[SweepConfig, Path]":
    """What is searched, and the sweep's folder."""
    from likeness.studies import SweepFolder, read_sweep

    if (Path(config) / "sweep.yaml").is_file():
        if out is not None:
            raise InputError(f"'{config}' is the folder of a sweep, which goes on there; leave --out out.")
        return SweepFolder(config).config(), Path(config)
    given = read_sweep(config)
    return given, out or runs_dir() / given.name


def _print_sweep(folder: "SweepFolder", format: str) -> None:
    """Trials, the best first; which settings matter; and test figures of the best beside the base."""
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
        typer.echo(f"Importance for being among the best tenth of the trials: {shares}", err=True)
    _print_figures(folder, format)


def _print_figures(folder: "SweepFolder", format: str) -> None:
    from likeness.studies import FIGURES, table_of, with_spread

    figures = folder.figures()
    if not len(figures):
        return
    lines = table_of(figures, (folder.metric, *FIGURES))
    for name in (each for each in (folder.metric, *FIGURES) if each in lines):
        spread = lines.pop(f"{name} ±")
        lines[name] = [with_spread(mean, each) for mean, each in zip(lines[name], spread, strict=True)]
    typer.echo()
    print_table(lines, format)
    typer.echo(f"{folder.metric} chose the trial and its weights, which flatters it; figures without validation_ are of the test images.", err=True)
