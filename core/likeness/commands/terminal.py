"""What the commands print: tables, files, progress."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from likeness.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from likeness.progress import Progress


FORMATS = ("table", "markdown", "csv", "latex")


def print_table(frame: "pd.DataFrame", format: str) -> None:
    """Prints a table as plain text, markdown, csv or latex; InputError for another format."""
    from likeness.studies import as_latex, as_markdown

    writers = {
        "table": lambda: frame.to_string(index=False),
        "markdown": lambda: as_markdown(frame),
        "csv": lambda: frame.to_csv(index=False).rstrip(),
        "latex": lambda: as_latex(frame).rstrip(),
    }
    check_format(format)
    text = writers[format]()
    typer.echo(printable(text) if format == "table" else text)


def printable(text: str) -> str:
    """Lines as a terminal may get them: signs that move its cursor or turn its text around, which file names may hold, as a replacement sign."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def print_what_fits() -> None:
    """From now on, signs that the encoding of stdout or stderr lacks are printed as "?"; without it they end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def check_format(format: str) -> None:
    """Raises InputError unless `print_table` knows the format; called before slow work."""
    if format not in FORMATS:
        raise InputError(f"There is no format '{format}'; choose one of {', '.join(FORMATS)}.")


@contextmanager
def progress_bar(label: str) -> Iterator["Progress"]:
    """A bar on stderr that appears with the first call of what is yielded; none where nothing is to do. A named stage takes the label's place."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    said = TextColumn("{task.description}", markup=False)
    bar = Bar(said, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=None)

    def progress(done: int, total: int, stage: str = "") -> None:
        if not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=total, description=stage or label)

    try:
        yield progress
    finally:
        if bar.live.is_started:
            bar.stop()
