"""Implements `likeness admin`, which passes its command line as JSON."""

import json
import os
import sys
from getpass import getpass, getuser
from pathlib import Path
from typing import cast

import pandas as pd

from likeness.commands import answered
from likeness.errors import InputError
from server import visitor_data
from server.accounts import account_name, write_token
from server.backup import back_up
from server.passwords import set_password
from server.settings import Role


def main(action: str, *words: str) -> None:
    """Runs one of list, export, delete, backup, password and token. Raises InputError: no such visitor, a name or password that does not fit, or
    files that cannot be read or written."""
    if action == "list":
        visitors = visitor_data.all_visitors()
        print(pd.DataFrame(visitors).to_string(index=False) if visitors else "There is no visitor data.")
    elif action == "export":
        visitor_data.export_visitor(words[0], Path(words[1]))
        print(f"Exported the data of '{words[0]}' to {words[1]}.")
    elif action == "delete":
        visitor_data.remove_visitor(words[0], _who())
        print(f"Deleted the data of '{words[0]}'.")
    elif action == "backup":
        print(f"{back_up(Path(words[0])):,} files written to {words[0]}.")
    elif action == "password":
        ask_password(Path(words[0]), words[1], cast(Role, words[2]))
    else:
        print(write_token(Path(words[0]), words[1]))
        print(f"Token of {words[1]}, shown only once; start the server with: likeness app --api --program-tokens {words[0]}", file=sys.stderr)


def ask_password(file: Path, name: str, role: Role) -> None:
    """Prompts twice for the password and writes the account. Raises InputError: a name or password that does not fit, two different passwords, a file
    that cannot be read or written."""
    account_name(name)
    try:
        first, again = getpass(f"Password for {name}: "), getpass("Repeat the password: ")
    except EOFError:
        print(file=sys.stderr)  # ends the line of the question
        raise InputError("No password was entered, so nothing was saved; enter it twice, one line each.") from None
    if again != first:
        raise InputError("The passwords differ, so nothing was saved; try again.")
    set_password(file, name, first, role)
    print(f"{name} can now sign in with the role {role}: likeness app --shared --auth {file}")


def _who() -> str:
    try:
        return f"likeness admin ({getuser()})"
    except OSError:
        return "likeness admin"


if __name__ == "__main__":
    os.umask(0o077)  # backups and exports are private
    os.environ.setdefault("LIKENESS_SERVER", "{shared: true}")  # actions here are recorded in the server's audit log
    with answered():
        main(*json.loads(sys.argv[1]))
