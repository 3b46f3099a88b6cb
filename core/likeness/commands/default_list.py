"""Groups of commands that list when none of their commands is named."""

from typing import Any

from typer.core import TyperGroup


class DefaultList(TyperGroup):
    """Without a command: `list`, so that `likeness runs` and `likeness runs FOLDER` list runs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args and (args[0] in self.commands or args[0] == "--help")
        return super().parse_args(ctx, args if named else ["list", *args])
