"""One function writes the addresses of the server's own routes, what goes below a path comes back from there, and what is found at addresses."""

import ast
import base64
import hashlib
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from api import picture_routes
from navigation import HOME, MOVED, PAGES
from server import start_page
from server.addresses import PathPrefix, address
from server.middleware.responses import API, MCP

APP = Path(__file__).resolve().parents[2] / "app"
SCRIPTS = APP.parent / "core" / "likeness" / "plots" / "linked_map" / "scripts"
OTHERS = {API[1:], MCP[1:], "login", "logout", "token", "media"}
FIRST = sorted({str(route.path).split("/")[1] for route in [*picture_routes.ROUTES, *start_page.routes()]} | OTHERS)
OWN = re.compile(rf"/({'|'.join(filter(None, FIRST))})(/|\?|$)")
# what a request's path is compared with, and where a route is said to be
COMPARES = {f"server/{name}.py" for name in ("passwords", "middleware/doors", "middleware/responses", "start_page")} | {"api/picture_routes.py"}


def _literals(tree: ast.AST) -> list[tuple[int, str]]:
    """Texts that are no argument of `address`, and no docstring; of a formatted one its beginning."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "address"]
    inside = {id(each) for call in calls for each in ast.walk(call)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [(node.lineno, node.value) for node in texts if id(node) not in inside]


def test_no_module_and_no_front_end_writes_an_address_of_the_server_by_itself() -> None:
    for file in sorted(APP.rglob("*.py")):
        name, literals = str(file.relative_to(APP)), _literals(ast.parse(file.read_text(encoding="utf-8")))
        absolute = [(line, text) for line, text in literals if re.search(r"""(src|href|action)=["']?/""", text)]
        if name not in COMPARES and not name.startswith("api/"):  # addresses in answers to programs stand after that of the server
            absolute += [(line, text) for line, text in literals if OWN.match(text)]
        assert absolute == [], name
    files = [file for pattern in ("*.js", "*.css", "*.html") for folder in (APP, SCRIPTS) for file in folder.rglob(pattern)]
    assert len(files) > 30
    for file in files:
        assert not re.search(r"""(["'`(]|src=|href=)/[a-z]""", re.sub(r"//.*|/\*.*?\*/", "", file.read_text(encoding="utf-8"))), file


def test_an_address_holds_on_every_page_below_any_path() -> None:
    for prefix in ("", "/likeness", "/user/ada/proxy/8501"):
        for page in ("/", *(f"/{page.address}" for page in PAGES if page is not HOME)):
            for target in ("/thumbnails/cars/3", "/info/cars/3?labels=a:b", "/", "/?draft=1"):
                assert urljoin(f"http://proxy{prefix}{page}?a=/b/c", address(target)) == f"http://proxy{prefix}{target}"
        for page in ("/", "/explore", "/thumbnails/cars/3", "/_stcore/upload_file/a/b"):  # as seen from there
            for target in ("/token", "/notions?draft=1", "/", "/a:b"):
                assert urljoin(f"http://proxy{prefix}{page}", address(target, page)) == f"http://proxy{prefix}{target}"


def _below(prefix: str) -> TestClient:
    async def answer(request: Request) -> Response:
        return PlainTextResponse(f"{request.url.path}?{request.url.query} {request.scope['raw_path'].decode()}")

    async def leave(request: Request) -> Response:
        return RedirectResponse(request.query_params["to"])

    async def stream(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text(websocket.url.path)
        await websocket.close()

    routes = [Route("/leave/{rest:path}", leave), Route("/slash/", answer), Route("/{path:path}", answer)]
    return TestClient(
        PathPrefix(Starlette(routes=[WebSocketRoute("/_stcore/stream", stream), *routes]), prefix), base_url="http://proxy", follow_redirects=False
    )


@pytest.mark.parametrize("prefix", ["/likeness", "/user/ada/proxy/absolute/8501"])
def test_a_path_that_a_proxy_left_in_the_address_is_taken_away(prefix: str) -> None:
    client = _below(prefix)
    assert client.get(f"{prefix}/thumbnails/a%20b/3?c=d").text == "/thumbnails/a b/3?c=d /thumbnails/a%20b/3"
    assert client.get(f"{prefix}/").text == "/? /"
    assert client.get("/thumbnails/cars/3").text == "/thumbnails/cars/3? /thumbnails/cars/3"  # another proxy, or a monitor, asks without
    assert client.get(f"{prefix}x/a").text.startswith(f"{prefix}x/a?")
    with client.websocket_connect(f"{prefix}/_stcore/stream") as socket:
        assert socket.receive_text() == "/_stcore/stream"
    bare = client.get(f"{prefix}?query=5")
    assert urljoin(f"http://proxy{prefix}?query=5", bare.headers["location"]) == f"http://proxy{prefix}/?query=5"


@pytest.mark.parametrize("prefix", ["", "/likeness"])
def test_redirects_to_this_server_stay_below_the_path_and_others_what_they_are(prefix: str) -> None:
    def location(to: str) -> str:
        return _below(prefix).get(f"{prefix}/leave/a/b", params={"to": to}).headers["location"]

    for to in ("/notions?draft=1", "/", "./?a=b", "http://proxy/slash/"):
        wanted = urljoin("http://proxy/leave/a/b", to).replace("http://proxy", f"http://proxy{prefix}")
        assert urljoin(f"http://proxy{prefix}/leave/a/b", location(to)) == wanted
        assert urljoin("http://proxy/lab/leave/a/b", location(to)).startswith("http://proxy/lab/")  # a proxy that takes the path away
    for to in ("https://hub.example.org/a", "//hub.example.org/a"):
        assert location(to) == to


def test_a_row_is_served_and_what_names_no_row_or_no_dataset_is_not_there() -> None:
    client = TestClient(Starlette(routes=picture_routes.ROUTES))
    odd = ("-1", "2000", "9" * 30, "9" * 5000, "²", "٣", "1.5", "1e3", "0x1", "%00", "%ff", "a", "nan", "+1", " 1")
    for name in ("thumbnails", "pictures", "labeled", "info"):
        for row in odd:
            assert client.get(f"/{name}/cars/{row}", params={"kind": "angles", "columns": '["yaw"]'}).status_code == 404, (name, row)
        for dataset in ("nope", "²", "%00", "..%2f..", "x" * 3000):
            assert client.get(f"/{name}/{dataset}/0").status_code == 404, (name, dataset)
    assert client.get("/thumbnails/cars/1").headers["content-type"] == "image/webp"
    assert client.get("/info/cars/001").json() == client.get("/info/cars/1").json()


@pytest.fixture
def client() -> TestClient:
    """Of the HTML that pages begin with."""
    return TestClient(Starlette(routes=start_page.routes()), follow_redirects=False)


def test_each_page_begins_with_streamlits_own_html_that_knows_where_the_server_is(client: TestClient) -> None:
    for place in ("", *(page.address for page in PAGES if page is not HOME)):
        answer = client.get(f"/{place}?query=5")
        assert answer.status_code == client.head(f"/{place}").status_code == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.text.index("BACKEND_BASE_URL") < answer.text.index("./static/js/index.")
    for asked in ("", "?b=Car%20color&query=5"):  # the first page's own address leads to the root
        answer = client.get(f"/explore{asked}")
        assert (answer.status_code, answer.headers["location"]) == (307, f"./{asked}")
    moved = {f"{old}?query=5": f"{page.address}?query=5" for old, page in MOVED.items()}
    moved["compare?compare=What+changed&b=1"] = "what_changed?compare=What+changed&b=1"
    assert {old: client.get(f"/{old}").headers["location"] for old in moved} == {old: f"./{new}" for old, new in moved.items()}


def test_pages_may_ask_this_server_alone_and_run_the_scripts_that_they_begin_with(client: TestClient) -> None:
    policy = dict(part.split(" ", 1) for part in start_page.content_policy().split("; "))
    assert policy["default-src"] == policy["connect-src"] == "'self'"
    for name, sources in policy.items():
        assert not [source for source in sources.split() if ":" in source and source not in ("data:", "blob:")], name  # no other server, no scheme
    scripts = re.findall(r"<script>(.*?)</script>", client.get("/").text, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy["script-src"]
    assert "'unsafe-inline'" not in policy["script-src"]
