"""What the commands print: tables, files, progress."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

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


def check_format(format: str) -> None:
    """Raises InputError unless `print_table` knows the format; called before slow work."""
    if format not in FORMATS:
        raise InputError(f"There is no format '{format}'; choose one of {', '.join(FORMATS)}.")


def print_any_text() -> None:
    """Signs that the terminal cannot show, and bytes of a file's name that are no text, are printed as "?" instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def refused(error: OSError) -> InputError:
    """What the system refused, as a sentence."""
    place = f"'{os.fsdecode(error.filename)}'" if isinstance(error.filename, str | bytes) else "A file"
    return InputError(f"{place} cannot be read or written ({(error.strerror or str(error)).lower()}); make room or allow it, or name another place.")


def fail(error: InputError) -> NoReturn:
    """Prints an error as one line on stderr and ends the program with status 2."""
    try:
        if sys.stdout is not None:  # as where the shell has closed it
            sys.stdout.flush()
    except OSError:
        leave_output()
    typer.secho(f"Error: {error}", fg="red", err=True)
    sys.exit(2)


def leave_output() -> None:
    """Gives up what is left to print where nobody takes it; Python would complain of it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
