"""A hub on this machine, which serves folders as repositories, as Hugging Face's does, and fails in the ways that a test asks for."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

_LARGE = 1000  # bytes from which on a file is stored as large files are, named by its SHA-256
_CHUNK = 256


class FakeHub:
    """The repositories, the faults and the requests.

    Attributes:
        repositories: "ORG/NAME", or "datasets/ORG/NAME" -> folder.
        statuses: what the next requests for content are answered with, instead of it; "api" for the listing of a repository.
        headers: that come with such an answer.
        break_after: bytes after which the next answers end that are longer, one for each.
        hold_after: bytes after which an answer waits for `go_on`.
        announced: a file's name -> the hash that is told of it in place of its own.
        ranges: the "Range" of each request for content.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Path] = {}
        self.statuses: dict[str, list[int]] = {"api": [], "content": []}
        self.headers: dict[str, str] = {}
        self.break_after: list[int] = []
        self.hold_after: int | None = None
        self.holds, self.go_on = threading.Event(), threading.Event()
        self.announced: dict[str, str] = {}
        self.ranges: list[str] = []
        self.ignores_ranges = False
        self.address = ""

    def commit(self, repository: str) -> str:
        """Of the one revision that a repository has."""
        return hashlib.sha1(repository.encode()).hexdigest()

    def hashed(self, file: Path) -> tuple[str, bool]:
        """The hash of a file, and whether it counts as large."""
        content = file.read_bytes()
        large = len(content) >= _LARGE
        own = hashlib.sha256(content).hexdigest() if large else hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        return self.announced.get(file.name, own), large

    def listing(self, repository: str, as_tree: bool = False) -> Any:
        """What the hub tells of a repository, or only of its files."""
        siblings = []
        for file in sorted(self.repositories[repository].iterdir()):
            hashed, large = self.hashed(file)
            size = file.stat().st_size
            lfs = {"lfs": {"sha256": hashed, "oid": hashed, "size": size, "pointerSize": 130}} if large else {}
            siblings.append({"rfilename": file.name, "size": size, "blobId": "0" * 40 if large else hashed} | lfs)
        if as_tree:
            return [{"type": "file", "path": each["rfilename"], "oid": each["blobId"]} | each for each in siblings]
        return {"id": repository, "modelId": repository, "sha": self.commit(repository), "siblings": siblings, "tags": [], "private": False}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(with_content=False)

    def do_GET(self) -> None:
        self._answer(with_content=True)

    def _answer(self, with_content: bool) -> None:
        path = self.path.partition("?")[0].strip("/")
        if not path:
            self._send(200, b"", with_content)
        elif path.startswith("api/models/"):
            self._listing("/".join(path.split("/")[2:4]), with_content)
        elif path.startswith("api/datasets/"):
            self._listing("/".join(path.split("/")[1:4]), with_content, "/tree/" in path)
        else:
            repository, _, rest = path.partition("/resolve/")
            self._content(repository, rest.partition("/")[2], with_content)

    def _listing(self, repository: str, with_content: bool, as_tree: bool = False) -> None:
        if self._fault("api", with_content):
            return
        if repository not in self.hub.repositories:
            self._send(404, b'{"error": "Repository not found"}', with_content, {"X-Error-Code": "RepoNotFound"})
        else:
            self._send(200, json.dumps(self.hub.listing(repository, as_tree)).encode(), with_content, {"Content-Type": "application/json"})

    def _content(self, repository: str, name: str, with_content: bool) -> None:
        if with_content and self._fault("content", with_content):
            return
        file = self.hub.repositories.get(repository, Path()) / name
        if repository not in self.hub.repositories or not file.is_file():
            self._send(404, b"", with_content, {"X-Error-Code": "EntryNotFound"})
            return
        hashed, large = self.hub.hashed(file)
        headers = {"X-Repo-Commit": self.hub.commit(repository), "ETag": f'"{hashed}"'}
        content = file.read_bytes()
        if large:
            headers |= {"X-Linked-Etag": f'"{hashed}"', "X-Linked-Size": str(len(content))}
        wanted = self.headers.get("Range", "")
        if with_content:
            self.hub.ranges.append(wanted)
        begin = int(wanted.removeprefix("bytes=").rstrip("-") or 0) if not self.hub.ignores_ranges else 0
        if begin:
            headers["Content-Range"] = f"bytes {begin}-{len(content) - 1}/{len(content)}"
        self._send(206 if begin else 200, content[begin:], with_content, headers)

    def _fault(self, what: str, with_content: bool) -> bool:
        if not self.hub.statuses[what]:
            return False
        self._send(self.hub.statuses[what].pop(0), b'{"error": "no"}', with_content, self.hub.headers)
        return True

    def _send(self, status: int, content: bytes, with_content: bool, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for key, value in ({"Content-Length": str(len(content))} | (headers or {})).items():
            self.send_header(key, value)
        self.end_headers()
        if with_content:
            self._stream(content, "ETag" in (headers or {}))

    def _stream(self, content: bytes, may_fail: bool) -> None:
        breaks = self.hub.break_after
        end = breaks.pop(0) if may_fail and breaks and len(content) > breaks[0] else None
        for start in range(0, len(content), _CHUNK):
            if end is not None and start >= end:
                self.close_connection = True
                return
            if may_fail and self.hub.hold_after is not None and start >= self.hub.hold_after:
                self.hub.holds.set()
                self.hub.go_on.wait(60)
            self.wfile.write(content[start : start + _CHUNK])
            self.wfile.flush()


@contextmanager
def serve_hub() -> Iterator[FakeHub]:
    """The hub, listening on a port of 127.0.0.1."""
    hub = FakeHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # of those who hang up
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        hub.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()


def use_hub(monkeypatch: pytest.MonkeyPatch, address: str, cache: Path) -> None:
    """Makes a hub, and an empty cache of its files, those of this process."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # as it was set when the library was imported, perhaps by a test without a network
