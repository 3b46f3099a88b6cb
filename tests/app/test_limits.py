"""What one client may have open at once on a shared server; everyone else is answered meanwhile."""

import asyncio
import contextlib
import http.client
import os
import shutil
import socket
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from likeness.data import save_uploads
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.training import RunFolder, Status
from parts import drafts
from server import accounts, trainings
from server.access import upload_limits
from server.jobs import Jobs
from server.middleware import connections, limits
from server.middleware.limits import Limits, WaitingFiles
from server.quotas import check_count, check_notion, room_for, write_draft
from server.settings import UPLOADS, ServerSettings
from server.slots import Slots
from server.visitors import draft_file, is_own_draft, own_dir
from waiting import answers, wait_until
from worlds import ADA, BEN, draw_noise, in_own_loop, serve, visit


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ServerSettings]:
    """Makes this process a shared server's: `shared(max_jobs=3)`; who asks is "ada" until `client` is patched again."""
    visit(monkeypatch)
    monkeypatch.setattr("server.jobs.client", lambda: "ada")
    return lambda **settings: serve(monkeypatch, shared=True, **settings)


def test_slots_are_as_many_as_there_are_for_all_and_for_one_and_who_waits_gets_the_next() -> None:
    slots, got = Slots(3, 2), threading.Event()
    assert [slots.take(who) for who in ("ada", "ada", "ada", "ben", "ben")] == [True, True, False, True, False]
    slots.give_back("ada")
    assert slots.take("ben")
    assert (slots.taken(), slots.taken("ada"), slots.taken("ben")) == (3, 1, 2)
    assert not slots.wait_for("cleo", lambda: True)  # who gives up
    waiting = threading.Thread(target=lambda: slots.wait_for("cleo", lambda: False) and got.set())
    waiting.start()
    assert not got.wait(0.2)
    slots.give_back("ada")
    waiting.join(60)
    assert got.is_set()
    assert slots.taken() == 3


async def _asked(app: Any, client: str, kind: str = "http", receive: Any = None, **scope: Any) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def nothing() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    full = {"type": kind, "method": "GET", "path": "/", "headers": [], "client": (client, 1), "query_string": b""}
    await app(full | {"extensions": {"websocket.http.response": {}}} | scope, receive or nothing, send)
    return sent


@pytest.mark.parametrize(("kind", "setting"), [("http", "visitor_requests"), ("websocket", "visitor_sockets")])
def test_of_one_clients_requests_too_many_are_refused_and_anothers_are_not(shared, kind: str, setting: str) -> None:
    inside, seen = asyncio.Event(), []

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["client"][0], dict(scope["headers"])))
        await inside.wait()

    async def attack() -> tuple[list[Any], list[Any]]:
        app = Limits(slow, shared(**{setting: 3}))
        held = [asyncio.create_task(_asked(app, "10.0.0.1", kind)) for _ in range(5)]
        await asyncio.sleep(0.05)
        other = asyncio.create_task(_asked(app, "10.0.0.2", kind))
        await asyncio.sleep(0.05)
        inside.set()
        return await asyncio.gather(*held), await other

    held, other = in_own_loop(attack())
    assert [client for client, _ in seen] == ["10.0.0.1"] * 3 + ["10.0.0.2"]
    assert sum(bool(answered) for answered in held) == 2
    assert not other
    if kind == "websocket":  # pages know for whom they are drawn
        assert all(headers == {accounts._CLIENT.encode(): client.encode()} for client, headers in seen)


def test_a_content_that_does_not_come_is_given_up(shared) -> None:
    async def reads(scope: Any, receive: Any, send: Any) -> None:
        got = await receive()
        await PlainTextResponse(got["type"])(scope, receive, send)

    sent = in_own_loop(_asked(Limits(reads, shared(request_seconds=0.05)), "10.0.0.1", receive=lambda: asyncio.sleep(600), method="POST"))
    assert sent[1]["body"] == b"http.disconnect"


def test_waiting_files_count_for_one_client_and_for_all_until_a_page_lets_go(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, int] = {}
    with monkeypatch.context() as patch:
        patch.setattr(WaitingFiles, "_held", staticmethod(lambda: dict(held)))
        waiting = WaitingFiles(shared(visitor_waiting_mb=10, max_waiting_mb=15))
        assert waiting.begin("ada", "session-1", 6_000_000)
        assert not waiting.begin("ada", "session-2", 5_000_000)  # under way
        held["session-1"] = 6_000_000
        waiting.end("session-1", 6_000_000)
        assert not waiting.begin("ada", "session-2", 5_000_000)  # in memory
        assert waiting.begin("ada", "session-2", 4_000_000)
        assert not waiting.begin("ben", "session-3", 6_000_000)  # for all
        assert waiting.begin("ben", "session-3", 5_000_000)
        del held["session-1"]
        assert waiting.begin("ada", "session-1", 5_000_000)

    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

    files, sessions = MemoryUploadedFileManager("/upload"), SimpleNamespace(get_session_info=lambda session: session == "open" or None)
    monkeypatch.setattr(limits, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=files, _session_mgr=sessions))
    for session in ("open", "over"):
        files.add_file(session, UploadedFileRec("1", "a.png", "image/png", b"x" * 100))
    assert WaitingFiles._held() == {"open": 100}
    assert list(files.file_storage) == ["open"]  # those of sessions that are over are given up


def test_one_visitors_jobs_wait_for_each_other_and_not_others_for_them(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    shared(max_jobs=3, visitor_jobs=2)
    jobs, go, running = Jobs(), threading.Event(), []

    def work(job: Any) -> None:
        running.append(job.title)
        go.wait(60)

    begun = [jobs.run("kind", number, f"ada {number}", work) for number in range(4)]
    monkeypatch.setattr("server.jobs.client", lambda: "ben")
    begun.append(jobs.run("kind", 9, "ben", work))
    wait_until(lambda: "ben" in running and len(running) == 3)
    waits = [job for job in begun if job.stage is not None]
    assert [(job.title.split()[0], "Waiting for other jobs" in job.stage.what) for job in waits] == [("ada", True)] * 2
    waits[0].stop()
    assert waits[0].wait(60)  # who stops while it waits has not begun
    go.set()
    assert all(job.wait(60) for job in begun)
    assert len(running) == 4


def test_no_more_jobs_wait_than_a_page_can_show_and_a_person_alone_waits_for_nobody(shared, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, both = Jobs(), threading.Barrier(20)
    begun = [jobs.run("alone", number, "a", lambda job: both.wait(60)) for number in range(20)]
    assert all(job.wait(60) and job.error is None for job in begun)
    shared(max_jobs=1, visitor_jobs=1)
    go = threading.Event()
    begun = [jobs.run("kind", number, "a", lambda job: go.wait(60)) for number in range(12)]
    with pytest.raises(InputError, match="You have 12 jobs running or waiting"):
        jobs.run("kind", 99, "one too many", lambda job: None)
    assert jobs.run("kind", 3, "a", lambda job: None) is begun[3]  # what is there already is shown
    go.set()
    assert all(job.wait(60) for job in begun)


def test_as_many_train_as_the_server_runs(shared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shared(training=True, max_trainings=2, visitor_trainings=1)
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))

    def begin(who: str, name: str) -> None:
        run = RunFolder(tmp_path / "runs" / name)
        monkeypatch.setattr("server.trainings.client", lambda: who)
        trainings.begin_training(run.path, lambda: run.report_status(Status("running", 0, 10, "", os.getpid())))

    begin("ada", "first")
    with pytest.raises(InputError, match="1 of your trainings are running, the maximum per visitor"):
        begin("ada", "second")
    begin("ben", "third")
    with pytest.raises(InputError, match="2 trainings are running, the maximum on this server"):
        begin("eve", "fourth")
    RunFolder(tmp_path / "runs" / "first").report_status(Status("finished", 10, 10, "", 0))
    begin("ada", "second")


def test_room_for_uploads_is_the_visitors_and_what_others_leave_and_one_beyond_it_is_refused(shared, cache: Path, tmp_path: Path) -> None:
    shared(visitor_uploads_gb=0.002, max_uploads_gb=0.003)
    assert room_for(own_dir() / UPLOADS) == pytest.approx(0.002)
    for who, size in ((BEN, 1_500_000), (ADA, 1_000_000)):
        folder = cache / "visitors" / who / "uploads" / "x"
        folder.mkdir(parents=True)
        (folder / "big.png").write_bytes(b"x" * size)
        assert room_for(own_dir() / UPLOADS) == pytest.approx(0.0015)  # their own are part of what is theirs
    shutil.rmtree(cache)
    shared(visitor_uploads_gb=0.00002)
    picture = (draw_noise(tmp_path, 1, size=64) / "00.png").read_bytes()
    save_uploads([("a.png", picture)], "set 1", own_dir() / UPLOADS, upload_limits())
    with pytest.raises(InputError, match="more space"):
        save_uploads([("a.png", picture + b"\0")], "set 2", own_dir() / UPLOADS, upload_limits())
    assert len(list((own_dir() / UPLOADS).rglob("*.png"))) == 1


def test_the_drafts_written_last_are_kept_and_anothers_is_read_by_its_link_and_not_written(
    shared, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared(visitor_files=5)
    folder = cache / "visitors" / ADA / "drafts"
    for number in range(9):
        write_draft(f"{number}.json", b"[1]")
        os.utime(folder / f"{number}.json", (number, number))
    write_draft("9.json", b"[1]")
    assert sorted(file.stem for file in folder.iterdir()) == ["5", "6", "7", "8", "9"]
    assert is_own_draft("9.json")
    visit(monkeypatch, BEN)
    assert draft_file("9.json").read_bytes() == b"[1]"
    assert [is_own_draft(name) for name in ("9.json", "new.json")] == [False, True]


def test_no_more_notions_and_prompts_than_a_server_keeps_and_embeds(shared, tmp_path: Path) -> None:
    many = [
        drafts.of(Notion("a", tuple(f"a {{}} {i}" for i in range(n)), tuple(f"x{i}" for i in range(m))))
        for n, m in ((1, 5_000), (60, 60), (2_500, 2))
    ]
    assert [len(each.notion.prompts) for each in many] == [5_000, 3_600, 5_000]  # a person alone may
    shared(visitor_files=2, max_prompts=2_000)
    for each, prompts in zip(many, ("5,000", "3,600", "5,000"), strict=True):
        with pytest.raises(InputError, match=rf"makes {prompts} prompts, and this server allows 2,000"):
            each.notion  # noqa: B018
    few = [(1.0, Notion(name, f"{name} {{}}", tuple(map(str, range(1_000))))) for name in "abc"]
    check_notion(Notion("two", "a {}", few[0][1].aspects, joined=tuple(few[1:2])))
    with pytest.raises(InputError, match="makes 3,000 prompts"):  # all that are joined count together
        check_notion(Notion("three", "a {}", few[0][1].aspects, joined=tuple(few[1:])))
    for name in ("a.yaml", "b.yaml"):
        check_count(tmp_path, "notions")
        (tmp_path / name).touch()
    with pytest.raises(InputError, match="You have 2 notions, the maximum on this server"):
        check_count(tmp_path, "notions")


@pytest.fixture(scope="module")
def small_server(begin_once: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A shared server that bears little, and believes what a proxy on this machine says of its clients."""
    file = tmp_path_factory.mktemp("limits") / "server.yaml"
    file.write_text("{shared: true, request_seconds: 2, visitor_sockets: 3, visitor_waiting_mb: 2, max_upload_mb: 4, trusted_proxies: [127.0.0.1]}")
    return begin_once("--settings", str(file))


def _place(server: Any) -> tuple[str, int]:
    return "127.0.0.1", int(server.url.rsplit(":", 1)[1])


def test_half_open_connections_are_closed(small_server: Any) -> None:
    """Those that ask nothing, a part of a request, a second request in part, or a head without an end."""
    parts = [b"", b"GET / HTTP/1.1\r\nHost: loc", b"GET /_stcore/health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /x HT"]
    parts.append(b"GET / HTTP/1.1\r\n" + b"X-A: " + b"a" * 200_000)
    begun = [socket.create_connection(_place(small_server), timeout=60) for _ in range(60)]
    for number, connection in enumerate(begun):
        with contextlib.suppress(OSError):
            connection.sendall(parts[number % 4])
    assert answers(f"{small_server.url}/_stcore/health")
    for connection in begun:
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(65_536):
                pass  # ends when the server closes; a timeout fails the test
        connection.close()


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`connect(closed, name, address)`: a connection without a socket, whose name is added to `closed` when the server closes it."""
    protocol = connections._Protocol
    monkeypatch.setattr(connections, "_waiting", {})
    monkeypatch.setattr(protocol.__mro__[1], "connection_made", lambda self, transport: setattr(self, "transport", transport))

    def connect(closed: list[Any], name: Any, address: str = "") -> Any:
        each, given = object.__new__(protocol), {"peername": (address, 1)} if address else {}
        each.cycle, each.loop = None, SimpleNamespace(call_later=lambda seconds, close: SimpleNamespace(cancel=lambda: None))
        each.connection_made(SimpleNamespace(get_extra_info=given.get, is_closing=lambda: False, abort=lambda: closed.append(name)))
        return each

    return connect


def test_of_many_connections_on_which_nothing_is_asked_the_oldest_is_closed(connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of those that were answered and stay open."""
    base, closed = connections._Protocol.__mro__[1], list[int]()
    monkeypatch.setattr(connections, "_MOST_WAITING", 2)
    monkeypatch.setattr(base, "data_received", lambda self, data: setattr(self, "cycle", SimpleNamespace(response_complete=False)))
    monkeypatch.setattr(base, "on_response_complete", lambda self: setattr(self.cycle, "response_complete", True))
    _, second = connect(closed, 1), connect(closed, 2)
    second.data_received(b"GET / HTTP/1.1")  # which waits no more
    connect(closed, 3)
    assert closed == []
    connect(closed, 4)
    second.on_response_complete()
    assert closed == [1, 3]


def test_whoever_has_most_idle_connections_loses_them_first(connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    closed = list[str]()
    serve(monkeypatch, shared=True, trusted_proxies=["127.0.0.1"])
    monkeypatch.setattr(connections, "_MOST_WAITING", 3)
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.2", "127.0.0.1", "127.0.0.1", "127.0.0.1"):  # the last is that of a trusted proxy
        connect(closed, address, address)
    assert closed == ["10.0.0.2", "10.0.0.1", "10.0.0.2"]


def test_pages_of_one_client_are_so_many(small_server: Any) -> None:
    from websockets.sync.client import connect

    address = small_server.url.replace("http", "ws") + "/_stcore/stream"

    def page_of(client: str) -> Any:
        return connect(address, additional_headers={"X-Forwarded-For": client}, open_timeout=60)

    def opens(client: str) -> bool:
        return small_server.handshake(**{"X-Forwarded-For": client}) != 429

    with contextlib.ExitStack() as pages:
        for _ in range(3):
            pages.enter_context(page_of("10.1.1.1"))
        assert not opens("10.1.1.1")
        assert opens("10.1.1.2")
    wait_until(lambda: opens("10.1.1.1"))


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="only Linux tells what files a process makes")
def test_what_a_shared_server_keeps_only_its_user_reads(small_server: Any) -> None:
    status = Path(f"/proc/{small_server.pid}/status").read_text()
    assert "Umask:\t0077\n" in status


@contextlib.contextmanager
def _session(server: Any, cookie: str, earlier: str = "") -> Iterator[str]:
    """A page that a visitor has open, or comes back to by its id; its id."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.sync.client import connect

    address, options = server.url.replace("http", "ws") + "/_stcore/stream", {"subprotocols": ["streamlit", "x", *filter(None, [earlier])]}
    with connect(address, max_size=None, open_timeout=60, additional_headers={"Cookie": cookie}, **options) as page:
        session, message = "", BackMsg()
        message.rerun_script.query_string = ""
        page.send(message.SerializeToString())
        while not session:
            forward = ForwardMsg()
            forward.ParseFromString(page.recv(timeout=120))
            session = forward.new_session.initialize.session_id
        yield session


def _upload(server: Any, session: str, cookie: str, number: int = 0, method: str = "PUT") -> int:
    """The status that a file, sent straight to its address, is answered with."""
    from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

    xsrf = generate_xsrf_token_string()
    headers = {"Content-Type": "multipart/form-data; boundary=x", "X-Xsrftoken": xsrf, "Cookie": f"_streamlit_xsrf={xsrf}; {cookie}"}
    body = b"--x\r\nContent-Disposition: form-data; name=f; filename=a.png\r\n\r\n" + b"\0" * 900_000 + b"\r\n--x--\r\n"
    asked = http.client.HTTPConnection(*_place(server), timeout=60)
    asked.request(method, f"/_stcore/upload_file/{session}/{uuid.UUID(int=number)}", body, headers)
    status = asked.getresponse().status
    asked.close()
    return status


def _cookie(server: Any, token: str) -> str:
    return f"likeness_visitor_{_place(server)[1]}={token}"


def test_files_that_no_page_takes(small_server: Any) -> None:
    """Sent straight to the address of an upload, for a session of one's own."""
    own = _cookie(small_server, ADA)
    with _session(small_server, own) as session:
        assert [_upload(small_server, session, own, number) for number in range(4)] == [204, 204, 413, 413]


def test_one_persons_server_answers_beside_half_open_connections_and_many_tabs(begin_once: Any) -> None:
    """Of the first there are more than it may have files open."""
    command = [sys.executable, "-m", "likeness", "app", "--no-token", "--port"]
    limited = ["sh", "-c", 'ulimit -Sn 600; exec "$@"', "-", *command]
    server = begin_once(cache="alone", command=lambda port: [*limited, str(port)])
    with contextlib.ExitStack() as held:
        for number in range(700):
            connection = held.enter_context(socket.create_connection(_place(server)))
            head = b"GET /" if number % 2 else b"PUT /_stcore/upload_file/a/b HTTP/1.1\r\nContent-Le"
            connection.sendall(head)
        sessions = {held.enter_context(_session(server, "")) for _ in range(30)}
        assert len(sessions) == 30
        assert answers(f"{server.url}/")
        assert answers(f"{server.url}/thumbnails/cars/1")
        with _session(server, "") as another:
            assert another not in sessions


def test_the_id_of_a_page_opens_it_to_nobody_else(small_server: Any) -> None:
    """Ids stand in addresses of uploads; who has one is no other visitor for it."""
    own, other = _cookie(small_server, ADA), _cookie(small_server, BEN)
    with _session(small_server, own) as session:
        for stranger in (other, ""):
            assert [_upload(small_server, session, stranger, method=method) for method in ("PUT", "DELETE")] == [403, 403]
            with _session(small_server, stranger, session) as found:
                assert found != session
    for stranger in (other, ""):
        with _session(small_server, stranger, session) as found:
            assert found != session
    with _session(small_server, own, session) as found:
        assert found == session
    with _session(small_server, "") as nobody:  # a browser that takes no cookies
        pass
    with _session(small_server, "", nobody) as found:
        assert found != nobody
