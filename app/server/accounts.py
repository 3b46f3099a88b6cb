"""Accounts and roles: password files, proxy accounts, program tokens, and the client that limits apply to.

The middleware passes account and client on in headers whose names no browser can know. The password file has one line `name:role:hash` per account,
the token file one line `name:hash` per program. Tokens are random, so SHA-256 is enough.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, get_args
from urllib.parse import quote, unquote

import streamlit as st
from starlette.datastructures import Headers
from starlette.types import Scope
from streamlit.runtime.scriptrunner import get_script_run_ctx

from likeness.errors import InputError
from likeness.io import text_of, write_atomic
from server.middleware.proxies import client_address
from server.settings import Role, server

PROGRAM = "likeness_program"  # in a scope: the name of the token that a program showed
_Kept = TypeVar("_Kept")
_NAME = re.compile(r"[^\W_][\w.@+-]{0,63}")
_TOKEN_PREFIX = "lk_"  # by which people and scanners for secrets recognize one
_TOKEN_HASH = re.compile(r"[0-9a-f]{64}")
_ACCOUNT, _CLIENT, _BROWSER = (f"x-likeness-{kind}-{secrets.token_hex(16)}" for kind in ("account", "client", "browser"))
# by which Streamlit tells who a page belongs to: nobody else comes back to it by its id
IDENTITY = {_ACCOUNT: "account", _BROWSER: "browser"}
_scope: ContextVar[Scope | None] = ContextVar("likeness_request", default=None)


class Account(NamedTuple):
    """An account with a password: its role and Argon2id hash."""

    name: str
    role: Role
    hash: str


def account_name(given: str) -> str:
    """The account name in lower case. Raises InputError: a name with other characters than letters, digits and `. _ @ + -`, or of more than 64."""
    name = given.strip().casefold()
    if not _NAME.fullmatch(name):
        raise InputError(f"'{given}' is not a valid account name; use up to 64 letters, digits and . _ @ + -, beginning with a letter or digit.")
    return name


def read_accounts(file: Path) -> dict[str, Account]:
    """Name -> account of a password file; raises InputError for a file that cannot be read, or a line of another form."""
    return read_private(file, "password file", _account, "an account; delete it, and add the account again.")


def _account(line: str) -> tuple[str, Account] | None:
    name, role, digest = [*line.split(":", 2), "", ""][:3]
    if role not in get_args(Role) or not digest.startswith("$argon2id$"):
        return None
    return account_name(name), Account(account_name(name), cast(Role, role), digest)


def read_private(file: Path, what: str, parse: Callable[[str], tuple[str, _Kept] | None], form: str) -> dict[str, _Kept]:
    """The parsed lines of a file of passwords or tokens, except comments; read again only when the file changes.

    Args:
        file, what: the file, and its description in errors.
        parse: returns a line's key and value; None if the line is invalid.
        form: the expected form and a remedy, for the error.

    Raises:
        InputError: a file that cannot be read, or a line of another form.
    """
    try:
        stamp = file.stat()
    except OSError as error:
        raise InputError(f"The {what} '{file.name}' cannot be read ({error.strerror}); restore it or use another one.") from error
    return _parsed(file, what, parse, form, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=4)
def _parsed(file: Path, what: str, parse: Callable[[str], Any], form: str, mtime_ns: int, size: int) -> dict[str, Any]:
    found = []
    for number, line in enumerate(text_of(file).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            found.append(parse(line.strip()))
            if found[-1] is None:
                raise InputError(f"Line {number} of the {what} '{file.name}' is not {form}")
    return dict(found)


def write_private(file: Path, what: str, lines: Iterable[str]) -> None:
    """Writes a file that only its owner can read; raises InputError where it cannot be written."""
    before = os.umask(0o077)
    try:
        write_atomic(file, "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise InputError(f"The {what} '{file}' cannot be written ({error.strerror}); choose another place.") from error
    finally:
        os.umask(before)


def write_token(file: Path, name: str) -> str:
    """Creates a program's token, stores its hash in the file and returns it; replaces an earlier token of the same name. Raises InputError: a name
    that does not fit, or a file that is none of tokens or cannot be written."""
    name, token = account_name(name), _TOKEN_PREFIX + secrets.token_urlsafe(32)
    names = {each: digest for digest, each in read_tokens(file).items()} if file.exists() else {}
    write_private(file, "file of tokens", (f"{each}:{digest}" for each, digest in (names | {name: _token_digest(token)}).items()))
    return token


def read_tokens(file: Path) -> dict[str, str]:
    """Hash -> name of a file of tokens; raises InputError for a file that cannot be read, or a line of another form."""
    return read_private(file, "file of tokens", _token, "'name:hash'; make one: likeness admin token FILE NAME")


def _token(line: str) -> tuple[str, str] | None:
    name, _, digest = line.rpartition(":")
    return (digest, account_name(name)) if name and _TOKEN_HASH.fullmatch(digest) else None


def program_name(file: Path | None, token: str) -> str:
    """Name of the program with this token; "" for an unknown token or without a file. Raises InputError as `read_tokens`."""
    # Looked up by its hash: how long that takes says nothing about the token.
    return read_tokens(file).get(_token_digest(token), "") if file is not None and token else ""


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def role_of(name: str) -> Role | None:
    """Role of an account; None if there is no such account. Raises InputError as `read_accounts`."""
    settings = server()
    if settings.auth is not None:
        account = read_accounts(settings.auth).get(name)
        return account.role if account else None
    return settings.roles.get(name, settings.default_role) if name else None


def has_role(name: str, role: Role) -> bool:
    """Whether an account has at least this role; False where the accounts cannot be read."""
    ranks = get_args(Role)
    try:
        own = role_of(name)
    except InputError:
        return False
    return own is not None and ranks.index(own) >= ranks.index(role)


def account() -> str | None:
    """Name of the signed-in account; "" in a background thread or if nobody is signed in; None on a server without accounts."""
    return _header_of_asking(_ACCOUNT) if server().has_accounts else None


def account_in(scope: Scope) -> str:
    """Account of an admitted request; "" without accounts."""
    return unquote(Headers(scope=scope).get(_ACCOUNT, ""))


def browser() -> str:
    """The browser of a shared server without accounts, as set by `with_browser`; "" in a background thread."""
    return _header_of_asking(_BROWSER)


def is_of_same_visitor(scope: Scope, headers: Iterable[tuple[str, str]]) -> bool:
    """Whether a request comes from the account or browser that opened a page with these headers."""
    own, given = Headers(scope=scope), dict(headers)
    return all(own.get(name) == given.get(name) for name in IDENTITY)


def client_of(scope: Scope) -> str:
    """The client that limits apply to: an account, else an address, which is harder to change than a cookie."""
    return account_in(scope) or client_address(scope)


def client() -> str:
    """The client of the current request; "" in a background thread and on a server without limits."""
    return _header_of_asking(_CLIENT)


def _header_of_asking(name: str) -> str:
    """A header that the middleware set on the current page or program request; "" in a background thread."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        return unquote(st.context.headers.get(name) or "")
    scope = request_scope()
    return unquote(Headers(scope=scope).get(name, "")) if scope else ""


def with_account(scope: Scope, name: str) -> Scope:
    """Returns the request with its account in a header."""
    return {**scope, "headers": [*scope["headers"], (_ACCOUNT.encode(), quote(name, safe="").encode())]}


def with_browser(scope: Scope, name: str) -> Scope:
    """Returns the request with its browser in a header."""
    return {**scope, "headers": [*scope["headers"], (_BROWSER.encode(), name.encode())]}


def with_client(scope: Scope, client: str) -> Scope:
    """Returns the request with its client in a header."""
    return {**scope, "headers": [*scope["headers"], (_CLIENT.encode(), quote(client).encode())]}


def request_scope() -> Scope | None:
    """The program's request that this thread or task works for; None where there is none."""
    return _scope.get()


@contextmanager
def answering(scope: Scope) -> Iterator[None]:
    """Makes `account`, `client` and `visitor` answer for this request, also in threads that start inside the block."""
    before = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(before)
