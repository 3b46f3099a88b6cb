"""`likeness train`, `likeness study` and `likeness runs`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import yaml

from likeness.errors import InputError
from likeness.files import write_atomic
from likeness.paths import runs_dir
from likeness.terminal import check_format, print_table, progress_bar

if TYPE_CHECKING:
    from likeness.training.config import RunConfig
    from likeness.training.run_folder import RunFolder
    from likeness.training.study import Cell

_MAIN = ("recall_at_1", "map_at_1000", "map_at_r", "nmi")


def train(
    config: Annotated[str, typer.Argument(help="A YAML file, or a preset; `likeness train --list` names them.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder of the run. Without: runs/NAME.")] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="Another value, by dotted key: `--set guidance.omega=5`; may be repeated.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the whole config instead of running it.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Print the presets.")] = False,
) -> None:
    """Train an embedding: config -> run folder. Called again on the same folder, it goes on where it was stopped or killed.

    Examples: `likeness train shipped-cars-elg`, `likeness train my.yaml --out runs/a --set seed=1`
    """
    from likeness.training.config import as_yaml, presets, read_config, with_changes

    if listed:
        for name in presets():
            typer.echo(f"{name:28} {read_config(name).note}")
        return
    if not config:
        raise InputError("Say what to train: a YAML file or a preset; `likeness train --list` names the presets.")
    chosen = with_changes(read_config(config), dict(_changed(each) for each in change or []))
    if show:
        typer.echo(as_yaml(chosen).rstrip())
        return
    _run(chosen, out or runs_dir() / chosen.name)


def runs(folder: Annotated[Path | None, typer.Argument(help="The folder that holds the runs' folders. Without: runs.")] = None) -> None:
    """List runs: how they stand, and their best figures on classes that they have not seen.

    Example: `likeness runs`
    """
    import pandas as pd

    from likeness.training.run_folder import list_runs

    folder = folder or runs_dir()
    found = list_runs(folder)
    if not found:
        raise InputError(f"There are no runs in '{folder}'; start one with `likeness train`.")
    print_table(pd.DataFrame([_line(run) for run in found]).fillna(""), "table")


def study(
    config: Annotated[str, typer.Argument(help="A YAML file, or a shipped study; `likeness study --list` names them.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder of the runs. Without: runs/NAME.")] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="Another value in every run, by dotted key; may be repeated.")] = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="Only this row; may be repeated.")] = None,
    which: Annotated[str, typer.Option(help="Figures of the `last` weights or of the `best` ones.")] = "last",
    format: Annotated[str, typer.Option(help="table, markdown, csv or latex.")] = "table",
    table: Annotated[bool, typer.Option("--table", help="Only print what is finished.")] = False,
    save: Annotated[Path | None, typer.Option(help="CSV file for the figures, a row per finished run.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print the shipped studies.")] = False,
) -> None:
    """Train a table: variants of a config times seeds, each a run of its own. Called again, it goes on with what is not finished.

    Examples: `likeness study shipped-cars`, `likeness study language-table-4 --set data.source=cars196:data/cars --row ELG`
    """
    from likeness.training.study import cells, measured, read_study, studies

    if listed:
        for name in studies():
            typer.echo(f"{name:28} {read_study(name).note}")
        return
    if not config:
        raise InputError("Say which study: a YAML file or one that ships; `likeness study --list` names them.")
    check_format(format)
    if which not in ("last", "best"):
        raise InputError(f"There are no figures '{which}'; choose last or best.")
    chosen = read_study(config)
    unknown = [each for each in row or [] if each not in chosen.rows]
    if unknown:
        raise InputError(f"There is no row '{unknown[0]}'; the rows are {', '.join(chosen.rows)}.")
    wanted = cells(chosen, out or runs_dir() / chosen.name, dict(_changed(each) for each in change or []))
    wanted = [cell for cell in wanted if not row or cell.row in row]
    try:
        if not table:
            _run_study(wanted)
    finally:
        _print_study(wanted, which, format)
        if save:
            write_atomic(save, measured(wanted, which).to_csv(index=False).encode())


def pseudolabels(
    config: Annotated[str, typer.Argument(help="A YAML file or a preset, of kind plg.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file: a line per class, its names best first.")],
    k: Annotated[int, typer.Option(min=1, help="Names of each class.")] = 20,
    change: Annotated[list[str] | None, typer.Option("--set", help="Another value, by dotted key; may be repeated.")] = None,
) -> None:
    """Give every class ImageNet names by a classifier, once: `guidance.pseudolabels` of a config reads the file where no classifier is at hand.

    Example: `likeness pseudolabels my.yaml --out names.csv --set guidance.classifier.name=resnet50`
    """
    from dataclasses import replace

    import numpy as np

    from likeness.language import imagenet_names, write_pseudolabels
    from likeness.training.config import read_config, with_changes
    from likeness.training.language_side import pseudolabels as found
    from likeness.training.run_images import run_images

    asked = {"guidance.kind": "plg", "guidance.level": "class", "guidance.k": k} | dict(_changed(each) for each in change or [])
    chosen = with_changes(read_config(config), asked)
    images = run_images(chosen.data, chosen.seed)
    every, names = replace(images, train=np.arange(len(images.labels))), imagenet_names()
    with progress_bar("Images") as progress:
        labels = found(chosen, every, lambda what, done, total: progress(done, total))
    table = {name: [names[number] for number in row] for name, row in zip(images.names, labels, strict=True)}
    write_pseudolabels(out, table)
    for name, own in table.items():
        typer.echo(f"{name}: {', '.join(own[:5])}")


def _run_study(wanted: "list[Cell]") -> None:
    from likeness.training.study import run_study

    with progress_bar("Runs") as progress:

        def report(what: str, done: int, total: int) -> None:
            typer.echo(f"{done + 1} of {total}: {what}", err=True)
            progress(done, total)

        run_study(wanted, report)


def _print_study(wanted: "list[Cell]", which: str, format: str) -> None:
    from likeness.training.study import FIGURES, study_table

    lines = study_table(wanted, which)
    for name in (figure for figure in FIGURES if figure in lines):
        spread = lines.pop(f"{name} ±")
        lines[name] = [_with_spread(mean, each) for mean, each in zip(lines[name], spread, strict=True)]
    print_table(lines, format)


def _with_spread(mean: float, spread: float) -> str:
    if mean != mean:
        return ""
    return f"{mean:.3f}" if spread != spread else f"{mean:.3f} ± {spread:.3f}"


def _run(config: "RunConfig", folder: Path) -> None:
    from likeness.training.train import train as begin

    with progress_bar("Preparing") as progress:

        def report(what: str, done: int, total: int) -> None:
            progress(done, total)

        run = begin(config, folder, report)
    status = run.status()
    typer.echo(f"{status.state} after {status.step:,} of {status.total:,} steps, {status.seconds:.0f} s: {run.path}")
    told = run.report()
    if told:
        for which in ("last", "best"):
            figures = ", ".join(f"{name} {told[which][name]:.3f}" for name in _MAIN if name in told.get(which, {}))
            if figures:
                typer.echo(f"{which} (step {told[which]['step']:,}): {figures}")


def _line(run: "RunFolder") -> dict[str, object]:
    status, measured = run.status(), run.metrics()
    line: dict[str, object] = {"run": run.name, "state": status.state, "step": f"{status.step:,}/{status.total:,}", "seconds": round(status.seconds)}
    for name in _MAIN:
        if name in measured:
            line[f"best {name}"] = round(float(measured[name].max()), 3)
    return line


def _changed(text: str) -> tuple[str, object]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"'--set {text}' has no '='; write it as --set guidance.omega=5.")
    try:
        return key.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise InputError(f"The value in '--set {text}' cannot be read; quote texts with special characters.") from error
