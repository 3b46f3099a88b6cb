"""`likeness analyze convergence`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Format, OutputFile, Plot
from likeness.commands.terminal import check_format, check_plot, print_table, write_csv, write_plot
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.training import RunFolder


def convergence(
    folder: Annotated[Path, typer.Argument(help="The folder that holds the runs' folders, or one run's own.")] = Path("runs"),
    metric: Annotated[str, typer.Option(help="recall_at_1, map_at_1000, map_at_r, nmi, f1 ...; larger must be better.")] = "recall_at_1",
    out: OutputFile = None,
    plot: Plot = None,
    format: Format = "table",
) -> None:
    """How soon do runs get where? (Language guidance, Figure S1.) Runs that differ in the seed alone are one line with a band.

    A row per run: its best mean over the seeds, the epoch of it, and the first epoch at which it is as good as the weakest run ever gets.
    --out writes all points as CSV. Takes seconds.

    Examples: `likeness analyze convergence runs`, `likeness analyze convergence runs/shipped-cars --metric map_at_1000 --plot curves.html`
    """
    from likeness.evaluation import metric_title
    from likeness.plots import convergence_curves
    from likeness.studies import convergence as measured, convergence_table

    check_plot(plot)
    check_format(format)
    runs = _runs(folder)
    curves = measured(runs, metric)
    for name in (run.name for run in runs if metric not in run.metrics()):
        typer.echo(f"{name} has not measured {metric} yet", err=True)
    table = convergence_table(curves, metric)
    table["best"] = [
        f"{best:.3f} ± {spread:.3f}" if seeds > 1 else f"{best:.3f}"
        for best, spread, seeds in zip(table["best"], table.pop("best ±"), table["seeds"], strict=True)
    ]
    level = curves.groupby(["run", "epoch"])[metric].mean().groupby("run").max().min()
    table["last"] = [f"{value:.3f}" for value in table["last"]]
    for column in ("epoch", "match_epoch"):
        table[column] = [f"{value:g}" for value in table[column]]
    print_table(table.rename(columns={"best": f"best {metric_title(metric)}", "epoch": "at epoch", "match_epoch": f"{level:.3f} at epoch"}), format)
    write_csv(out, curves)
    if plot:
        title = f"{metric_title(metric)} by epoch"
        write_plot(plot, convergence_curves(curves, metric, title=title), title)


def _runs(folder: Path) -> "list[RunFolder]":
    """The runs of a folder by name, or the run that it is."""
    from likeness.data import natural_key
    from likeness.training import RunFolder, list_runs

    found = [RunFolder(folder)] if (folder / "config.yaml").is_file() else sorted(list_runs(folder), key=lambda run: natural_key(run.name))
    if not found:
        raise InputError(f"There are no runs in '{folder}'; start one with `likeness train`.")
    return found
