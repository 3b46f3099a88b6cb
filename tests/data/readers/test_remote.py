"""Images behind URLs: listed, fetched, told apart."""

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock
from uuid import uuid4

import fsspec
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data import ImageTable
from likeness.data.readers.remote import fetch, is_url, read_remote_folder, remote_states
from likeness.data.readers.tabular import read_table
from likeness.encoders import embed_images, load_encoder
from likeness.errors import InputError
from likeness.io import confine


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(handler: type[Quiet], folder: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a web server on this machine, and the folder that it shows."""
    folder = tmp_path / "www"
    folder.mkdir()
    with serving(Quiet, folder) as address:
        yield address, folder


@pytest.fixture
def bucket() -> str:
    place = f"memory://bucket-{uuid4().hex}"
    for name in ["10.png", "2.png", "cats/a[1].jpg", "dogs/b.jpg", "dogs/.hidden.jpg", ".git/c.png", "notes.txt"]:
        fsspec.filesystem("memory").pipe(f"{place}/{name}", name.encode())
    return place


@pytest.mark.parametrize(
    ("text", "expected"),
    [("s3://a/b.png", True), ("HTTPS://x", True), ("abfss://c@d/e", True), ("C:\\a", False), ("c://a", False), ("a/b://c", False), ("/s3:/a", False)],
)
def test_what_is_a_url(text: str, expected: bool) -> None:
    assert is_url(text) is expected


def test_a_folder_behind_a_url_is_listed_like_one_here(bucket: str) -> None:
    table = read_remote_folder(bucket)
    names = [path.removeprefix(f"memory:///{bucket.removeprefix('memory://')}/") for path in table.frame["path"]]
    assert names == ["2.png", "10.png", "cats/a[1].jpg", "dogs/b.jpg"]
    assert table.frame["class"].tolist() == ["(none)", "(none)", "cats", "dogs"]
    assert fetch(table.frame["path"].tolist()) == [name.encode() for name in names]


def test_what_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for url, message in (
        ("memory://nothing-here", "There are no images below 'memory://nothing-here'"),
        ("nowhere://x", r"'nowhere://x' cannot be reached \(Protocol not known: nowhere\)"),
        ("http://127.0.0.1:1/x", r"'http://127.0.0.1:1/x'"),
    ):
        with pytest.raises(InputError, match=message):
            read_remote_folder(url)
    monkeypatch.setattr(fsspec.core, "url_to_fs", Mock(side_effect=ImportError("Install s3fs to access S3")))
    with pytest.raises(InputError, match="needs the package for 's3://', which is not installed; install it with `pip install s3fs`"):
        read_remote_folder("s3://bucket/photos")


def test_states_change_with_the_object(bucket: str) -> None:
    url = f"{bucket}/2.png"
    first, again, missing = remote_states([url, url, f"{bucket}/none.png"])
    assert first == again
    assert isinstance(missing, FileNotFoundError)
    fsspec.filesystem("memory").pipe(url, b"other")
    assert remote_states([url]) != [first]


def test_images_of_a_web_server_listed_in_a_table(served: tuple[str, Path], tmp_path: Path) -> None:
    address, folder = served
    for i in range(3):
        Image.new("RGB", (8, 8), (i * 80, 10, 200)).save(folder / f"{i}.png")
    lines = [f"{address}/{name}.png?size=1,{name}" for name in ("0", "2", "none")]
    (tmp_path / "list.csv").write_text("\n".join(["path,shade", *lines]))
    encoder = load_encoder("cars-small")
    table = read_table(tmp_path / "list.csv", remote=True)
    result = embed_images(table, encoder, remote=True)
    assert result.rows.tolist() == [0, 1]
    assert [failure.reason for failure in result.failed] == ["there is no such file"]
    own = embed_images(ImageTable("own", folder, pd.DataFrame({"path": ["0.png", "2.png"]})), encoder)
    np.testing.assert_allclose(result.vectors, own.vectors, atol=1e-6)
    assert embed_images(table, encoder, remote=True).n_encoded == 0
    with pytest.raises(InputError, match=r"None of the 3 images that 'list.csv' lists exists"):
        read_table(tmp_path / "list.csv")


def test_errors_of_a_server_are_errors_of_that_image_alone(served: tuple[str, Path]) -> None:
    address, folder = served
    (folder / "a.png").write_bytes(b"a")
    found = fetch([f"{address}/a.png", f"{address}/none.png", "http://127.0.0.1:1/x.png"])
    assert found[0] == b"a"
    assert isinstance(found[1], FileNotFoundError)
    assert isinstance(found[2], OSError)


class Counts(Quiet):
    """A server that knows who has asked it."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    do_HEAD = do_GET  # noqa: N815


def test_a_confined_process_asks_no_server(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    with serving(Counts, tmp_path) as address:
        assert isinstance(fetch([f"{address}/a.png"])[0], bytes)
        assert Counts.asked
        Counts.asked.clear()
        confine([tmp_path])
        for read in (lambda: fetch([f"{address}/a.png"]), lambda: remote_states([f"{address}/a.png"]), lambda: read_remote_folder(f"{address}/")):
            with pytest.raises(InputError, match="cannot be read here: URLs are disabled"):
                read()
        assert not Counts.asked
