"""The HTML that every page of the app begins with: Streamlit's own, and a script that says where the app lies.

Left alone, Streamlit's front end looks for its server below the page's own address first, which a deep link answers with two 404s, and makes a
step of the browser's history of each value that a run writes into the address.
"""

from functools import cache
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from navigation import PAGES

_HEADERS = {"Cache-Control": "no-cache"}


def routes() -> list[Route]:
    """The root and each page; the first page, whose address Streamlit does not know, leads to the root."""
    first, *others = PAGES
    return [
        Route("/", _serve),
        *(Route(f"/{page.address}", _serve) for page in others),
        Route(f"/{first.address}", _to_root),
    ]


def _serve(request: Request) -> Response:
    return HTMLResponse(_content(), headers=_HEADERS)


def _to_root(request: Request) -> Response:
    """Relative, so that it also holds behind a proxy that serves the app below a path."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"./{query}", headers=_HEADERS)


@cache
def _content() -> str:
    html = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    script = (Path(__file__).parent / "start_page.js").read_text(encoding="utf-8")
    return html.replace("<head>", f"<head>\n<script>\n{script}</script>", 1)
