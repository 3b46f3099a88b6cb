"""Who asks, and what each may do: accounts of a password file or of a proxy, tokens of programs, and the client that a request counts for.

What lies behind the doors learns both by headers whose names no browser can know. The password file has a line for each account,
`name:role:hash`, the file of tokens one for each program, `name:hash`, by SHA-256: a token is drawn at random, so no slower hash is needed.
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
    """Who may sign in with a password, and its Argon2id hash."""

    name: str
    role: Role
    hash: str


def account_name(given: str) -> str:
    """The name as it is kept: in small letters.
    Raises InputError: a name with other characters than letters, digits and `. _ @ + -`, or of more than 64."""
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
    """What a file of passwords or tokens keeps, a line each but for comments; read again only when the file has changed.

    Args:
        file, what: the file, and what it is called.
        parse: the key and the value of a line; None for a line of another form.
        form: what such a line is not, and what to do.

    Raises:
        InputError: a file that cannot be read, or a line of another form.
    """
    try:
        stamp = file.stat()
    except OSError as error:
        raise InputError(f"The {what} '{file.name}' cannot be read ({error.strerror}); restore it, or start with another one.") from error
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
    """Draws a token for a program, keeps its hash in the file and returns it; one that the name had before holds no longer.
    Raises InputError: a name that does not fit, or a file that is none of tokens or cannot be written."""
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
    """Whose token this is; empty where it is nobody's, or there is no file. Raises InputError as `read_tokens`."""
    # Looked up by its hash: how long that takes says nothing about the token.
    return read_tokens(file).get(_token_digest(token), "") if file is not None and token else ""


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def role_of(name: str) -> Role | None:
    """What an account may do; None where there is no such account. Raises InputError as `read_accounts`."""
    settings = server()
    if settings.auth is not None:
        account = read_accounts(settings.auth).get(name)
        return account.role if account else None
    return settings.roles.get(name, settings.default_role) if name else None


def has_role(name: str, role: Role) -> bool:
    """Whether an account may do all that comes with a role; not where the accounts cannot be read."""
    ranks = get_args(Role)
    try:
        own = role_of(name)
    except InputError:
        return False
    return own is not None and ranks.index(own) >= ranks.index(role)


def account() -> str | None:
    """Name of who is signed in; "" in a background thread, or for nobody; None on a server without accounts."""
    return _header_of_asking(_ACCOUNT) if server().has_accounts else None


def account_in(scope: Scope) -> str:
    """Name of who is signed in, of a request that was let in; "" without accounts."""
    return unquote(Headers(scope=scope).get(_ACCOUNT, ""))


def browser() -> str:
    """The browser that asks, where a shared server has no accounts, as `with_browser` noted it; "" in a background thread."""
    return _header_of_asking(_BROWSER)


def is_of_same_visitor(scope: Scope, headers: Iterable[tuple[str, str]]) -> bool:
    """Whether a request is of the account or browser that opened a page with these headers."""
    own, given = Headers(scope=scope), dict(headers)
    return all(own.get(name) == given.get(name) for name in IDENTITY)


def client_of(scope: Scope) -> str:
    """Who a request counts for where there are limits: an account, or else an address, which is harder to change than a cookie."""
    return account_in(scope) or client_address(scope)


def client() -> str:
    """Who counts for what is asked now; "" in a background thread, and on a server that keeps no limits."""
    return _header_of_asking(_CLIENT)


def _header_of_asking(name: str) -> str:
    """What the doors have noted of the page that is being drawn, or of a program's request; "" in a background thread."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        return unquote(st.context.headers.get(name) or "")
    scope = request_scope()
    return unquote(Headers(scope=scope).get(name, "")) if scope else ""


def with_account(scope: Scope, name: str) -> Scope:
    """The request, with a note of whose it is."""
    return {**scope, "headers": [*scope["headers"], (_ACCOUNT.encode(), quote(name, safe="").encode())]}


def with_browser(scope: Scope, name: str) -> Scope:
    """The request, with a note of the browser that sent it."""
    return {**scope, "headers": [*scope["headers"], (_BROWSER.encode(), name.encode())]}


def with_client(scope: Scope, client: str) -> Scope:
    """The request, with a note of who it counts for."""
    return {**scope, "headers": [*scope["headers"], (_CLIENT.encode(), quote(client).encode())]}


def request_scope() -> Scope | None:
    """The request of a program that this thread or task works for, where no page of Streamlit is drawn; None where there is none."""
    return _scope.get()


@contextmanager
def answering(scope: Scope) -> Iterator[None]:
    """While it lasts, `account`, `client` and `visitor` take this request for what is asked; threads that begin in it inherit it."""
    before = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(before)
