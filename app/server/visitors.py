"""Identifies visitors: on a shared server each account, or each browser by its cookie, has its own uploads, notions, splits and drafts."""

import hashlib
import hmac
import os
import re
import secrets
from functools import lru_cache
from pathlib import Path

from filelock import FileLock
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from likeness.io import cache_dir, make_folder
from server.accounts import account, browser, with_browser
from server.middleware.responses import cookies_of, set_cookie
from server.settings import server

DRAFTS, EMBEDDINGS, EXPORTS, LABELS, SPLITS, TAGS = "drafts", "embeddings", "exports", "labels", "splits", "tags"
QUERY_PREFIX = "query-"  # of the folder of a picture that was searched with, among the uploads
_COOKIE, _OLD_COOKIE = "visitor", "likeness_visitor"  # the second of earlier versions, by the same name at each port
_YEAR = 365 * 24 * 3600
_TOKEN = re.compile(r"[0-9a-f]{32}")
_NOBODY = "nobody"  # a folder that is never made


def visitor() -> str | None:
    """Folder name of the current visitor of a shared server; "" in a background thread; None on other servers."""
    if not server().shared:
        return None
    name = account()
    return browser() if name is None else account_token(name) if name else ""


def account_token(name: str) -> str:
    """The token of an account: a folder name that begins with the account's and cannot be guessed, since ids of uploads derive from it."""
    readable = re.sub(r"[^a-z0-9]+", "-", name).strip("-")[:32]
    return f"{readable or 'account'}-{hmac.digest(_secret(cache_dir() / 'accounts.key'), name.encode(), 'sha256').hex()[:32]}"


def browser_name(token: str) -> str:
    """A digest of the token in a browser's cookie, since more people see paths than cookies; "" for no token."""
    return token and hashlib.sha256(f"visitor {token}".encode()).hexdigest()[:32]


def is_token(text: str) -> bool:
    """Whether this has the form of a browser's token."""
    return _TOKEN.fullmatch(text) is not None


def visitors_dir() -> Path:
    """The folder of all visitors' folders on a shared server."""
    return cache_dir() / "visitors"


def own_dir() -> Path:
    """The visitor's own folder; the cache on a server that is not shared; none in a background thread."""
    who = visitor()
    return cache_dir() if who is None else visitors_dir() / (who or _NOBODY)


def shown_name() -> str:
    """The visitor in the log: the account, or the folder's name."""
    return account() or visitor() or ""


def draft_file(name: str) -> Path:
    """Path of a draft: the visitor's own, another visitor's whose link was opened, or where the visitor's own will be saved."""
    own = own_dir() / DRAFTS / name
    if visitor() is None or own.is_file():
        return own
    return next((found for found in visitors_dir().glob(f"*/{DRAFTS}/{name}") if found.is_file()), own)


def is_own_draft(name: str) -> bool:
    return draft_file(name).parent == own_dir() / DRAFTS


def notions_dir() -> Path:
    return own_dir() / "notions"


@lru_cache(maxsize=4)
def _secret(file: Path) -> bytes:
    """The secret from which tokens of accounts are derived: random, and readable by the server alone."""
    make_folder(file.parent)
    with FileLock(f"{file}.lock"):
        if not file.exists():
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
                new.write(secrets.token_bytes(32))
        return file.read_bytes()


class Visits:
    """Gives each new browser on a shared server its cookie, and sets the security headers of all answers."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self.app, self.policy = app, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        new = ""
        if server().shared and not server().has_accounts:
            brought = list(filter(is_token, cookies_of(scope, _COOKIE)))
            own = next(filter(is_token, [*brought, HTTPConnection(scope).cookies.get(_OLD_COOKIE, "")]), "")
            new = "" if brought else own or secrets.token_hex(16)
            # without a cookie a page is one of a browser that does not come again, and all else is nobody's
            own = own or (secrets.token_hex(16) if scope["type"] == "websocket" else "")
            scope = with_browser(scope, browser_name(own))

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in [name for name in headers if name.startswith("access-control-")]:
                    del headers[name]
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault("Content-Security-Policy", self.policy)
                if new and headers.get("content-type", "").startswith("text/html"):
                    cookies = Response()
                    set_cookie(scope, cookies, _COOKIE, new, _YEAR)
                    headers.append("Set-Cookie", cookies.headers["set-cookie"])
            await send(message)

        await self.app(scope, receive, answer if scope["type"] == "http" else send)
