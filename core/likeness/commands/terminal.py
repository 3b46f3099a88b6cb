"""Output of commands: tables, files, progress bars."""

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from likeness.errors import InputError
from likeness.io import interrupted_by, lacks_memory, restore_interruption

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

    from likeness.progress import Progress


_INTERRUPTED = 130


def print_table(frame: "pd.DataFrame", format: str) -> None:
    """Prints a table in one of the `FORMATS` of tables."""
    from likeness.io import csv_bytes
    from likeness.studies import as_latex, as_markdown

    writers = {
        "table": lambda: frame.to_string(index=False),
        "markdown": lambda: as_markdown(frame),
        "csv": lambda: csv_bytes(frame).decode().removesuffix("\n"),
        "latex": lambda: as_latex(frame).rstrip(),
        "json": lambda: frame.to_json(orient="records", indent=1, default_handler=str, force_ascii=False),
    }
    text = writers[format]()
    typer.echo(printable(text) if format == "table" else text)


def print_first(frame: "pd.DataFrame", count: int, format: str, more: str) -> None:
    """Prints the first rows of a table, and how to get the others."""
    print_table(frame.head(count), format)
    if len(frame) > count:
        typer.echo(f"... {len(frame):,} rows in all; {more}", err=True)


def print_notes(notes: Mapping[str, str]) -> None:
    """Prints names with their descriptions."""
    for name, note in notes.items():
        typer.echo(f"{name:28} {note}")


def write_csv(place: Path | None, frame: "pd.DataFrame") -> None:
    """Writes a table to CSV if a file is given."""
    from likeness.io import csv_bytes, write_atomic

    if place:
        write_atomic(place, csv_bytes(frame))


def write_plot(plot: Path, figure: "Figure", title: str, notes: Sequence[str] = ()) -> None:
    """Writes a figure as a page and says so on stderr."""
    from likeness.io import write_atomic
    from likeness.plots import as_page

    write_atomic(plot, as_page(figure, title, notes).encode())
    typer.echo(f"wrote {plot}", err=True)


def printable(text: str) -> str:
    """Text that is safe for a terminal: control and bidirectional characters, which file names may hold, become replacement characters."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def print_any_text() -> None:
    """Prints characters that the terminal cannot encode, and undecodable bytes of file names, as "?" instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def answered() -> Iterator[None]:
    """Exit statuses of a program: bad input and errors of the operating system are one line on stderr and status 2; an interruption is 130, and a
    closed pipe, as in `likeness info | head -1`, 1.
    """
    restore_interruption()
    with interrupted_by(signal.SIGINT) as interrupted:
        try:
            yield
            _flush()
        except InputError as error:
            _fail(error)
        except OverflowError:
            _fail(InputError("A number is too large; pass a smaller one."))
        except BrokenPipeError:
            _leave_output()
            sys.exit(1)
        except KeyboardInterrupt:  # outside of Typer's reach
            _stop()
        except SystemExit as end:  # Typer answers an interruption by this status and an empty line
            if end.code == _INTERRUPTED:
                _stop()
            raise
        except Exception as error:
            if interrupted.is_set():  # a library that is interrupted while it is loaded makes another error of it
                _stop()
            if lacks_memory(error):
                _fail(InputError("Out of memory; request less at once, or allow more memory."))
            if not isinstance(error, OSError) or error.errno is None:  # of a library's own, and not of the system
                raise
            _fail(_refused(error))


def check_agreed(question: str) -> None:
    """Asks for confirmation before deleting; raises InputError unless the answer is yes, and if no one can answer."""
    agreed = False
    if sys.stdin is not None and sys.stdout is not None:  # closed by the shell
        try:
            agreed = typer.confirm(question, err=True)
        except typer.Abort:
            typer.echo(err=True)  # ends the line of the question
    if not agreed:
        raise InputError("Nothing was deleted; answer y, or pass --yes in scripts.")


def _refused(error: OSError) -> InputError:
    place = f"'{os.fsdecode(error.filename)}'" if isinstance(error.filename, str | bytes) else "A file"
    return InputError(f"{place} cannot be read or written ({(error.strerror or str(error)).lower()}); free space, or change permissions or the path.")


def _fail(error: InputError) -> NoReturn:
    try:
        _flush()
    except OSError:
        _leave_output()
    typer.secho(f"Error: {error}", fg="red", err=True)
    sys.exit(2)


def _stop() -> NoReturn:
    typer.echo("Stopped; finished work is kept.", err=True)
    sys.exit(_INTERRUPTED)


def _flush() -> None:
    if sys.stdout is not None:  # as where the shell has closed it
        sys.stdout.flush()


def _leave_output() -> None:
    """Discards unprinted output of a closed pipe; otherwise Python would report it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress_bar(label: str) -> Iterator["Progress"]:
    """A progress bar on stderr, drawn at the first call of the yielded callback; none if there is nothing to do. Stage names replace the label."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn, TimeRemainingColumn

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


@contextmanager
def staged_bar(label: str) -> Iterator["Progress"]:
    """A progress bar on stderr, with a line before each step that names it."""
    with progress_bar(label) as bar:

        def progress(done: int, total: int, stage: str = "") -> None:
            typer.echo(f"{done + 1} of {total}: {stage}", err=True)
            bar(done, total)

        yield progress


def measured(label: str, out: Path | None, analysis: "Callable[..., pd.DataFrame]") -> "pd.DataFrame":
    """Runs an analysis with a progress bar; finished runs are written after each run, so that an interruption loses none."""
    import pandas as pd

    rows: list[dict[str, Any]] = []

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        write_csv(out, pd.DataFrame(rows))

    with progress_bar(label) as progress:
        runs = analysis(progress=progress, on_run=keep)
    write_csv(out if len(runs) else None, runs)
    return runs
