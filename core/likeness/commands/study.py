"""`likeness study`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Changes, Format, output_file, output_folder
from likeness.commands.terminal import check_format, print_table, progress_bar
from likeness.commands.train import changed
from likeness.errors import InputError
from likeness.io import runs_dir, write_atomic

if TYPE_CHECKING:
    from likeness.studies import Cell, StudyConfig, StudyFolder


def study(
    config: Annotated[str, typer.Argument(help="A YAML file, or a shipped study; `likeness study --list` names them.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the runs. Without: runs/NAME.")] = None,
    change: Changes = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="Only this row; may be repeated.")] = None,
    which: Annotated[str, typer.Option(help="Figures of the `last` weights or of the `best` ones.")] = "last",
    against: Annotated[str, typer.Option(help="Also print what each row gains over this one, paired by seed and split.")] = "",
    format: Format = "table",
    sweep: Annotated[bool, typer.Option("--sweep", help="Try the values that the study names, on held-out training images; in NAME-sweep.")] = False,
    table: Annotated[bool, typer.Option("--table", help="Only print what is finished.")] = False,
    save: Annotated[Path | None, typer.Option(callback=output_file, help="CSV file for the figures, a row per finished run.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print the shipped studies.")] = False,
) -> None:
    """Train a table: variants of a config times seeds, each a run of its own. Called again, it resumes with what is not finished.

    Examples: `likeness study shipped-cars`, `likeness study language-table-4 --set data.source=cars196:data/cars --row ELG`
    """
    from likeness.studies import StudyFolder, cells, measured, read_study, studies, study_notes, sweep_of

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
    unknown = [each for each in [*(row or []), *([against] if against else [])] if each not in chosen.rows]
    if unknown:
        raise InputError(f"There is no row '{unknown[0]}'; the rows are {', '.join(chosen.rows)}.")
    if sweep and against:
        raise InputError("--sweep compares values of settings within each row; leave --against out.")
    trained, row = (sweep_of(chosen, row or None), None) if sweep else (chosen, row)
    folder, changes = StudyFolder(out or runs_dir() / trained.name), dict(changed(each) for each in change or [])
    wanted = cells(trained, folder.path, changes, row or None)
    try:
        if not table:
            folder.create(trained, changes, row)
            _run_study(folder, wanted)
    finally:
        if sweep:
            _print_sweep(chosen, wanted, which, format)
        else:
            _print_study(wanted, which, format)
        for note in study_notes(wanted):
            typer.echo(note, err=True)
        if against:
            _print_paired(wanted, which, against, format)
        if save:
            write_atomic(save, measured(wanted, which).to_csv(index=False).encode())


def _run_study(folder: "StudyFolder", wanted: "list[Cell]") -> None:
    with progress_bar("Runs") as bar:

        def progress(done: int, total: int, stage: str = "") -> None:
            typer.echo(f"{done + 1} of {total}: {stage}", err=True)
            bar(done, total)

        folder.run(wanted, progress)


def _print_study(wanted: "list[Cell]", which: str, format: str) -> None:
    from likeness.studies import FIGURES, study_table, with_spread

    if any(cell.split for cell in wanted):
        _print_shifts(wanted, which, format)
        return
    lines = study_table(wanted, which)
    for name in (figure for figure in FIGURES if figure in lines):
        spread = lines.pop(f"{name} ±")
        lines[name] = [with_spread(mean, each) for mean, each in zip(lines[name], spread, strict=True)]
    print_table(lines, format)


def _print_sweep(chosen: "StudyConfig", wanted: "list[Cell]", which: str, format: str) -> None:
    """The figure of every value that was tried, row by row, and which is the best."""
    from likeness.studies import measured, sweep_table

    lines = sweep_table(chosen, measured(wanted, which))
    if not len(lines):
        typer.echo("No run is finished yet.")
        return
    lines["figure"] = [f"{figure:.4f}" for figure in lines["figure"]]
    lines["best"] = lines["best"].map({True: "best", False: ""})
    lines.loc[lines["edge"] & (lines["best"] != ""), "best"] += ", at the edge: there may be a better one beyond"
    print_table(lines.drop(columns="edge"), format)


def _print_shifts(wanted: "list[Cell]", which: str, format: str) -> None:
    """R@1 by method and split, and the aggregated score of each method that has all splits."""
    from likeness.studies import measured, shift_table

    table = shift_table(measured(wanted, which))
    if not len(table):
        typer.echo("No run is finished yet.")
        return
    print_table(table.rename(columns={"row": "R@1"}), format)


def _print_paired(wanted: "list[Cell]", which: str, against: str, format: str) -> None:
    """What each row gains over one of them, with standard errors."""
    from likeness.studies import measured, paired_differences

    found = paired_differences(measured(wanted, which), against)
    lines = found[["row", "pairs"]].rename(columns={"row": f"minus {against}"})
    for name in (column for column in found if f"{column} ±" in found):
        lines[name] = [
            f"{mean:+.4f}" + ("" if error != error else f" ± {error:.4f}") for mean, error in zip(found[name], found[f"{name} ±"], strict=True)
        ]
        lines[f"{name} ahead"] = found[f"{name} ahead"]
    print_table(lines, format)
