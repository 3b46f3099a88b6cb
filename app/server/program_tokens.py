"""Tokens of programs: a file with a line for each, `name:hash`, the hash by SHA-256; a token is drawn at random, so no slower hash is needed."""

import hashlib
import re
import secrets
from pathlib import Path

from server.accounts import account_name, read_private, write_private

_PREFIX = "lk_"  # by which people and scanners for secrets recognize one
_HASH = re.compile(r"[0-9a-f]{64}")


def write_token(file: Path, name: str) -> str:
    """Draws a token for a program, keeps its hash in the file and returns it; one that the name had before holds no longer.
    Raises InputError: a name that does not fit, or a file that is none of tokens or cannot be written."""
    name, token = account_name(name), _PREFIX + secrets.token_urlsafe(32)
    names = {each: digest for digest, each in read_tokens(file).items()} if file.exists() else {}
    write_private(file, "file of tokens", (f"{each}:{digest}" for each, digest in (names | {name: _digest(token)}).items()))
    return token


def read_tokens(file: Path) -> dict[str, str]:
    """Hash -> name of a file of tokens; raises InputError for a file that cannot be read, or a line of another form."""
    return read_private(file, "file of tokens", _token, "'name:hash'; make one: likeness admin token FILE NAME")


def _token(line: str) -> tuple[str, str] | None:
    name, _, digest = line.rpartition(":")
    return (digest, account_name(name)) if name and _HASH.fullmatch(digest) else None


def program_name(file: Path | None, token: str) -> str:
    """Whose token this is; empty where it is nobody's, or there is no file. Raises InputError as `read_tokens`."""
    # Looked up by its hash: how long that takes says nothing about the token.
    return read_tokens(file).get(_digest(token), "") if file is not None and token else ""


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
