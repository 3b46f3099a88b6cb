"""Addresses of what this server answers: as its pages write them, relative, since only the browser knows below which path a proxy serves the app;
and the path below which it is served, where a proxy leaves it in the addresses that it asks for."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

_OPTION = "server.baseUrlPath"


def address(target: str, page: str = "/") -> str:
    """How a page writes the address of a route.

    Args:
        target: the route's path on this server, with its query.
        page: path of the page that writes it; all pages of the app lie at the root, so that the same address holds on each of them.
    """
    return f"{'../' * (page.count('/') - 1) or './'}{target.removeprefix('/')}"


def take_path_prefix() -> str:
    """The path that Streamlit's option names, as "/lab/likeness", empty for the root; for Streamlit itself the option is empty from then on.

    `PathPrefix` takes the path away before Streamlit or a route of the app sees it, as many proxies do: below all of them the server does the same.
    """
    path = str(config.get_option(_OPTION) or "").strip("/")
    config.set_option(_OPTION, "")
    return f"/{path}" if path else ""


class PathPrefix:
    """Answers requests below a path, that of `take_path_prefix`, as those at the root, and makes redirects to this server relative."""

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
            # the path as it came, with its percent signs; of a prefix that was written with some, what follows as many slashes
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
