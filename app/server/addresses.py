"""Relative addresses of the server's routes, and the path prefix below which it is served."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

_OPTION = "server.baseUrlPath"


def address(target: str, page: str = "/") -> str:
    """The address of a route as a page writes it: relative, since only the browser knows the path below which a proxy serves the app.

    Args:
        target: the route's path on this server, with its query.
        page: path of the page with the link; all pages of the app lie at the root, so the address is the same on each.
    """
    return f"{'../' * (page.count('/') - 1) or './'}{target.removeprefix('/')}"


def take_path_prefix() -> str:
    """Returns the path prefix from Streamlit's option, such as "/lab/likeness" ("" for the root), and clears the option.

    `PathPrefix` removes the prefix before Streamlit or a route sees it, as many proxies do, so the server works the same behind all of them.
    """
    path = str(config.get_option(_OPTION) or "").strip("/")
    config.set_option(_OPTION, "")
    return f"/{path}" if path else ""


class PathPrefix:
    """Serves requests below the path prefix as if at the root, and makes redirects to this server relative."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app, self.prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        path = str(scope["path"])
        if scope["type"] == "http" and self.prefix and path == self.prefix:  # relative addresses need the slash
            query = scope.get("query_string", b"").decode("latin-1")
            await RedirectResponse(f"./{path.rsplit('/', 1)[-1]}/{f'?{query}' if query else ''}")(scope, receive, send)
            return
        if self.prefix and path.startswith(f"{self.prefix}/"):
            # the raw path with percent-encoding; an encoded prefix is skipped by counting its slashes
            raw = bytes(scope.get("raw_path") or path.encode()).split(b"/", self.prefix.count("/") + 1)[-1]
            scope = {**scope, "path": path.removeprefix(self.prefix), "raw_path": b"/" + raw}
        await self.app(scope, receive, _relative_redirects(scope, send) if scope["type"] == "http" else send)


def _relative_redirects(scope: Scope, send: Send) -> Send:
    async def relative(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            target = urlsplit(headers.get("location", ""))
            if target.path.startswith("/") and target.netloc in ("", Headers(scope=scope).get("host")):
                headers["location"] = address(target._replace(scheme="", netloc="").geturl(), scope["path"])
        await send(message)

    return relative
