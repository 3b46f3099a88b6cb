"""`likeness password`: an account of a shared server."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from likeness.io import become_app


def password(
    file: Annotated[Path, typer.Argument(help="File of passwords, made where it is missing.")],
    name: Annotated[str, typer.Argument(help="Name of the account; a known one gets the new password and role.")],
    role: Annotated[
        Literal["view", "edit", "train"],
        typer.Option(help="view looks; edit also uploads, saves and removes; train also starts and stops trainings."),
    ] = "view",
) -> None:
    """Add an account of a shared server, or change its password and role. Asks for the password twice.

    Examples: `likeness password people.txt ada --role edit`, then `likeness app --shared --auth people.txt`
    """
    # what an account is, the app knows, which stands above this package
    become_app("password.py", str(file), name, role)
