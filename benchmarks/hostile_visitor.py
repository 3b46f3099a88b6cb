"""Twenty ordinary visitors of a shared server, without and with one who attacks it in every way at once: how long their actions take.

Visitors speak the app's WebSocket as a browser does; no browser takes a part of the processors. Each searches by text, fetches pictures and
edits a notion, with the pauses of people who look at what they get. The attacker, at an address of its own, holds connections half open, opens
pages and runs them without a pause, asks for notions of thousands of prompts, floods the pictures' addresses, and sends hostile images and
files that no page takes. `--quick` takes four visitors and ten seconds.
"""

import argparse
import contextlib
import hashlib
import http.client
import os
import random
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import psutil
from streamlit.proto.Common_pb2 import FileURLs, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import WebSocketException

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "fuzz"))

from measuring.served import APP, served, wait_for
from websocket_session import Session

from hostile_images import progressive_jpeg, zeros_png

_WORDS = ("red", "blue", "green", "white", "black", "yellow", "gray", "orange", "silver", "purple", "teal", "navy", "maroon", "olive", "lime")
_ATTACKER = "10.66.6.6"
_WAIT = 120.0
_PAUSE = 3.0, 9.0  # seconds from what is shown to the next click
_NOTHING = (OSError, WebSocketException, http.client.HTTPException, TimeoutError, EOFError)  # what an attacker is answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    visitors, seconds = (4, 10.0) if asked.quick else (asked.visitors, asked.seconds)
    with tempfile.TemporaryDirectory() as cache, served([*APP, "--shared", "--trusted-proxy", "127.0.0.1", "--port"], cache) as (url, process):
        wait_for(url)
        server = psutil.Process(process.pid)
        ordinary = [Visitor(url, f"10.1.0.{number + 1}", number) for number in range(visitors)]
        for each in ordinary:
            each.open()
        _act(ordinary, min(10.0, seconds), server)  # all is loaded
        alone = _act(ordinary, seconds, server)
        over, tallies = get_context("spawn").Event(), get_context("spawn").SimpleQueue()
        attacker = get_context("spawn").Process(target=_attack, args=(url, over, tallies))  # a process of its own, as on another machine
        attacker.start()
        time.sleep(5)
        beside = _act(ordinary, seconds, server)
        over.set()
        attacked = tallies.get()
        attacker.join(_WAIT)
        alone.add(_act(ordinary, seconds, server))  # as much after it as before, so that what changes with time counts for neither
        for each in ordinary:
            each.close()
    print(f"attacks: {attacked}")
    for what in alone.times:
        one, two = (np.median(each.times[what]) for each in (alone, beside))
        worst = [np.percentile(each.times[what], 95) for each in (alone, beside)]
        mean = [np.mean(each.times[what]) for each in (alone, beside)]
        count = len(alone.times[what]), len(beside.times[what])
        print(
            f"{what}: median {one:.3f} s without the attacker ({count[0]}), {two:.3f} s beside it ({count[1]}), {two / one:.2f} times; "
            f"mean {mean[0]:.3f} and {mean[1]:.3f} s, {mean[1] / mean[0]:.2f} times; 95th percentile {worst[0]:.3f} and {worst[1]:.3f} s"
        )
    print(f"failed actions: {alone.failed} without the attacker, {beside.failed} beside it")
    print(f"memory of the server at most: {alone.gigabytes:.2f} GB without the attacker, {beside.gigabytes:.2f} GB beside it")


class Tally:
    """Seconds of actions by kind."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {"search": [], "edit": [], "pictures": []}
        self.failed = 0
        self.gigabytes = 0.0

    def add(self, other: "Tally") -> None:
        """Adds what was counted at another time."""
        for what, times in other.times.items():
            self.times[what] += times
        self.failed += other.failed
        self.gigabytes = max(self.gigabytes, other.gigabytes)


class Visitor(Session):
    """One page of someone at their own address."""

    def __init__(self, url: str, address: str, number: int) -> None:
        super().__init__(url, {"X-Forwarded-For": address, "Cookie": _cookie(url, address)})
        self._address_of_his, self._draw = address, random.Random(number)
        self._host, _, self._port = url.removeprefix("http://").partition(":")

    def open(self) -> None:
        """Opens the page and waits until it stands."""
        self.__enter__()
        self.run("")

    def close(self) -> None:
        """Closes it."""
        self.__exit__(None, None, None)

    def act(self, tally: Tally, pause: Callable[[], None]) -> None:
        """One action of each kind; what a search or an edit shows is looked at for a while."""
        for what, action in (("search", self._search), ("pictures", self._pictures), ("edit", self._edit)):
            begin = time.perf_counter()
            try:
                action()
            except _NOTHING as error:
                print(f"{what} failed: {type(error).__name__}: {error}", file=sys.stderr)
                tally.failed += 1
                return
            tally.times[what].append(time.perf_counter() - begin)
            if what != "search":
                pause()

    def _search(self) -> None:
        self.run("", **{"Search by text": f"a {self._draw.choice(_WORDS)} car {self._draw.randrange(10**6)}"})

    def _edit(self) -> None:
        words = [f"{self._draw.choice(_WORDS)} {self._draw.randrange(10**6)}" for _ in range(8)]
        if "Aspects, one per line" not in self.labels:
            self.run("notions")
        self.run("notions", **{"Aspects, one per line": "\n".join(words)})

    def _pictures(self) -> None:
        link = http.client.HTTPConnection(self._host, int(self._port), timeout=_WAIT)
        for _ in range(12):
            link.request("GET", f"/thumbnails/cars/{self._draw.randrange(2000)}", headers={"X-Forwarded-For": self._address_of_his})
            answer = link.getresponse()
            answer.read()
            if answer.status != 200:
                raise http.client.HTTPException(answer.status)
        link.close()

    def run(self, page: str, *values: WidgetState, **texts: str) -> None:
        """Asks for a run of a page with texts in its fields, by their labels, and waits for its end."""
        typed = [WidgetState(id=self.labels[label], string_value=text) for label, text in texts.items()]
        states = WidgetStates(widgets=[*typed, *values])
        self.rerun(query_string="layout=PCA", page_script_hash=self.pages.get(page, ""), widget_states=states)

    def upload(self, files: list[Any]) -> None:
        """On the page Images: puts files into the field and clicks the button."""
        field = WidgetState(id=self.labels["Images, or a ZIP of images"])
        field.file_uploader_state_value.uploaded_file_info.extend(files)
        self.run("images", field, WidgetState(id=self.labels["Add these images"], trigger_value=True))


def _attack(url: str, over: Any, tallies: Any) -> None:
    """A process that attacks until it is over. It comes last for the processors, since they are the server's."""
    os.nice(19)
    with Attacker(url) as attacker:
        over.wait()
        tallies.put(attacker.tally())


class Attacker:
    """All that one client can do, at once, until the block ends."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._host, _, self._port = url.removeprefix("http://").partition(":")
        self._over = threading.Event()
        self._done: dict[str, int] = {}
        self._images = [progressive_jpeg(2000, 2000, 256), zeros_png(6_400)]

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
        for thread in reversed(self._threads):  # the images first: while a client's pages wait for others, its files do as well
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
                page.run("notions", **{"Aspects, one per line": "\n".join(f"thing {random.randrange(10**9)}" for _ in range(count))})
                self._count("pages run with notions of 400, 900 or 5,000 aspects")
        finally:
            page.close()

    def _flood(self) -> None:
        link = http.client.HTTPConnection(self._host, int(self._port), timeout=10)
        for _ in range(200):
            kind = random.choice(("thumbnails", "info", "labeled"))
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
        headers = {
            "Content-Type": "multipart/form-data; boundary=x",
            "X-Xsrftoken": xsrf,
            "Cookie": f"_streamlit_xsrf={xsrf}; {_cookie(self._url, _ATTACKER)}",
        }
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
                self._put(page.id, bytes(20_000_000))
                self._count("files of 20 MB that no page takes")
        finally:
            page.close()

    def _send_images(self) -> None:
        """As the page does it: the files, the field's value, and a click on the button."""
        page = Visitor(self._url, _ATTACKER, random.randrange(10**6))
        page.open()
        try:
            page.run("images")
            while not self._over.is_set():
                page.upload([self._put(page.id, content) for content in self._images])
                self._count("hostile images", len(self._images))
        finally:
            page.close()


def _cookie(url: str, address: str) -> str:
    """By which the server knows a browser again."""
    return f"likeness_visitor_{url.rpartition(':')[2]}={hashlib.md5(address.encode()).hexdigest()}"


def _act(visitors: list[Visitor], seconds: float, server: psutil.Process) -> Tally:
    """Each searches and edits, with pauses of some seconds, again and again."""
    tally, end = Tally(), time.monotonic() + seconds

    def live(number: int, visitor: Visitor) -> None:
        draw = random.Random(number)
        time.sleep(draw.uniform(0, min(4.0, seconds / 3)))
        while time.monotonic() < end:
            visitor.act(tally, lambda: time.sleep(draw.uniform(*_PAUSE)))

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


if __name__ == "__main__":
    main()
