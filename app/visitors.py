"""Who is asking: on a shared server each visitor has datasets, notions and splits of his own."""

import re
from collections.abc import Callable
from pathlib import Path

from likeness.io.paths import cache_dir
from likeness.settings import server

_TOKEN = re.compile(r"[0-9a-f]{32}")
_find: list[Callable[[], str]] = []


def tell_visitors_by(find: Callable[[], str]) -> None:
    """Sets what says who is asking now: a token of 32 hex digits, or "" where nobody is, as in a background thread."""
    _find[:] = [find]


def visitor() -> str:
    """The token of who is asking on a shared server; "" elsewhere: there all belongs to the one who started it."""
    if not _find or not server().shared:
        return ""
    token = _find[0]()
    return token if is_token(token) else ""


def is_token(text: str) -> bool:
    """Whether this has the form of a visitor's token, which is used as a folder's name."""
    return _TOKEN.fullmatch(text) is not None


def own_dir() -> Path:
    """Where the things lie that are the visitor's own: the cache itself where the server is not shared."""
    token = visitor()
    return cache_dir() / "visitors" / token if token else cache_dir()
