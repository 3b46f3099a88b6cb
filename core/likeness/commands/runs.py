"""`likeness runs`: list, show by class, rename, delete, mix and export runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.listed_help import DefaultList
from likeness.commands.options import Format, Weights
from likeness.commands.terminal import check_agreed, print_table
from likeness.errors import InputError
from likeness.io import runs_dir

if TYPE_CHECKING:
    from likeness.training import RunFolder

_OF_CLASSES, _OF_CAPTIONS = ("recall_at_1", "map_at_1000", "map_at_r", "nmi"), ("text_to_image_recall_at_1", "image_to_text_recall_at_1")
MAIN_METRICS = (*_OF_CLASSES, *_OF_CAPTIONS, "mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10", "ndcg_at_100")


runs = typer.Typer(name="runs", cls=DefaultList, help="List trained runs with their metrics; show one by class; rename, delete, mix or export it.")
_Run = Annotated[str, typer.Argument(help="The run's name, as `likeness runs` shows it, or its folder.")]


@runs.command(name="list")
def list_(
    folder: Annotated[Path | None, typer.Argument(help="The folder that holds the runs' folders. Without: runs.")] = None,
    figures: Weights = "best",
    format: Format = "table",
) -> None:
    """List runs with their state and their metrics on classes or images not used for training.

    The best weights are those with the highest R@1 (on captions: of images by texts; with continuous labels: the smallest mean label distance of ten
    images) on the validation images (data.validation); with data.select_on_test on the test images, which inflates the metrics; with neither, the
    last weights.

    Examples: `likeness runs`, `likeness runs list --figures last`
    """
    import pandas as pd

    from likeness.training import list_runs

    folder = folder or runs_dir()
    found = list_runs(folder)
    if not found:
        raise InputError(f"There are no runs in '{folder}'; start one with `likeness train`.")
    print_table(pd.DataFrame([_line(run, figures) for run in found]).fillna(""), format)


@runs.command()
def rename(run: _Run, name: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Rename a run. It must not be running.

    Example: `likeness runs rename shipped-cars-elg with-language`
    """
    from likeness.training import find_run, rename_run

    typer.echo(f"renamed to {rename_run(find_run(run), name).path}")


@runs.command()
def delete(run: _Run, yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False) -> None:
    """Delete a run with its weights, checkpoints and figures. This cannot be undone.

    Example: `likeness runs delete shipped-cars-elg`
    """
    from likeness.training import delete_run, find_run

    chosen = find_run(run)
    chosen.config()  # says where there is none, before anything is asked
    if not yes:
        check_agreed(f"Delete the run '{chosen.name}' with its weights and figures? This cannot be undone.")
    delete_run(chosen)
    typer.echo(f"deleted {chosen.path}")


@runs.command()
def table(
    run: _Run,
    by: Annotated[str, typer.Option(help="Another attribute of the images than the class.")] = "class",
    figure: Annotated[str | None, typer.Option(help="Such as map_at_r; by default R@1, or the mean label distance of ten images.")] = None,
    format: Format = "table",
) -> None:
    """Show a run's figures by class, or another attribute of the test images, before and after training; what got worse comes first.

    Low and high: the 95 % interval of the gain over the queries of the line.

    Examples: `likeness runs table shipped-cars-elg`, `likeness runs table birds --by bird_family --figure map_at_r`
    """
    from likeness.training import find_run, query_table

    print_table(query_table(find_run(run), by, figure).round(4), format)


@runs.command()
def mix(
    run: _Run,
    folder: Annotated[Path, typer.Argument(help="Folder to write; it must not exist yet.")],
    alpha: Annotated[float | None, typer.Option(min=0, max=1, help="Share of the trained weights; by default the best of 0, 0.1 ... 1.")] = None,
    format: Format = "table",
) -> None:
    """Mix a run's weights with those it started from (WiSE-FT), so that it keeps what it knew: the mixture that is best on held-out images.

    Needs backbone.dim: null and, to choose, data.validation. The mixture is a run like any other.

    Example: `likeness runs mix birds runs/birds-mixed`
    """
    from likeness.commands.terminal import progress_bar
    from likeness.training import ALPHAS, find_run, mix_run

    with progress_bar("Mixing") as progress:
        found = mix_run(find_run(run), folder.expanduser(), ALPHAS if alpha is None else (alpha,), progress)
    shown = [name for name in ("alpha", "kept", *(f"{part}{each}" for part in ("validation_", "") for each in MAIN_METRICS)) if name in found]
    print_table(found[shown].round(4), format)
    typer.echo(f"wrote {folder}; use it as the encoder run:{folder}")


@runs.command()
def export(run: _Run, folder: Annotated[Path, typer.Argument(help="Folder to write; it must not exist yet.")]) -> None:
    """Export a run's config, best weights and metrics to a folder, which is an encoder, run:FOLDER, on any machine with Likeness.

    Example: `likeness runs export shipped-cars-elg ~/for-ada`
    """
    from likeness.training import export_run, find_run

    export_run(find_run(run), folder.expanduser())
    typer.echo(f"exported to {folder}; use it as the encoder run:{folder}")


def _line(run: "RunFolder", which: Any) -> dict[str, object]:
    from likeness.training import checkpoint_figures

    status, found = run.status(), checkpoint_figures(run.metrics(), run.config().selection_metric, which)
    line: dict[str, object] = {"run": run.name, "state": status.state, "step": f"{status.step:,}/{status.total:,}", "seconds": round(status.seconds)}
    if found:
        line["epoch"] = f"{found['epoch']:g}"
    return line | {f"{which} {name}": round(found[name], 3) for name in MAIN_METRICS if name in found}
