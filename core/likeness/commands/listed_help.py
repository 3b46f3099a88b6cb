"""Help texts that list registered names, such as datasets and metrics. Lists are filled in only when help is shown, so that commands start fast."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from likeness.commands.kinds import entries
from likeness.commands.options import WRITE_FILES, CaptionColumn, Force, PathColumn

_SOURCE = "{datasets}"


class ListedHelp(TyperCommand):
    """A command whose help may contain "{datasets}" or another name of `LISTS`. Commands with a "{datasets}" argument read images and also get
    --path-column and --caption-column; those that write files get --force.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._reads_images = any(param.param_type_name == "argument" and _SOURCE in (getattr(param, "help", None) or "") for param in self.params)
        if self._reads_images:
            self.params += _options_of(_columns)
        if any(writes_file(param) for param in self.params):
            self.params += _options_of(_force)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command with the table columns that these options name."""
        ctx.params.pop("force", None)  # whose work is done: each file that is written was looked at when its option was read
        if not self._reads_images:
            return super().invoke(ctx)
        from likeness.data import TableColumns, named_columns

        with named_columns(TableColumns(ctx.params.pop("path_column"), ctx.params.pop("caption_column"))):
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help with the lists filled in."""
        for option in self.params:
            text = getattr(option, "help", None)
            if text:
                option.help = fill(text)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


class DefaultList(TyperGroup):
    """Runs `list` by default, so that `likeness runs` and `likeness runs FOLDER` list runs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args and (args[0] in self.commands or args[0] == "--help")
        return super().parse_args(ctx, args if named else ["list", *args])


def writes_file(param: Any) -> bool:
    """Whether an option or argument of a command names a file to write."""
    return getattr(param.callback, "__wrapped__", None) in WRITE_FILES


def _columns(path_column: PathColumn = None, caption_column: CaptionColumn = None) -> None:
    """The options of every command that reads images."""


def _force(force: Force = False) -> None:
    """The option of every command that writes files."""


@cache
def _options_of(command: Callable[..., None]) -> list[Any]:
    alone = typer.Typer(add_completion=False)
    alone.command()(command)
    return [param for param in typer.main.get_command(alone).params if param.name != "help"]


def fill(text: str) -> str:
    """Fills the lists into a text.

    >>> "cars196" in fill("Images: {datasets}")
    True
    """
    for place, written in LISTS.items():
        if place in text:
            text = text.replace(place, written())
    return text


def _datasets() -> str:
    from likeness.data import source_help

    return source_help()


def _encoders() -> str:
    from likeness.encoders import known_forms

    return known_forms().replace("'", "`")


def _metrics() -> str:
    return ", ".join(f"`{metric.name}`" for metric in entries("metrics") if metric.compute is not None or metric.kind == "words")


def _methods() -> str:
    return ", ".join(f"`{method.name}`" for method in entries("methods"))


def _described(kind: str) -> str:
    return "; ".join(f"`{entry.name}`: {entry.help.rstrip('.')}" for entry in entries(kind))


LISTS: dict[str, Callable[[], str]] = {
    _SOURCE: _datasets,
    "{encoders}": _encoders,
    "{targets}": partial(_described, "targets"),
    "{label kinds}": partial(_described, "labels"),
    "{methods}": _methods,
    "{metrics}": _metrics,
}
