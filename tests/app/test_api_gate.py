"""Who reaches the API on a served app, how much, and what they see of others there."""

import asyncio
import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import likeness as lk
from api.gate import Gate, Gated
from likeness.data import add_dataset, new_entry
from server.accounts import write_token
from server.middleware.build_middleware import WholeRequests
from server.middleware.host_check import Hosts
from server.middleware.limits import Limits
from server.settings import ServerSettings
from server.slots import Slots
from server.visitors import Visits
from worlds import ADA, BEN, api_routes, draw_noise, in_own_loop, serve

CARS = "/api/v1/datasets/cars"
MINE, THEIRS = ({"Cookie": f"likeness_visitor_8501={who}"} for who in (ADA, BEN))


@pytest.fixture(scope="module")
def closed(begin_once: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[str]]:
    """A served app of one person with its API, and the tokens of two programs."""
    file = tmp_path_factory.mktemp("closed") / "tokens.txt"
    tokens = [write_token(file, name) for name in ("notebook", "agent")]
    return begin_once("--token", "--api", "--program-tokens", str(file)), tokens


def _client(closed: tuple[Any, list[str]], program: int = 0) -> httpx2.Client:
    return httpx2.Client(base_url=closed[0].url, headers={"Authorization": f"Bearer {closed[1][program]}"}, timeout=600, trust_env=False)


def test_the_printed_link_opens_the_page_and_its_token_the_api(closed: tuple[Any, list[str]]) -> None:
    token = closed[0].token
    with httpx2.Client(base_url=closed[0].url, timeout=600, trust_env=False, follow_redirects=True) as browser:
        page = browser.get("/api", params={"token": token}, headers={"Accept": "text/html"})
        assert "API · Likeness" in page.text
        way = page.url.path.split("/")[1]
        assert browser.get("/api/v1/status").status_code == 401
        browser.base_url = f"{closed[0].url}/{way}"  # by the cookie, below the path that the browser was led to
        assert browser.get("/api/v1/status").status_code == 200
        labels = {"rows": [1], "tag": "by a page"}
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
            assert browser.post(f"{CARS}/labels", json=labels, headers=headers).status_code == 403
        assert browser.post(f"{CARS}/labels", json=labels, headers={"Origin": closed[0].url}).status_code == 200
    assert httpx2.get(f"{closed[0].url}/api/v1/status", headers={"Authorization": f"Bearer {token}"}, trust_env=False).status_code == 200


def test_two_programs_at_once_get_their_own_answers_and_lose_no_label(closed: tuple[Any, list[str]]) -> None:
    space = lk.embed(lk.read("cars"), "cars")

    def work(program: int) -> None:
        with _client(closed, program) as client:
            for row in range(100 * program, 100 * program + 20):
                hits = client.get(f"{CARS}/images/{row}/neighbors", params={"k": 3}).json()["hits"]
                assert [hit["row"] for hit in hits] == space.nearest(row, k=3).rows.tolist()
                assert client.post(f"{CARS}/labels", json={"rows": [row], "tag": f"seen by {program}"}).json()["images"] == 1

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(work, range(2)))
    with _client(closed) as client:
        for left in (20, 19):  # an undo is of one's own alone
            counts = {each["name"]: each["images"] for each in client.get(f"{CARS}/labels").json()["labels"]}
            assert (counts["seen by 0"], counts["seen by 1"]) == (left, 20)
            assert client.post(f"{CARS}/labels/undo").json()["images"] == 1


def test_bodies_that_are_too_large_are_refused(closed: tuple[Any, list[str]]) -> None:
    with _client(closed) as client:
        for path, size, kind in (("labels", 1_000_001, "application/json"), ("search/image", 100_000_001, "image/png")):
            refused = client.post(f"{CARS}/{path}", content=iter([b" " * size]), headers={"Content-Type": kind})  # without a length
            assert refused.status_code == 413
            assert refused.json()["detail"].startswith("The body is larger than")
    connection = http.client.HTTPConnection(closed[0].url.removeprefix("http://"), timeout=600)
    connection.putrequest("POST", f"{CARS}/labels")
    for name, value in (("Authorization", f"Bearer {closed[1][0]}"), ("Content-Type", "application/json"), ("Content-Length", "9" * 12)):
        connection.putheader(name, value)
    connection.endheaders()  # the content does not come: it is refused by its length
    assert connection.getresponse().status == 413
    connection.close()


def test_a_body_that_breaks_off_or_is_no_json_leaves_no_traceback(closed: tuple[Any, list[str]]) -> None:
    server, before = closed[0], len(closed[0].printed())
    program = {"Authorization": f"Bearer {closed[1][0]}", "Content_Type": "application/json"}
    sound = b'{"rows": [1], "tag": "broken off"}'
    bodies = [({"Content_Length": "1000"}, sound), ({"Content_Length": "1000"}, b""), ({"Transfer_Encoding": "chunked"}, b'5\r\n{"a')]
    bodies += [({"Transfer_Encoding": "chunked"}, b'5\r\n{"row\r\nzz\r\n'), ({"Transfer_Encoding": "chunked"}, b"-5\r\n{}")]
    for path in ("labels", "labels/undo", "search", "notions/fit"):
        for headers, body in bodies:
            server.break_off(f"POST {CARS}/{path}", body, **program, **headers)
    server.break_off(f"POST {CARS}/search/image", b"\xff\xd8", **program | {"Content_Type": "image/jpeg"}, Content_Length="1000")
    server.break_off("POST /token", b"token=x", Content_Type="application/x-www-form-urlencoded", Content_Length="1000")
    with _client(closed) as client:
        for content in (b'{"tag": "\xff"}', b"[" * 100_000, b'{"a":' * 100_000, b"", b"\x00", b'{"tag": "\\ud800"}', b"9" * 5_000):
            refused = client.post(f"{CARS}/labels", content=content, headers={"Content-Type": "application/json"})
            assert (refused.status_code, refused.headers["content-type"]) == (400, "application/problem+json"), content[:20]
        assert "broken off" not in {each["name"] for each in client.get(f"{CARS}/labels").json()["labels"]}
    printed = server.printed()[before:]
    assert "Traceback" not in printed
    assert len(printed.splitlines()) <= 4 * len(bodies) + 2, printed


def test_what_breaks_off_behind_the_limits_is_answered() -> None:
    async def reads(scope: Any, receive: Any, send: Any) -> None:
        await Request(scope, receive).body()

    async def asked(path: str) -> list[Any]:
        sent = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b"", "client": ("10.0.0.1", 1)}
        await WholeRequests(reads)(scope, receive, send)
        return sent

    begin, content = in_own_loop(asked("/api/v1/x"))
    assert begin["status"] == 400
    assert "incomplete" in json.loads(content["body"])["detail"]
    assert b"incomplete" in in_own_loop(asked("/elsewhere"))[1]["body"]


def test_who_asks_too_fast_is_told_when_to_ask_again() -> None:
    gate = Gate(ServerSettings(api_requests=1))
    inside = Starlette(routes=[Route("/", lambda request: PlainTextResponse("inside"))])
    client = TestClient(Gated(gate, inside))
    answers = [client.get("/") for _ in range(30)]
    refused = [each for each in answers if each.status_code == 429]
    assert [each.status_code for each in answers[:10]] == [200] * 10
    assert refused
    assert all(each.headers["retry-after"].isdecimal() and each.json()["status"] == 429 for each in refused)
    other = Limits(client.app, ServerSettings(shared=True))  # behind the server's own limits, too
    assert TestClient(other, client=("10.1.2.3", 1)).get("/").status_code == 200


def test_so_many_at_once_and_no_more() -> None:
    gate, leave, statuses = Gate(ServerSettings()), asyncio.Event(), list[int]()

    async def waits(scope: Any, receive: Any, send: Any) -> None:
        await leave.wait()
        await PlainTextResponse("done")(scope, receive, send)

    async def asked(number: int) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {"type": "http", "method": "GET", "path": f"/{number}", "headers": [], "query_string": b"", "client": ("10.0.0.1", 1)}
        await Gated(gate, waits)(scope, lambda: asyncio.sleep(600), send)

    async def main() -> None:
        tasks = [asyncio.create_task(asked(number)) for number in range(20)]
        await asyncio.sleep(0.2)
        assert statuses == [429] * 4
        leave.set()
        await asyncio.gather(*tasks)

    in_own_loop(main())
    assert sorted(statuses) == [200] * 16 + [429] * 4


def test_what_computes_waits_for_a_slot_and_gives_up_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.gate._PATIENCE", 0.3)
    gate, slots, leave = Gate(ServerSettings()), Slots(1, 1), threading.Event()
    monkeypatch.setattr("api.gate.computing", lambda: slots)

    async def main() -> str:
        first = asyncio.create_task(gate.run(lambda: leave.wait(60), computes=True))
        await asyncio.sleep(0.1)
        assert await gate.run(lambda: "light", computes=False) == "light"  # lists and the like are answered meanwhile
        with pytest.raises(HTTPException) as refused:
            await gate.run(lambda: None, computes=True)
        assert refused.value.status_code == 429
        leave.set()
        await first
        return await gate.run(lambda: "next", computes=True)

    assert in_own_loop(main()) == "next"
    assert slots.taken() == 0


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A shared server without accounts, its API behind the door of names."""
    (tmp_path / "photos").mkdir()
    settings = serve(monkeypatch, shared=True, roots=[str(tmp_path / "photos")], api=True)
    app = Visits(Hosts(Starlette(routes=api_routes(settings)), address="127.0.0.1", settings=settings), policy="")
    with TestClient(app, base_url="http://127.0.0.1:8501", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def upload(client: TestClient) -> str:
    """The id of a dataset that a visitor has uploaded."""
    from server.accounts import answering, with_browser
    from server.settings import UPLOADS
    from server.visitors import browser_name, own_dir, visitor

    with answering(with_browser({"type": "http", "path": "/api", "headers": []}, browser_name(ADA))):
        owner = str(visitor())
        draw_noise(own_dir() / UPLOADS / "mine", 3)
    entry = new_entry("mine", "uploads/mine", "cars", owner=owner)
    add_dataset(entry)
    return entry.id


def test_uploads_are_their_owners(client: TestClient, upload: str) -> None:
    base = f"/api/v1/datasets/{upload}"
    reads = ["", "/images/0", "/images/0/thumbnail", "/images/0/neighbors", "/labels", "/labels/images"]
    writes = {"labels": {"rows": [0], "tag": "t"}, "labels/undo": None, "search": {"terms": [{"row": 0}]}, "notions/fit": {"notion": "car-color"}}

    def listed(who: dict[str, str]) -> list[tuple[str, bool]]:
        return [(each["id"], each["own"]) for each in client.get("/api/v1/datasets", headers=who).json()["datasets"]]

    assert listed(MINE) == [("cars", False), (upload, True)]
    for who in (THEIRS, {}):
        assert listed(who) == [("cars", False)]
        assert {client.get(f"{base}{path}", headers=who).status_code for path in reads} == {404}
        assert client.get("/api/v1/notions", params={"dataset": upload}, headers=who).status_code == 404
        for path, body in writes.items():
            refused = client.post(f"{base}/{path}", headers=who, **({"json": body} if body else {}))
            assert refused.status_code in ((403, 404) if "labels" in path else (404,)), path
    assert {client.get(f"{base}{path}", headers=MINE).status_code for path in reads} == {200}


def test_strangers_label_their_own_images_alone(client: TestClient, upload: str) -> None:
    label = {"rows": [1], "tag": "t"}
    for who in ({}, MINE):
        refused = client.post(f"{CARS}/labels", json=label, headers=who)
        assert refused.status_code == 403
        assert "this server has no accounts" in refused.json()["detail"]
    assert client.post(f"/api/v1/datasets/{upload}/labels", json=label, headers=MINE).json()["images"] == 1
    assert client.post(f"/api/v1/datasets/{upload}/labels/undo", headers=MINE).json()["images"] == 1


def test_a_page_of_another_site_asks_nothing(client: TestClient) -> None:
    for site in ("cross-site", "same-site"):
        assert client.get(f"{CARS}/images/1/thumbnail", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}).status_code == 403
        assert client.get("/api", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}).status_code == 200
    assert "access-control-allow-origin" not in client.get("/api/v1/status", headers={"Origin": "http://evil.example"}).headers


def test_who_may_only_look_writes_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.datasets.refusal", lambda act: "Your account can only view.")
    content = lk.read("cars").file(1).read_bytes()
    for path, body in (
        ("labels", {"json": {"rows": [1], "tag": "t"}}),
        ("labels/undo", {}),
        ("search", {"json": {"terms": [{"image": base64.b64encode(content).decode()}]}}),
        ("search/image", {"content": content}),
    ):
        kind = {"Content-Type": "image/webp"} if "content" in body else {}
        assert client.post(f"{CARS}/{path}", headers=MINE | kind, **body).status_code == 403, path
    assert client.post(f"{CARS}/search", json={"terms": [{"row": 1}]}, headers=MINE).status_code == 200


def test_the_examples_of_the_docs_run(closed: tuple[Any, list[str]], tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(\w+)[^\n]*\n((?:(?!```).*\n)*?(?:.*(?:ask datasets|api\.post).*\n)(?:(?!```).*\n)*)```$", page, re.MULTILINE))
    shutil.copy(lk.read("cars").file(1), tmp_path / "photo.jpg")
    lines = [line for line in blocks["sh"].splitlines() if line and not line.startswith("export")]
    script = "\n".join([lines[0], *(f"{line}; echo" for line in lines[1:])])
    surroundings = {**os.environ, "SERVER": closed[0].url, "TOKEN": closed[1][0], "NO_PROXY": "*"}
    printed = subprocess.run(["bash", "-c", script], env=surroundings, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=True)
    answers = [json.loads(line) for line in printed.stdout.splitlines() if line]
    assert len(answers) == len(lines) - 1 == 7
    assert not any("detail" in answer for answer in answers), answers
    told: dict[str, Any] = {}
    code = blocks["python"].replace("http://127.0.0.1:8501", closed[0].url).replace('"lk_..."', repr(closed[1][1]))
    exec(compile(code, "api.md", "exec"), told)
    with _client(closed) as client:
        labels = client.get(f"{CARS}/labels").json()["labels"]
    assert {(each["value"], each["images"]) for each in labels if each["name"] == "verdict"} == {("red suv", len(told["rows"]))}
