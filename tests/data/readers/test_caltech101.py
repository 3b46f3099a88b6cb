"""The public photos that are fetched by name, from a server of our own that breaks off, is slow, refuses, and sends something else."""

import io
import tarfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import likeness as lk
from fake_hub import FakeHub
from likeness.data.readers import caltech101
from likeness.data.readers.caltech101 import SOURCE, unpack
from likeness.data.readers.web_archive import WebArchive
from likeness.errors import InputError
from likeness.io import downloads, read_image
from small_caltech101 import KINDS, serve_caltech101, use_source, write_archive


@pytest.fixture
def source(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WebArchive:
    """The archive, small and on a server of this machine, in place of the real one."""
    return serve_caltech101(hub, tmp_path, monkeypatch)


def _left(source: WebArchive) -> list[str]:
    return sorted(path.name for path in source.folder.parent.iterdir()) if source.folder.parent.is_dir() else []


def test_by_its_name_it_is_fetched_once_and_read_with_its_kinds(hub: FakeHub, source: WebArchive) -> None:
    table = lk.read("caltech101")
    assert table.name == "Caltech-101"
    assert table.frame["class"].value_counts().to_dict() == {"sunflower": 3, "ant": 2}  # clutter is no kind
    assert all(read_image(path).size == (64, 48) for path in table.paths())
    assert _left(source) == ["caltech101"]  # the archive is not kept beside the images
    requests = len(hub.ranges)
    assert len(lk.read("caltech101")) == 5
    assert len(hub.ranges) == requests


def test_a_connection_that_breaks_off_is_taken_up_where_it_broke(hub: FakeHub, source: WebArchive) -> None:
    hub.break_after = [4000, 3000]
    told: list[tuple[int, int]] = []
    assert source.fetch(lambda done, total, stage="": told.append((done, total)))
    begun = [int(each.removeprefix("bytes=").rstrip("-")) for each in hub.ranges if each]
    assert len(begun) == 2
    assert 0 < begun[0] < begun[1]
    assert told[0] == (0, source.size)
    assert told[-1] == (source.size, source.size)
    assert source.is_here


def test_a_server_that_is_slow_can_be_stopped_and_what_arrived_is_kept(hub: FakeHub, source: WebArchive) -> None:
    stop = threading.Event()
    hub.hold_after = 4000

    def stop_then_send_more() -> None:
        hub.holds.wait(60)
        stop.set()
        hub.go_on.set()

    thread = threading.Thread(target=stop_then_send_more)
    thread.start()
    assert not source.fetch(should_stop=stop.is_set)
    thread.join()
    (part,) = source.folder.parent.glob("*.incomplete")
    kept = part.stat().st_size
    assert 0 < kept < source.size
    assert source.fetch()
    assert f"bytes={kept}-" in hub.ranges


@pytest.mark.parametrize(("status", "said"), [(404, "answered with status 404"), (503, r"failed \(503\)")])
def test_what_the_server_answers_is_one_sentence_with_the_file_to_fetch_by_hand(hub: FakeHub, source: WebArchive, status: int, said: str) -> None:
    hub.statuses["content"] = [status] * 20
    with pytest.raises(InputError, match=rf"^The download of 'caltech101' failed: {hub.address}\S+ {said}") as caught:
        lk.read("caltech101")
    assert f"Or put caltech-101.zip (0.0 MB, CC BY 4.0) from {SOURCE.page} into {source.folder.parent}." in str(caught.value)
    hub.statuses["content"] = []
    assert len(lk.read("caltech101")) == 5


def test_other_content_is_removed_and_not_unpacked(source: WebArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    use_source(replace(source, sha256="0" * 64), monkeypatch)
    with pytest.raises(InputError, match=r"The download of 'caltech-101\.zip' of 'caltech101' has a wrong hash and was deleted; try again"):
        lk.read("caltech101")
    assert _left(source) == []


def test_without_a_network_it_says_which_file_to_put_where_and_takes_it_from_there(
    hub: FakeHub, source: WebArchive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_source(away := replace(source, url="http://127.0.0.1:9/caltech-101.zip"), monkeypatch)
    with pytest.raises(
        InputError, match=r"^'caltech101' is not on this machine, and its server cannot be reached\. Connect .* or put caltech-101\.zip"
    ):
        lk.read("caltech101")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="downloads are disabled"):
        lk.read("caltech101")
    away.archive.parent.mkdir(parents=True, exist_ok=True)
    away.archive.write_bytes(b"another file")
    with pytest.raises(InputError, match=r"is not caltech-101\.zip .* delete it and try again"):
        lk.read("caltech101")
    away.archive.write_bytes((tmp_path / "served" / "caltech-101.zip").read_bytes())
    assert len(lk.read("caltech101")) == 5
    assert not hub.ranges


def test_the_disk_is_asked_first(hub: FakeHub, source: WebArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "_RESERVE", 10**18)
    with pytest.raises(InputError, match=r"'caltech101' needs .* set LIKENESS_CACHE to a folder on another disk"):
        source.fetch()
    assert not hub.ranges


def test_unpacking_that_ends_in_the_middle_is_done_again(source: WebArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(archive: Path, folder: Path) -> None:
        unpack(archive, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(source, unpack=half).fetch()
    assert not source.is_here
    assert _left(source) == ["caltech-101.zip"]
    assert source.fetch()


def test_nothing_is_written_outside_of_the_folder(tmp_path: Path) -> None:
    def hostile(images: tarfile.TarFile) -> None:
        for name in ("../out.jpg", "/tmp/out.jpg", "101_ObjectCategories/../../image_0001.jpg", "101_ObjectCategories/ant/../../../image_0009.jpg"):
            member = tarfile.TarInfo(name)
            member.size = 3
            images.addfile(member, io.BytesIO(b"bad"))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            member = tarfile.TarInfo(f"101_ObjectCategories/ant/image_000{3 + int(kind)}.jpg")
            member.type, member.linkname = kind, "/etc/passwd"
            images.addfile(member)

    folder = tmp_path / "in" / "here"
    folder.mkdir(parents=True)
    unpack(write_archive(tmp_path / "a.zip", hostile), folder)
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir())
    assert written == ["a.zip", *(f"in/here/{kind}/image_{number:04}.jpg" for kind in ("ant", "sunflower") for number in range(1, KINDS[kind] + 1))]


@pytest.mark.parametrize("content", [b"", b"PK no zip", None])
def test_a_damaged_archive_is_refused(tmp_path: Path, content: bytes | None) -> None:
    archive = write_archive(tmp_path / "caltech-101.zip")
    if content is None:  # a whole ZIP file of half a tar file
        with zipfile.ZipFile(archive) as outer:
            inner = outer.read("caltech-101/101_ObjectCategories.tar.gz")
        with zipfile.ZipFile(archive, "w") as outer:
            outer.writestr("caltech-101/101_ObjectCategories.tar.gz", inner[: len(inner) // 2])
    else:
        archive.write_bytes(content)
    with pytest.raises(InputError, match=r"'caltech-101\.zip' is damaged or not Caltech-101"):
        unpack(archive, tmp_path)


def test_more_than_the_real_one_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caltech101, "_MOST_IMAGES", 3)
    with pytest.raises(InputError, match="holds more than Caltech-101 does"):
        unpack(write_archive(tmp_path / "a.zip"), tmp_path)
