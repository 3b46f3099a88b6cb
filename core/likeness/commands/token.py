"""`likeness token`: a token by which a program uses the app's HTTP API."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.io import become_app


def token(
    file: Annotated[Path, typer.Argument(help="File of tokens, made where it is missing.")],
    name: Annotated[str, typer.Argument(help="Name of the program; on a server with accounts the account that it acts for.")],
) -> None:
    """Draw a token for a program that uses the HTTP API or the MCP tools, and print it once. A name that has one gets a new one.

    Examples: `likeness token tokens.txt notebook`, then `likeness app --api --program-tokens tokens.txt`
    """
    # what a token is, the app knows, which stands above this package
    become_app("new_token.py", str(file), name)
