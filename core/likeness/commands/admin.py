"""`likeness admin`: accounts, tokens, stored visitor data and backups of a shared server."""

import json
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from likeness.commands.terminal import check_agreed
from likeness.io import become_app

admin = typer.Typer(
    name="admin",
    help="Manage a shared server: accounts, tokens, visitors' data (list, export, delete), backups.",
    no_args_is_help=True,
)
_Visitor = Annotated[str, typer.Argument(help="The visitor's id, as `likeness admin list` shows it.")]


@admin.command(name="list")
def list_() -> None:
    """List visitors: id, last visit, datasets, drafts, notions, splits, views, megabytes.

    Example: `likeness admin list`
    """
    _call("list")


@admin.command()
def export(visitor: _Visitor, file: Annotated[Path, typer.Argument(help="ZIP file to write; it must not exist yet.")]) -> None:
    """Write everything that belongs to a visitor into a ZIP file.

    Example: `likeness admin export 3f2a… ada.zip`
    """
    _call("export", visitor, str(file))


@admin.command()
def delete(visitor: _Visitor, yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False) -> None:
    """Delete everything that belongs to a visitor: pictures, vectors, drafts, notions, splits, views. Links to them stop working.

    Example: `likeness admin delete 3f2a…`
    """
    if not yes:
        check_agreed(f"Delete everything stored for '{visitor}'?")
    _call("delete", visitor)


@admin.command()
def backup(file: Annotated[Path, typer.Argument(help="TAR file to write, compressed where it ends in .gz; it must not exist yet.")]) -> None:
    """Back up a server's folder and its runs into one file, also while it runs. Files that can be recomputed are skipped.

    Example: `likeness admin backup server.tar`
    """
    _call("backup", str(file))


@admin.command()
def password(
    file: Annotated[Path, typer.Argument(help="Password file; created if missing.")],
    name: Annotated[str, typer.Argument(help="Account name; an existing account gets the new password and role.")],
    role: Annotated[
        Literal["view", "edit", "train"],
        typer.Option(help="`view`: read only; `edit`: also upload, save and delete; `train`: also start and stop runs."),
    ] = "view",
) -> None:
    """Add an account of a shared server, or change its password and role. Asks for the password twice.

    Examples: `likeness admin password people.txt ada --role edit`, then `likeness app --shared --auth people.txt`
    """
    _call("password", str(file), name, role)


@admin.command()
def token(
    file: Annotated[Path, typer.Argument(help="Token file; created if missing.")],
    name: Annotated[str, typer.Argument(help="Program name; on a server with accounts, the account it acts for.")],
) -> None:
    """Create a token for a program that uses the HTTP API or the MCP tools, and print it once. It replaces an existing token of that name.

    Examples: `likeness admin token tokens.txt notebook`, then `likeness app --api --program-tokens tokens.txt`
    """
    _call("token", str(file), name)


def _call(*arguments: str) -> NoReturn:
    # what visitors, accounts and tokens are, the app knows, which stands above this package
    become_app("admin", json.dumps(arguments))
