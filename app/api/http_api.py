"""The operations over HTTP: FastAPI validates requests, bodies are limited, and every error is one sentence."""

import hashlib
import re
from base64 import b64encode
from functools import partial, wraps
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Security
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from api.gate import Gate
from api.operations import OPERATIONS, Operation, answered, refused
from api.schemas import BINARY, OCTETS, Problem, Schema
from likeness.errors import InputError
from likeness.io import parse_json
from server.addresses import address
from server.middleware.responses import API, BROKEN_OFF, problem
from server.settings import server

_NOT_KEPT = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_PICTURES = ("image/", OCTETS)
_ABOUT = (
    "Search images by text, by image or both, in the space of an encoder or a notion. Read and write labels. "
    "Send your token in the header Authorization: Bearer TOKEN. Errors are one sentence, as application/problem+json."
)
_ERRORS = {
    "description": "What went wrong, in one sentence.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_PICTURE = {
    "description": "The picture; as application/octet-stream for a client that accepts nothing else.",
    "content": {kind: {"schema": BINARY} for kind in ("image/webp", OCTETS)},
}
_DARK = "document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);"
_POLICY = (
    "default-src 'none'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'sha256-{}'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def http_api(gate: Gate) -> FastAPI:
    """The app that answers at /api and below."""
    app = FastAPI(
        title="Likeness",
        version=version("likeness"),
        description=_ABOUT,
        servers=[{"url": ".."}],
        openapi_url=None,
        exception_handlers=dict.fromkeys((HTTPException, RequestValidationError, ValidationError, Exception), _answer_error),
        redirect_slashes=False,
        routes=[
            *(_Route(each, gate) for each in OPERATIONS),
            *(Route(path, _serve_page) for path in (API, f"{API}/")),
            Mount(f"{API}/assets", StaticFiles(packages=[("fastapi_offline", "static")])),
        ],
    )
    document = app.openapi()
    document["components"]["schemas"]["Problem"] = Problem.model_json_schema()

    async def serve_document(request: Request) -> Response:  # a new response each time: compression changes its headers
        return JSONResponse(document, headers=_NOT_KEPT)

    app.router.routes.append(Route(f"{API}/openapi.json", serve_document))
    return app


class _Request(Request):
    """A request whose body is read within a limit; its JSON is parsed in a thread of the gate and must be an object."""

    def __init__(self, request: Request, most_bytes: int, gate: Gate) -> None:
        super().__init__(request.scope, request.receive)
        self.most_bytes, self.gate = most_bytes, gate

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            length = self.headers.get("content-length", "")
            content = bytearray()
            self._check_length(int(length[:15]) if length.isdecimal() else 0)
            try:
                async for part in self.stream():
                    content += part
                    self._check_length(len(content))
            except ClientDisconnect:
                raise HTTPException(400, BROKEN_OFF) from None
            self._body = bytes(content)
        return self._body

    def _check_length(self, length: int) -> None:
        if length > self.most_bytes:
            raise HTTPException(413, f"The body is larger than {self.most_bytes:,} bytes, the limit of this address.")

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            try:
                self._json = await self.gate.run(partial(parse_json, (await self.body()).decode(), "The body"), computes=False)
            except UnicodeDecodeError:
                raise HTTPException(400, "The body is not UTF-8. Send JSON in UTF-8.") from None
            except InputError as error:
                raise refused(error) from None
            if not isinstance(self._json, dict):
                raise HTTPException(400, "The body is not a JSON object. Send one, such as {}.")
        return self._json


class _Route(APIRoute):
    """The route of an operation, which runs in a thread of the gate; rejects first what FastAPI would ignore."""

    def __init__(self, operation: Operation, gate: Gate) -> None:
        self.operation, self.gate = operation, gate

        def respond(**arguments: Any) -> Response:
            found = operation.work(**arguments)
            if isinstance(found, Response):
                return found
            return Response(found.model_dump_json(exclude_unset=True), media_type="application/json", headers=_NOT_KEPT)

        @wraps(operation.work)
        async def endpoint(**arguments: Any) -> Any:
            return await answered(gate, operation, partial(respond, **arguments))

        super().__init__(
            f"{API}/v1{operation.path}",
            endpoint,
            methods=[operation.method],
            tags=[operation.topic],
            operation_id=operation.name,
            summary=operation.description.partition(".")[0],
            description=operation.description,
            responses={"4XX": _ERRORS, "5XX": _ERRORS} | ({200: _PICTURE} if operation.gives_picture else {}),
            response_class=Response if operation.gives_picture else JSONResponse,
            dependencies=[Security(HTTPBearer(scheme_name="token", description="A token made by `likeness admin token`.", auto_error=False))],
        )

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().handle({**scope, "method": "GET"} if scope["method"] == "HEAD" else scope, receive, send)

    def get_route_handler(self) -> Any:
        answer = super().get_route_handler()

        async def checked(received: Request) -> Response:
            most = server().max_upload_mb * 1_000_000 if self.operation.takes_picture else self.operation.most_bytes
            request = _Request(received, most, self.gate)
            await self._check(request)
            return await answer(request)

        return checked

    async def _check(self, request: _Request) -> None:
        given: dict[str, Any] = dict(request.query_params)
        twice = next((name for name in given if len(request.query_params.getlist(name)) > 1), None)
        if twice is not None:
            raise HTTPException(400, f"The query has '{twice[:80]}' twice. Pass it once.")
        if self.operation.takes_picture:
            _check_type(request, _PICTURES, "a picture, with a Content-Type such as image/jpeg")
            if not await request.body():
                raise HTTPException(400, "The body is empty. Send the file of a picture.")
        elif self.operation.method == "POST":
            if given:
                raise HTTPException(400, "Pass the arguments in a JSON body, not in the query.")
            if self.operation.model or await request.body():
                _check_type(request, ("application/json",), "JSON, with the Content-Type application/json")
                given = await request.json()
        inside = next((name for name in self.param_convertors if name in given), None)
        if inside is not None:
            raise HTTPException(400, f"'{inside}' is already part of the address. Leave it out elsewhere.")
        if not self.operation.model:
            Schema.model_validate(given)


def _check_type(request: Request, expected: tuple[str, ...], what: str) -> None:
    """Rejects other content types: pages of other sites can send forms and texts without permission, but no JSON or pictures."""
    if not request.headers.get("content-type", "").lower().startswith(expected):
        raise HTTPException(415, f"This address takes {what}.")


async def _answer_error(request: Request, error: Exception) -> Response:
    known = refused(error)
    headers = dict(known.headers or {})
    if known.status_code == 405:
        headers["Allow"] = ", ".join(_allowed(request))
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=headers)
    return problem(known.status_code, known.detail, headers)


def _allowed(request: Request) -> list[str]:
    """The methods of an address, whichever of its routes has them."""
    matching = [route for route in request.app.routes if route.matches(request.scope)[0] != Match.NONE]
    methods = {method for route in matching for method in route.methods} or {"GET"}  # those of the assets, whose mount has rewritten the address
    return sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set()))


async def _serve_page(request: Request) -> Response:
    """Swagger UI in the browser's color scheme, without resources from other servers."""
    root = address(API, request.scope["path"])
    page = get_swagger_ui_html(
        title="API · Likeness",
        openapi_url=f"{root}/openapi.json",
        swagger_js_url=f"{root}/assets/swagger-ui-bundle.js",
        swagger_css_url=f"{root}/assets/swagger-ui.css",
        swagger_favicon_url=f"{root}/assets/favicon.png",
        swagger_ui_parameters={"validatorUrl": None},
    )
    html = bytes(page.body).decode().replace("<script>", f"<script>{_DARK}", 1)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": _POLICY.format(digest), "Cache-Control": "no-store"})
