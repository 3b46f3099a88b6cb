"""Cookies that open a door: none that a script could read, none that another site's page sends along, and of one server on this machine alone."""

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Scope

from server.middleware.proxies import is_https


def cookie_of(scope: Scope, name: str) -> str:
    """The value of this server's cookie; empty where there is none."""
    return HTTPConnection(scope).cookies.get(_named(scope, name), "")


def set_cookie(scope: Scope, response: Response, name: str, value: str, seconds: int | None = None) -> None:
    """Sets it: until the browser is closed, or for so many seconds; 0 takes it away."""
    response.set_cookie(_named(scope, name), value, max_age=seconds, path="/", secure=is_https(scope), httponly=True, samesite="lax")


def _named(scope: Scope, name: str) -> str:
    """Browsers send the cookies of a host to all its ports: each server takes a name of its own."""
    return f"likeness_{name}_{(scope.get('server') or ('', 0))[1]}"
