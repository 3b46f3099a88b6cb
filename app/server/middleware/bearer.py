"""Requests of programs: which addresses they ask, the token they show, and answers that they can read."""

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Scope

API, MCP = "/api", "/mcp"
_BEARER = "bearer "


def is_for_programs(scope: Scope) -> bool:
    """Whether a request asks the HTTP API or the MCP tools, which check themselves what it may change."""
    path = str(scope.get("path", ""))
    return scope["type"] == "http" and (path in (API, MCP) or path.startswith((f"{API}/", f"{MCP}/")))


def bearer_of(scope: Scope) -> str | None:
    """The token that a program shows, as `Authorization: Bearer TOKEN`; None without one. Two such headers are a token that nobody has."""
    given = Headers(scope=scope).getlist("authorization") if is_for_programs(scope) else []
    shown = [each[len(_BEARER) :].strip() for each in given if each.lower().startswith(_BEARER)]
    return None if not shown else shown[0] if len(given) == 1 else ""


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """What went wrong, in one sentence, as `application/problem+json` (RFC 9457)."""
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence}
    return JSONResponse(content, status, {"Cache-Control": "no-store", **(headers or {})}, media_type="application/problem+json")


def readable(scope: Scope, response: Response) -> Response:
    """An answer of a door, for programs as `problem`; to people as it is."""
    if not isinstance(response, PlainTextResponse) or response.status_code < 400 or not is_for_programs(scope):
        return response
    kept = {name: value for name, value in response.headers.items() if name in ("retry-after", "cache-control")}
    if response.status_code == 401:
        kept["WWW-Authenticate"] = "Bearer"
    return problem(response.status_code, bytes(response.body).decode(), kept)
