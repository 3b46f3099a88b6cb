"""Writes the list of commands in docs/cli.md, from what each says of itself: `python docs/write_cli.py`."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from likeness.commands.cli import COMMANDS, command_line

PAGE = Path(__file__).with_name("cli.md")
_BEGIN, _END = "<!-- commands -->\n", "<!-- end of commands -->"


def page() -> str:
    """The page with the commands as they are."""
    text = PAGE.read_text(encoding="utf-8")
    head, begin, rest = text.partition(_BEGIN)
    return head + begin + "\n".join(_panels()) + "\n" + _END + rest.partition(_END)[2]


def _panels() -> Iterator[str]:
    known: Any = typer.main.get_command(command_line())
    for panel, commands in COMMANDS.items():
        yield f"\n## {panel}"
        for command in commands:
            name = str(command.info.name if isinstance(command, typer.Typer) else command.__name__)
            yield from _lines(f"likeness {name}", known.commands[name])


def _lines(name: str, command: Any) -> Iterator[str]:
    """The heading, first sentence and examples of a command, or of each command of a group."""
    if hasattr(command, "commands"):
        for each, own in command.commands.items():
            yield from _lines(f"{name} {each}", own)
        return
    text = " ".join(inspect.cleandoc(command.help or "").split())
    said, _, examples = text.partition(re.search(r" Examples?: |$", text)[0] or "\0")
    yield f"\n### {name.removeprefix('likeness ')}\n\n{re.split(r'(?<=[.?])(?= [A-Z]|$)', said)[0]}\n\n```sh"
    yield from re.findall(r"`([^`]+)`", examples) or [name]
    yield "```"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
