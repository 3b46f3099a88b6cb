"""`likeness`: the command line. Each command has its own file and one line here."""

import sys
from collections.abc import Callable
from importlib import import_module

import typer

from likeness.commands.listed_help import ListedHelp
from likeness.commands.terminal import answered, print_any_text
from likeness.errors import InputError
from likeness.io import keep_folder_out

# Panel of the help -> its commands, in order, each in a module of its name; a function's name and docstring are the command's, a group has its own.
_PANELS = {
    "Look": "embed search duplicates clusters compare saliency index encoders info kinds",
    "Shape": "notion notions fit check",
    "Label": "tags spread matches",
    "Judge": "evaluate continuous analyze",
    "Train": "train study sweep splits runs",
    "Share": "report export",
    "Serve": "app admin",
}
COMMANDS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    panel: tuple(getattr(import_module(f"likeness.commands.{name}"), name) for name in names.split()) for panel, names in _PANELS.items()
}

# What has another name, or is run in the repository, by its old one.
_ANALYSES = "algebra changed-images clicks cluster-names composed-queries copies cut-offs label-spreading sentences trust unnamed"
MOVED = {
    "password": "likeness admin password",
    "pseudolabels": "likeness train --pseudolabels",
    "token": "likeness admin token",
    "study --sweep": "likeness sweep",
    "benchmark": "python -m experiments.public_benchmarks",
    "caption": "python -m experiments.captioning caption",
    "captioning": "python -m experiments.captioning train",
    "encoders precision": "python -m experiments.precision_check",
    "saliency --check": "python -m experiments.saliency_check",
    "render": "python -m experiments.renders",
    "ship-assets": "python -m experiments.shipping",
    "train-clip": "python -m experiments.clip train",
    "train-photos": "python -m experiments.photos",
    "zero-shot": "python -m experiments.clip zero-shot",
    **{f"analyze {name}": f"python -m experiments.analyses {name}" for name in _ANALYSES.split()},
}


def command_line() -> typer.Typer:
    """The Typer application with all listed commands."""
    cli = typer.Typer(
        name="likeness",
        help="What does *similar* mean in your images? Say it in words; see, measure and search the space that follows.",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    for panel, command in ((panel, command) for panel, commands in COMMANDS.items() for command in commands):
        if isinstance(command, typer.Typer):
            cli.add_typer(command, rich_help_panel=panel)
        else:
            cli.command(cls=ListedHelp, rich_help_panel=panel)(command)
    return cli


def _check_moved(arguments: list[str]) -> None:
    """Raises InputError with the new name if a command is called by its former one."""
    names = [*arguments[:1], *(f"{arguments[0]} {each}" for number, each in enumerate(arguments) if number == 1 or each.startswith("--"))]
    old = next((name for name in names if name in MOVED), None)
    if old:
        place = "" if MOVED[old].startswith("likeness") else ", in a clone of the repository"
        raise InputError(f"`likeness {old}` is now `{MOVED[old]}`{place}.")


def main() -> None:
    """Entry point."""
    keep_folder_out()
    print_any_text()
    with answered():
        _check_moved(sys.argv[1:])
        command_line()()
