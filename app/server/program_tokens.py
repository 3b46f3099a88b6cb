"""Tokens of programs: a file with a line for each, `name:hash`, the hash by SHA-256; a token is drawn at random, so no slower hash is needed.

`likeness admin token` runs this file with the file of tokens and a name.
"""

import hashlib
import os
import re
import secrets
import sys
from functools import lru_cache
from pathlib import Path

from likeness.errors import InputError
from likeness.io import text_of, write_atomic
from server.accounts import account_name

PREFIX = "lk_"  # by which people and scanners for secrets recognize one
_HASH = re.compile(r"[0-9a-f]{64}")


def write_token(file: Path, name: str) -> str:
    """Draws a token for a program, keeps its hash in the file and returns it; one that the name had before holds no longer.

    Raises:
        InputError: a name that does not fit, or a file that is none of tokens or cannot be written.
    """
    name, token = account_name(name), PREFIX + secrets.token_urlsafe(32)
    names = {each: digest for digest, each in read_tokens(file).items()} if file.exists() else {}
    names[name] = _digest(token)
    before = os.umask(0o077)
    try:
        write_atomic(file, "".join(f"{each}:{digest}\n" for each, digest in names.items()).encode())
    except OSError as error:
        raise InputError(f"The file of tokens '{file}' cannot be written ({error.strerror}); choose another place.") from error
    finally:
        os.umask(before)
    return token


def read_tokens(file: Path) -> dict[str, str]:
    """Hash -> name of a file of tokens; read anew only when it has changed.

    Raises:
        InputError: no such file, or a line of another form.
    """
    try:
        stamp = file.stat()
    except OSError as error:
        raise InputError(f"The file of tokens '{file.name}' cannot be read ({error.strerror}); restore it, or start with another one.") from error
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


def program_name(file: Path | None, token: str) -> str:
    """Whose token this is; empty where it is nobody's, or there is no file.

    Raises:
        InputError: as `read_tokens`.
    """
    # Looked up by its hash: how long that takes says nothing about the token.
    return read_tokens(file).get(_digest(token), "") if file is not None and token else ""


@lru_cache(maxsize=4)
def _read(file: Path, stamp: int, size: int) -> dict[str, str]:
    found = {}
    for number, line in enumerate(text_of(file).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, digest = line.strip().rpartition(":")
        if not name or not _HASH.fullmatch(digest):
            raise InputError(f"Line {number} of the file of tokens '{file.name}' is not 'name:hash'; make one: likeness admin token FILE NAME")
        found[digest] = account_name(name)
    return found


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


if __name__ == "__main__":
    from likeness.commands import answered

    with answered():
        print(write_token(Path(sys.argv[1]), sys.argv[2]))
        print(f"This is the token of {sys.argv[2]}, which is shown only now: likeness app --api --program-tokens {sys.argv[1]}", file=sys.stderr)
