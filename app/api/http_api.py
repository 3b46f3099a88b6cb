"""The operations by HTTP: bodies read within limits, work done in threads, and every error a sentence."""

import logging
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from api.datasets import entry_of
from api.gate import Gate
from api.openapi import document
from api.openapi_page import HEADERS, page
from api.operation import PREFIX, Operation
from api.operations import OPERATIONS
from api.problems import Problem, problem_of
from api.schemas import OfImage
from doors.programs import API, problem
from likeness.errors import InputError
from likeness.io import parse_json
from routes import small_picture
from server_settings import server

_NOT_KEPT = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_PICTURES = ("image/", "application/octet-stream")


def http_api(gate: Gate) -> Starlette:
    """The app that answers below /api."""
    routes = [Route(each.path, _endpoint(each, gate), methods=[each.method]) for each in OPERATIONS]
    routes += [
        Route(f"{PREFIX}/datasets/{{dataset}}/images/{{row}}/thumbnail", _thumbnail(gate)),
        Route("/openapi.json", _document),
        Route("/", _page),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _http_problem})
    app.router.redirect_slashes = False
    return app


async def serve_page(request: Request) -> Response:
    """The operations, for people to read."""
    path = f"{API}/" if bytes(request.scope["raw_path"]).endswith(b"/") else API
    return HTMLResponse(page(path), headers=HEADERS)


async def answered(gate: Gate, work: Callable[[], Any], computes: bool) -> Any:
    """The result of an operation's work, or the Problem that it ends with."""
    try:
        return await gate.run(work, computes)
    except Exception as error:
        if known := problem_of(error):
            return known
        logging.getLogger(__name__).exception("An operation of the API failed.")
        return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "The server failed at this; its log says why.")


_page = serve_page


async def _document(request: Request) -> Response:
    return JSONResponse(document(), headers=_NOT_KEPT)


def _endpoint(operation: Operation, gate: Gate) -> Any:
    async def endpoint(request: Request) -> Response:
        try:
            arguments, content = await _arguments(operation, request)
        except (Problem, InputError) as error:
            return _response(problem_of(error))
        return _response(await answered(gate, partial(_carried_out, operation, arguments, content), operation.computes))

    return endpoint


def _carried_out(operation: Operation, arguments: Any, content: bytes) -> bytes:
    return operation.carry_out(arguments, content).model_dump_json(exclude_unset=True).encode()


def _thumbnail(gate: Gate) -> Any:
    def picture(arguments: dict[str, Any]) -> bytes:
        named = OfImage.model_validate(arguments)
        try:
            return small_picture(entry_of(named.dataset).id, named.row)
        except (IndexError, OSError):
            raise Problem(HTTPStatus.NOT_FOUND, f"There is no picture of an image {named.row} in this dataset.") from None

    async def endpoint(request: Request) -> Response:
        found = await answered(gate, partial(picture, dict(request.path_params)), computes=True)
        return _response(found, "image/webp")

    return endpoint


def _response(found: Any, media: str = "application/json") -> Response:
    if isinstance(found, Problem):
        return problem(found.status, found.sentence, {"Retry-After": str(found.seconds)} if found.seconds else None)
    return Response(found, media_type=media, headers=_NOT_KEPT)


async def _arguments(operation: Operation, request: Request) -> tuple[dict[str, Any], bytes]:
    """Unchecked, from path, query and body."""
    query = request.query_params
    twice = next((name for name in query if len(query.getlist(name)) > 1), None)
    if twice is not None:
        raise Problem(HTTPStatus.BAD_REQUEST, f"'{twice[:80]}' stands twice in the address; give it once.")
    content = b""
    if operation.content:
        _check_type(request, _PICTURES, "a picture, with a Content-Type such as image/jpeg")
        content = await _body(request, server().max_upload_mb * 1_000_000)
        given = dict(query)
    elif operation.method == "POST":
        if query:
            raise Problem(HTTPStatus.BAD_REQUEST, "This address takes its arguments in a JSON body, and none in the query.")
        given = await _json(request, operation)
    else:
        given = dict(query)
    inside = next((name for name in operation.in_path if name in given), None)
    if inside is not None:
        raise Problem(HTTPStatus.BAD_REQUEST, f"'{inside}' stands in the address already; leave it out elsewhere.")
    return given | request.path_params, content


async def _json(request: Request, operation: Operation) -> dict[str, Any]:
    content = await _body(request, operation.most_bytes)
    if not content and not operation.elsewhere:
        return {}
    _check_type(request, ("application/json",), "JSON, with the Content-Type application/json")
    try:
        found = parse_json(content.decode(), "The body")
    except UnicodeDecodeError:
        raise Problem(HTTPStatus.BAD_REQUEST, "The body is no text in UTF-8; send JSON in UTF-8.") from None
    if not isinstance(found, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, "The body is no JSON object; send one, such as {}.")
    return found


def _check_type(request: Request, expected: tuple[str, ...], what: str) -> None:
    """Pages of other sites can send forms and texts without asking first, but no JSON and no pictures."""
    if not request.headers.get("content-type", "").lower().startswith(expected):
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"This address takes {what}.")


async def _body(request: Request, most: int) -> bytes:
    length = request.headers.get("content-length", "")
    too_large = Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is larger than {most:,} bytes, the most that this address takes.")
    if length.isdecimal() and int(length[:15]) > most:
        raise too_large
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > most:
            raise too_large
    return bytes(content)


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = "This address takes another method." if error.status_code == 405 else "There is no such address here; /api lists all."
    return problem(error.status_code, sentence, dict(error.headers or {}))
