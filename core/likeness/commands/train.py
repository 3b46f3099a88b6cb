"""`likeness train`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Changes, output_file, output_folder
from likeness.commands.runs import MAIN_METRICS
from likeness.commands.terminal import print_notes, progress_bar
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir

if TYPE_CHECKING:
    from likeness.training import RunConfig


_STEPS, _SHOWN = 100, 12


def train(
    config: Annotated[str, typer.Argument(help="A YAML file, or a preset; `likeness train --list` lists them.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the run; by default runs/NAME.")] = None,
    change: Changes = None,
    find: Annotated[bool, typer.Option("--find-rate", help="Run a learning rate test of 100 steps instead; no run is written.")] = False,
    labels: Annotated[
        Path | None,
        typer.Option("--pseudolabels", callback=output_file, help="Write ImageNet names of each class, from a classifier, to this CSV file instead."),
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="With --pseudolabels: names per class.")] = 20,
    show: Annotated[bool, typer.Option("--show", help="Print the resolved config instead of running it.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Print the presets.")] = False,
    devices: Annotated[int | None, typer.Option(min=1, help="Processes per machine, one per GPU; they share every batch.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Number of machines; start several with torchrun or SLURM.")] = None,
) -> None:
    """Train an embedding from a config into a run folder. A second call on the same folder resumes an interrupted run.

    If no classifier is available, set `guidance.pseudolabels` in a config with guidance of kind plg to a file written by --pseudolabels elsewhere.

    Examples: `likeness train shipped-cars-elg`, `likeness train my.yaml --out runs/a --set seed=1`, `likeness train my.yaml --devices 2`,
    `likeness train my.yaml --find-rate`, `likeness train my.yaml --pseudolabels names.csv --set guidance.classifier.name=resnet50`
    """
    from likeness.training import as_yaml, presets, read_config, with_changes

    if listed:
        print_notes({name: read_config(name).note for name in presets()})
        return
    if not config:
        raise InputError("Pass a YAML file or a preset; `likeness train --list` lists the presets.")
    processes = {name: number for name, number in (("devices", devices), ("nodes", nodes)) if number is not None}
    chosen = with_changes(read_config(config), changed(change) | processes)
    if labels is not None:
        _write_pseudolabels(chosen, labels, k)
        return
    if show:
        typer.echo(as_yaml(chosen).rstrip())
        return
    if find:
        _find_rate(chosen)
        return
    _run(chosen, out or runs_dir() / chosen.name)


def _write_pseudolabels(config: "RunConfig", out: Path, k: int) -> None:
    from dataclasses import replace

    from likeness.language import imagenet_names, write_pseudolabels
    from likeness.training import pseudolabels, run_images, with_changes

    chosen = with_changes(config, {"guidance.kind": "plg", "guidance.level": "class", "guidance.k": k})
    images = run_images(chosen.data, chosen.seed)
    every, names = replace(images, train=images.used), imagenet_names()
    with progress_bar("Images") as progress:
        labels = pseudolabels(chosen, every, progress)
    table = {name: [names[number] for number in row] for name, row in zip(images.names, labels, strict=True)}
    write_pseudolabels(out, table)
    for name, own in table.items():
        typer.echo(f"{name}: {', '.join(own[:5])}")


def _find_rate(config: "RunConfig") -> None:
    from likeness.training import find_rate

    with progress_bar("Preparing") as progress:
        found = find_rate(config, progress=progress)
    frame = found.frame()
    for row in frame.iloc[:: max(1, len(frame) // _SHOWN)].itertuples():
        typer.echo(f"{row.rate:10.2g}  loss {row.smoothed:.4f}")
    if len(frame) < _STEPS:
        typer.echo(f"The loss diverged at {frame['rate'].iloc[-1]:.2g}.")
    typer.echo(f"It falls most steeply at {found.suggestion:.2g}: --set optimizer.rate={found.suggestion:.2g}")


def _run(config: "RunConfig", folder: Path) -> None:
    from likeness.training import external_rank, launched_externally

    if config.processes > 1:
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # notes of torch to its own users, from every process
    if config.processes > 1 and external_rank():  # one of several, of which the first one speaks
        from likeness.training import train as assist

        assist(config, folder)
        return
    if config.processes > 1 and not launched_externally():  # this process only waits, and needs no torch
        from likeness.training import launch as begin
    else:
        from likeness.training import train as begin
    with progress_bar("Preparing") as progress:
        run = begin(config, folder, progress)
    status = run.status()
    typer.echo(f"{status.state} after {status.step:,} of {status.total:,} steps, {status.seconds:.0f} s: {run.path}")
    if status.message:
        typer.echo(status.message, err=True)
    figures_by = run.report()
    if figures_by:
        if "left_out" in figures_by:
            typer.echo(f"{figures_by['left_out']:,} images have no label and were ignored.", err=True)
        for which in ("last", "best"):
            between = figures_by.get("intervals", {}).get(which, {})
            texts = {name: " ({:.3f} to {:.3f})".format(*ends) for name, ends in between.items()}
            shown = [name for name in MAIN_METRICS if name in figures_by.get(which, {})]
            figures = ", ".join(f"{name} {figures_by[which][name]:.3f}{texts.get(name, '')}" for name in shown)
            if figures:
                typer.echo(f"{which} (step {figures_by[which]['step']:,}): {figures}")


def changed(texts: list[str] | None) -> dict[str, object]:
    """Parses all `--set key=value`; values are YAML."""
    found: dict[str, object] = {}
    for text in texts or []:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"Missing '=' in '--set {text}'; write it as --set guidance.omega=5.")
        found[key.strip()] = parse_yaml(value, f"The value in '--set {text}'")
    return found
