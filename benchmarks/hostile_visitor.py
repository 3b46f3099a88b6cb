"""Twenty ordinary visitors of a shared server, without and with one who attacks it in every way at once: how long their actions take.

Visitors speak the app's WebSocket as a browser does; no browser takes a part of the processors. Each searches by text, edits a notion and
fetches pictures, with pauses as people make them. The attacker, at an address of his own, holds connections half open, opens pages and runs them
without a pause, asks for notions of thousands of prompts, floods the pictures' addresses, and sends hostile images and files that no page takes.
`--quick` takes four visitors and ten seconds.
"""

import argparse
import contextlib
import http.client
import io
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Subprotocol

_WORDS = ("red", "blue", "green", "white", "black", "yellow", "gray", "orange", "silver", "purple", "teal", "navy", "maroon", "olive", "lime")
_ATTACKER = "10.66.6.6"
_WAIT = 120.0
_NOTHING = (OSError, WebSocketException, http.client.HTTPException, TimeoutError, EOFError)  # what an attacker is answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    visitors, seconds = (4, 10.0) if asked.quick else (asked.visitors, asked.seconds)
    with tempfile.TemporaryDirectory() as cache, _served(Path(cache)) as (url, server):
        ordinary = [Visitor(url, f"10.1.0.{number + 1}", number) for number in range(visitors)]
        for each in ordinary:
            each.open()
        _act(ordinary, min(10.0, seconds), server)  # all is loaded
        alone = _act(ordinary, seconds, server)
        with Attacker(url) as attacker:
            time.sleep(5)
            beside = _act(ordinary, seconds, server)
            attacked = attacker.tally()
        after = _act(ordinary, min(20.0, seconds), server)
        for each in ordinary:
            each.close()
    print(f"attacks: {attacked}")
    for what in alone.times:
        one, two = (np.median(each.times[what]) for each in (alone, beside))
        worst = [np.percentile(each.times[what], 95) for each in (alone, beside)]
        count = len(alone.times[what]), len(beside.times[what])
        print(
            f"{what}: median {one:.3f} s without him ({count[0]}), {two:.3f} s beside him ({count[1]}), {two / one:.2f} times; "
            f"95th percentile {worst[0]:.3f} and {worst[1]:.3f} s; afterwards {np.median(after.times[what]):.3f} s"
        )
    print(f"failed actions: {alone.failed} without him, {beside.failed} beside him")
    print(f"memory of the server at most: {alone.gigabytes:.2f} GB without him, {beside.gigabytes:.2f} GB beside him")


class Tally:
    """Seconds of actions by kind."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {"search": [], "edit": [], "pictures": []}
        self.failed = 0
        self.gigabytes = 0.0


class Visitor:
    """One page, over a WebSocket."""

    def __init__(self, url: str, address: str, number: int) -> None:
        self._url, self._address, self._draw = url, address, random.Random(number)
        self._host, _, self._port = url.removeprefix("http://").partition(":")
        self.pages: dict[str, str] = {}
        self.widgets: dict[str, str] = {}  # by label
        self.session = ""

    def open(self) -> None:
        """Opens the page and waits until it stands."""
        headers = {"X-Forwarded-For": self._address}
        place = f"{self._url.replace('http', 'ws', 1)}/_stcore/stream"
        self._stack = contextlib.ExitStack()
        link = connect(place, subprotocols=[Subprotocol("streamlit")], additional_headers=headers, max_size=None, open_timeout=_WAIT)
        self._socket = self._stack.enter_context(link)
        self.run("")

    def close(self) -> None:
        self._stack.close()

    def act(self, tally: Tally) -> None:
        """One action of each kind."""
        for what, action in (("search", self._search), ("pictures", self._pictures), ("edit", self._edit)):
            begin = time.perf_counter()
            try:
                action()
            except _NOTHING:
                tally.failed += 1
                return
            tally.times[what].append(time.perf_counter() - begin)

    def _search(self) -> None:
        self.run("", **{"Search by text": f"a {self._draw.choice(_WORDS)} car {self._draw.randrange(10**6)}"})

    def _edit(self) -> None:
        words = [f"{self._draw.choice(_WORDS)} {self._draw.randrange(10**6)}" for _ in range(8)]
        if "One aspect per line" not in self.widgets:
            self.run("notions")
        self.run("notions", **{"One aspect per line": "\n".join(words)})

    def _pictures(self) -> None:
        link = http.client.HTTPConnection(self._host, int(self._port), timeout=_WAIT)
        for _ in range(12):
            link.request("GET", f"/thumbnails/cars/{self._draw.randrange(2000)}", headers={"X-Forwarded-For": self._address})
            answer = link.getresponse()
            answer.read()
            if answer.status != 200:
                raise http.client.HTTPException(answer.status)
        link.close()

    def run(self, page: str, **texts: str) -> None:
        """Asks for a run of a page with texts in its fields, by their labels, and waits for its end."""
        message = BackMsg()
        message.rerun_script.query_string = "layout=PCA"
        message.rerun_script.page_script_hash = self.pages.get(page, "")
        for label, text in texts.items():
            message.rerun_script.widget_states.widgets.append(WidgetState(id=self.widgets[label], string_value=text))
        self.send(message)

    def send(self, message: BackMsg) -> None:
        """Sends what a browser sends, and takes in what comes until the run has ended."""
        self._socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(self._socket.recv(timeout=_WAIT))  # type: ignore[arg-type]
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session = answer.new_session.initialize.session_id or self.session
            elif kind == "navigation":
                self.pages = {each.url_pathname: each.page_script_hash for each in answer.navigation.app_pages}
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                name = answer.delta.new_element.WhichOneof("type")
                if name in ("text_input", "text_area", "file_uploader", "button"):
                    element = getattr(answer.delta.new_element, name)
                    self.widgets[element.label] = element.id
            elif kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def upload(self, files: list[Any]) -> None:
        """On the page Your images: puts files into the field and clicks the button."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages["your_images"]
        field = WidgetState(id=self.widgets["Images, or a ZIP of images"])
        field.file_uploader_state_value.uploaded_file_info.extend(files)
        message.rerun_script.widget_states.widgets.extend([field, WidgetState(id=self.widgets["Embed these images"], trigger_value=True)])
        self.send(message)


class Attacker:
    """All that one client can do, at once, until the block ends."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._host, _, self._port = url.removeprefix("http://").partition(":")
        self._over = threading.Event()
        self._done: dict[str, int] = {}
        self._images = [progressive(2000, 2000, 256), sixteen_bit(10_000, 4_000)]

    def __enter__(self) -> "Attacker":
        attacks: list[tuple[int, str, Callable[[], None]]] = [
            (3, "connections held half open", self._hold),
            (9, "pages opened and run without a pause", self._run_pages),
            (20, "pictures asked for", self._flood),
            (3, "files that no page takes", self._send_files),
            (4, "hostile images", self._send_images),
        ]
        self._threads = [
            threading.Thread(target=self._go_on, args=(name, attack), daemon=True) for count, name, attack in attacks for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(_WAIT)

    def tally(self) -> str:
        """What was done so far."""
        return ", ".join(f"{count:,} {name}" for name, count in sorted(self._done.items()))

    def _go_on(self, name: str, attack: Callable[[], None]) -> None:
        while not self._over.is_set():
            try:
                attack()
            except _NOTHING:
                time.sleep(0.02)
            except Exception as error:  # an attack that breaks is none
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                time.sleep(1)

    def _count(self, name: str, number: int = 1) -> None:
        self._done[name] = self._done.get(name, 0) + number

    def _hold(self) -> None:
        held = []
        try:
            for _ in range(100):
                held.append(socket.create_connection((self._host, int(self._port)), timeout=10))
                held[-1].sendall(b"GET / HTTP/1.1\r\nHost: loc")
                self._count("connections held half open")
            self._over.wait(5)
        finally:
            for each in held:
                each.close()

    def _run_pages(self) -> None:
        page = Visitor(self._url, _ATTACKER, random.randrange(10**6))
        page.open()
        try:
            page.run("notions")
            while not self._over.is_set():
                count = random.choice((5_000, 900, 400))
                page.run("notions", **{"One aspect per line": "\n".join(f"thing {random.randrange(10**9)}" for _ in range(count))})
                self._count("pages run with notions of 400, 900 or 5,000 aspects")
        finally:
            page.close()

    def _flood(self) -> None:
        link = http.client.HTTPConnection(self._host, int(self._port), timeout=10)
        for _ in range(200):
            kind = random.choice(("thumbnails", "info", "labelled"))
            link.request("GET", f"/{kind}/cars/{random.randrange(10**6)}", headers={"X-Forwarded-For": _ATTACKER})
            link.getresponse().read()
            self._count("pictures asked for")
            if self._over.is_set():
                break
        link.close()

    def _put(self, session: str, content: bytes) -> Any:
        """Sends a file as a page does; what a page then says of it."""
        id, xsrf = str(uuid4()), generate_xsrf_token_string()
        place = f"/_stcore/upload_file/{session}/{id}"
        body = b"--x\r\nContent-Disposition: form-data; name=f; filename=a.jpg\r\n\r\n" + content + b"\r\n--x--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=x", "X-Xsrftoken": xsrf, "Cookie": f"_streamlit_xsrf={xsrf}"}
        link = http.client.HTTPConnection(self._host, int(self._port), timeout=30)
        link.request("PUT", place, body, headers | {"X-Forwarded-For": _ATTACKER})
        link.getresponse().read()
        link.close()
        urls = FileURLs(file_id=id, upload_url=place, delete_url=place)
        return UploadedFileInfo(name="a.jpg", size=len(content), file_id=id, file_urls=urls)

    def _send_files(self) -> None:
        page = Visitor(self._url, _ATTACKER, random.randrange(10**6))
        page.open()
        try:
            while not self._over.is_set():
                self._put(page.session, bytes(20_000_000))
                self._count("files of 20 MB that no page takes")
        finally:
            page.close()

    def _send_images(self) -> None:
        """As the page does it: the files, the field's value, and a click on the button."""
        page = Visitor(self._url, _ATTACKER, random.randrange(10**6))
        page.open()
        try:
            page.run("your_images")
            while not self._over.is_set():
                page.upload([self._put(page.session, content) for content in self._images])
                self._count("hostile images", len(self._images))
        finally:
            page.close()


def progressive(width: int, height: int, scans: int) -> bytes:
    """A gray progressive JPEG of so many scans, each of which goes through every coefficient."""

    def segment(marker: int, body: bytes) -> bytes:
        return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body

    def scan(first: int, last: int, bits: int, data: bytes) -> bytes:
        return segment(0xDA, bytes([1, 1, 0, first, last, bits])) + data.replace(b"\xff", b"\xff\0")

    blocks = -(-width // 8) * -(-height // 8)
    runs = ("0" + "1" * 14) * -(-blocks // (2**15 - 1))
    runs += "1" * (-len(runs) % 8)
    zeros = int(runs, 2).to_bytes(len(runs) // 8, "big")
    one_code = bytes([1, *[0] * 15])
    head = segment(0xC2, struct.pack(">BHHB", 8, height, width, 1) + bytes([1, 0x11, 0]))
    tables = segment(0xC4, b"\x00" + one_code + b"\x00") + segment(0xC4, b"\x10" + one_code + b"\xe0")
    first = scan(0, 0, 0, bytes(-(-blocks // 8))) + scan(1, 63, 1, zeros)
    return b"\xff\xd8" + segment(0xDB, b"\0" + bytes([1] * 64)) + head + tables + first + scan(1, 63, 0x10, zeros) * (scans - 2) + b"\xff\xd9"


def sixteen_bit(width: int, height: int) -> bytes:
    """A small PNG of many 16-bit pixels, all zero."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packed, out = zlib.compressobj(9), io.BytesIO()
    for _ in range(height):
        out.write(packed.compress(bytes(1 + 2 * width)))
    out.write(packed.flush())
    head = struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", out.getvalue()) + chunk(b"IEND", b"")


def _act(visitors: list[Visitor], seconds: float, server: psutil.Process) -> Tally:
    """Each acts, pauses for some seconds, and acts again."""
    tally, end = Tally(), time.monotonic() + seconds

    def live(number: int, visitor: Visitor) -> None:
        draw = random.Random(number)
        time.sleep(draw.uniform(0, min(4.0, seconds / 3)))
        while time.monotonic() < end:
            visitor.act(tally)
            time.sleep(draw.uniform(2, 6))

    threads = [threading.Thread(target=live, args=each) for each in enumerate(visitors)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        tally.gigabytes = max(tally.gigabytes, _memory(server))
        time.sleep(0.2)
    return tally


def _memory(server: psutil.Process) -> float:
    total = 0
    for each in [server, *server.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            total += each.memory_info().rss
    return total / 1e9


@contextlib.contextmanager
def _served(cache: Path) -> Iterator[tuple[str, psutil.Process]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "LIKENESS_CACHE": str(cache), "LIKENESS_RUNS": str(cache / "runs")}
    arguments = [sys.executable, "-m", "likeness", "app", "--shared", "--port", str(port)]
    server = subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url, end = f"http://127.0.0.1:{port}", time.monotonic() + 60
    try:
        while True:
            try:
                with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                    break
            except OSError:
                if time.monotonic() > end:
                    raise TimeoutError("the app did not answer") from None
                time.sleep(0.2)
        yield url, psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait(60)


if __name__ == "__main__":
    main()
