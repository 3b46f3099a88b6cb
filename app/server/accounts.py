"""Who may sign in to a shared server, and what each may do there: a file of passwords, or the names that a proxy gives.

The file has a line for each account, `name:role:hash`, the hash by Argon2id. `likeness admin password` runs this file with the
file of passwords, a name and a role.
"""

import os
import re
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from likeness.errors import InputError
from likeness.io import text_of, write_atomic
from server.settings import Role, server

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_NAME = re.compile(r"[^\W_][\w.@+-]{0,63}")
_SHORTEST, _LONGEST = 8, 1024  # letters of a password


@dataclass(frozen=True)
class Account:
    """Who may sign in with a password."""

    name: str
    role: Role
    hash: str


def account_name(given: str) -> str:
    """The name as it is kept: in small letters.

    Raises:
        InputError: a name with other characters than letters, digits and `. _ @ + -`, or of more than 64.
    """
    name = given.strip().casefold()
    if not _NAME.fullmatch(name):
        raise InputError(f"'{given}' is no name of an account; use letters, digits and . _ @ + -, a letter or digit first, and 64 of them at most.")
    return name


def read_accounts(file: Path) -> dict[str, Account]:
    """Name -> account of a file of passwords; read anew only when it has changed.

    Raises:
        InputError: no such file, or a line of another form.
    """
    try:
        stamp = file.stat()
    except OSError as error:
        raise InputError(f"The password file '{file.name}' cannot be read ({error.strerror}); restore it, or start with another one.") from error
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=4)
def _read(file: Path, stamp: int, size: int) -> dict[str, Account]:
    found = {}
    for number, line in enumerate(text_of(file).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, role, digest = [*line.strip().split(":", 2), "", ""][:3]
        if role not in get_args(Role) or not digest.startswith("$argon2id$"):
            raise InputError(f"Line {number} of the password file '{file.name}' is no account; take it out, and add the account anew")
        found[account_name(name)] = Account(account_name(name), cast(Role, role), digest)
    return found


def set_password(file: Path, name: str, password: str, role: Role) -> None:
    """Writes an account into a file of passwords, which only the file's owner can read.

    Raises:
        InputError: a name or password that does not fit, a file that is none of passwords or cannot be written.
    """
    name = account_name(name)
    if not _SHORTEST <= len(password) <= _LONGEST:
        raise InputError(f"The password has {len(password)} letters; choose one of {_SHORTEST} to {_LONGEST}.")
    accounts = dict(read_accounts(file)) if file.exists() else {}
    accounts[name] = Account(name, role, _hasher().hash(password))
    lines = [f"{each.name}:{each.role}:{each.hash}\n" for each in accounts.values()]
    before = os.umask(0o077)
    try:
        write_atomic(file, "".join(lines).encode())
    except OSError as error:
        raise InputError(f"The password file '{file}' cannot be written ({error.strerror}); choose another place.") from error
    finally:
        os.umask(before)


def verified(file: Path, name: str, password: str) -> Account | None:
    """The account of this name and password, or None; takes as long for a name that is not there. Some tens of milliseconds on purpose."""
    from argon2.exceptions import Argon2Error, InvalidHashError

    account, nobody = read_accounts(file).get(name), _nobody()
    try:
        _hasher().verify(account.hash if account else nobody, password[: _LONGEST + 1])
    except (Argon2Error, InvalidHashError):
        return None
    return account


def role_of(name: str) -> Role | None:
    """What an account may do; None where there is no such account.

    Raises:
        InputError: as `read_accounts`.
    """
    settings = server()
    if settings.auth is not None:
        account = read_accounts(settings.auth).get(name)
        return account.role if account else None
    return settings.roles.get(name, settings.default_role) if name else None


@cache
def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobody() -> str:
    """A hash that no password is kept under, to compare with where there is no account."""
    return _hasher().hash(os.urandom(16))


def ask_password(file: Path, name: str, role: Role) -> None:
    """Asks for the password twice, without showing it, and writes the account.

    Raises:
        InputError: a name or password that does not fit, two different passwords, a file that cannot be read or written.
    """
    account_name(name)
    try:
        first, again = getpass(f"Password for {name}: "), getpass("Repeat the password: ")
    except EOFError:
        print(file=sys.stderr)  # ends the line of the question
        raise InputError("No password was given, so nothing was written; enter it twice, a line each.") from None
    if again != first:
        raise InputError("The two passwords differ, so nothing was written; try again.")
    set_password(file, name, first, role)
    print(f"{name} may now sign in with the role {role}: likeness app --shared --auth {file}")


if __name__ == "__main__":
    from likeness.commands import answered

    with answered():
        ask_password(Path(sys.argv[1]), sys.argv[2], cast(Role, sys.argv[3]))
