"""Writes an account into a file of passwords; `likeness admin password` calls it with the file, the name and the role."""

import sys
from getpass import getpass
from pathlib import Path
from typing import cast

from accounts import account_name, set_password
from likeness.commands import answered
from likeness.errors import InputError
from server_settings import Role


def ask(file: Path, name: str, role: Role) -> None:
    """Asks for the password twice, without showing it, and writes the account.

    Raises:
        InputError: a name or password that does not fit, two different passwords, a file that cannot be read or written.
    """
    account_name(name)
    try:
        first, again = getpass(f"Password for {name}: "), getpass("The same again: ")
    except EOFError:
        print(file=sys.stderr)  # ends the line of the question
        raise InputError("No password was given, so nothing was written; give it twice, a line each.") from None
    if again != first:
        raise InputError("The two passwords differ, so nothing was written; try again.")
    set_password(file, name, first, role)
    print(f"{name} may now sign in with the role {role}: likeness app --shared --auth {file}")


if __name__ == "__main__":
    with answered():
        ask(Path(sys.argv[1]), sys.argv[2], cast(Role, sys.argv[3]))
