"""`likeness study`."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.options import Changes, Format, Weights, output_file, output_folder
from likeness.commands.terminal import print_notes, print_table, staged_bar, write_csv
from likeness.commands.train import changed
from likeness.errors import InputError
from likeness.io import runs_dir

if TYPE_CHECKING:
    import pandas as pd

    from likeness.studies import Cell, StudyConfig, StudyFolder


def study(
    config: Annotated[str, typer.Argument(help="A YAML file, or a shipped study; `likeness study --list` lists them.")] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the runs; by default runs/NAME.")] = None,
    change: Changes = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="Only this row; may be repeated.")] = None,
    which: Weights = "last",
    against: Annotated[str, typer.Option(help="Also print the gain of each row over this one, paired by seed and split.")] = "",
    format: Format = "table",
    table: Annotated[bool, typer.Option("--table", help="Only print finished runs.")] = False,
    save: Annotated[Path | None, typer.Option(callback=output_file, help="CSV file for the metrics, a row per finished run.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print the shipped studies.")] = False,
) -> None:
    """Train a table of runs: variants of a config times seeds. A second call resumes with unfinished runs.

    Examples: `likeness study shipped-cars`, `likeness study language-table-4 --set data.source=cars196:data/cars --row ELG`
    """
    from likeness.studies import StudyFolder, cells, read_study, studies

    if listed:
        print_notes({name: read_study(name).note for name in studies()})
        return
    if not config:
        raise InputError("Pass a study: a YAML file or a shipped one; `likeness study --list` lists them.")
    chosen = read_study(config)
    check_rows(chosen, [*(row or []), *([against] if against else [])])
    folder, changes = StudyFolder(out or runs_dir() / chosen.name), changed(change)
    wanted = cells(chosen, folder.path, changes, row or None)

    def show() -> None:
        _print_study(wanted, which, format)
        if against:
            _print_paired(wanted, which, against, format)

    run_cells(folder, wanted, None if table else partial(folder.create, chosen, changes, row), show, which, save)


def check_rows(chosen: "StudyConfig", rows: list[str]) -> None:
    """Raises InputError for an unknown row."""
    unknown = [each for each in rows if each not in chosen.rows]
    if unknown:
        raise InputError(f"There is no row '{unknown[0]}'; choose from {', '.join(chosen.rows)}.")


def run_cells(
    folder: "StudyFolder", wanted: "list[Cell]", begin: Callable[[], object] | None, show: Callable[[], None], which: str, save: Path | None
) -> None:
    """Trains missing runs if a config is given; prints and writes finished ones, however training ends."""
    from likeness.studies import measured, study_notes

    try:
        if begin is not None:
            begin()
            with staged_bar("Runs") as progress:
                folder.run(wanted, progress)
    finally:
        show()
        for note in study_notes(wanted):
            typer.echo(note, err=True)
        write_csv(save, measured(wanted, which))


def _print_study(wanted: "list[Cell]", which: str, format: str) -> None:
    """A row per row of the study; where it has splits, R@1 by method and split, and the aggregated score of each method that has all splits."""
    from likeness.studies import FIGURES, measured, shift_table, study_table

    if not any(cell.split for cell in wanted):
        print_table(with_spreads(study_table(wanted, which), FIGURES), format)
    elif len(table := shift_table(measured(wanted, which))):
        print_table(table.rename(columns={"row": "R@1"}), format)
    else:
        typer.echo("No run is finished yet.")


def with_spreads(lines: "pd.DataFrame", figures: Iterable[str]) -> "pd.DataFrame":
    """Merges the columns "FIGURE" and "FIGURE ±" into one."""
    from likeness.studies import with_spread

    for name in (figure for figure in figures if figure in lines):
        spread = lines.pop(f"{name} ±")
        lines[name] = [with_spread(mean, each) for mean, each in zip(lines[name], spread, strict=True)]
    return lines


def _print_paired(wanted: "list[Cell]", which: str, against: str, format: str) -> None:
    """Prints the gain of each row over one of them, with standard errors."""
    from likeness.studies import measured, paired_differences

    found = paired_differences(measured(wanted, which), against)
    lines = found[["row", "pairs"]].rename(columns={"row": f"minus {against}"})
    for name in (column for column in found if f"{column} ±" in found):
        lines[name] = [
            f"{mean:+.4f}" + ("" if error != error else f" ± {error:.4f}") for mean, error in zip(found[name], found[f"{name} ±"], strict=True)
        ]
        lines[f"{name} ahead"] = found[f"{name} ahead"]
    print_table(lines, format)
