"""`likeness`: the command line. Each command has its own file and one line here."""

from collections.abc import Callable
from importlib import import_module

import typer

from likeness.commands.listed_help import ListedHelp
from likeness.commands.terminal import answered, print_any_text
from likeness.io import keep_folder_out

# Panel of the help -> its commands, in order, each in a module of its name; a function's name and docstring are the command's, a group has its own.
_PANELS = {
    "Look": "embed search duplicates clusters compare saliency index encoders info kinds",
    "Shape": "notion notions fit check",
    "Label": "tags spread matches known",
    "Judge": "evaluate slices continuous analyze",
    "Train": "train study sweep splits runs",
    "Share": "report export",
    "Serve": "app admin",
}
COMMANDS: dict[str, tuple[Callable[..., None] | typer.Typer, ...]] = {
    panel: tuple(getattr(import_module(f"likeness.commands.{name}"), name) for name in names.split()) for panel, names in _PANELS.items()
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


def main() -> None:
    """Entry point."""
    keep_folder_out()
    print_any_text()
    with answered():
        command_line()()
