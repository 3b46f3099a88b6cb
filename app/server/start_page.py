"""The HTML that every page of the app begins with: Streamlit's own, and a script that says where the app lies.

Without it, Streamlit's front end first looks for its server below the page's own address, which gives two 404s on a deep link, and adds an entry to
the browser's history for each value that a run writes into the address.
"""

import re
from functools import cache, partial
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from navigation import HOME, MOVED, PAGES
from pages import what_changed
from server.middleware.responses import csp_digest

_HEADERS = {"Cache-Control": "no-cache"}
# Whatever a page says, a browser asks this server alone: no picture, font or frame of another one, and no message to it. Components' scripts
# are blobs, plotly compiles what draws many points, and Streamlit writes styles into elements.
_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "script-src {scripts}; worker-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'"
)
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def routes() -> list[Route]:
    """Serves the root, each page, and the addresses of earlier versions, which redirect."""
    return [
        Route("/", _serve),
        *(Route(f"/{page.address}", _serve) for page in PAGES if page is not HOME),
        Route(f"/{HOME.address}", partial(_lead, "")),
        *(Route(f"/{old}", partial(_lead, page.address)) for old, page in MOVED.items()),
    ]


def content_policy() -> str:
    """The Content-Security-Policy of all pages; it allows the scripts of the start page by their digests."""
    return _POLICY.format(scripts=" ".join(["'self' blob: 'unsafe-eval'", *map(csp_digest, _INLINE.findall(_content()))]))


def _serve(request: Request) -> Response:
    return HTMLResponse(_content(), headers=_HEADERS)


async def _lead(address: str, request: Request) -> Response:
    """Redirects to another address, relative so that it also works behind a proxy."""
    if "What changed" in request.query_params.getlist("compare"):  # a tab of the page Compare in earlier versions
        address = what_changed.PAGE.address
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"./{address}{query}", headers=_HEADERS)


@cache
def _content() -> str:
    html = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    script = (Path(__file__).parent / "start_page.js").read_text(encoding="utf-8")
    return html.replace("<head>", f"<head>\n<script>\n{script}</script>", 1)
