"""The file itself: many at once, and what is said where it cannot be used. Nothing is lost by any of it."""

import multiprocessing
import os
import resource
import signal
import sqlite3
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.tagging import TagStore
from likeness.tagging.tag_file import APPLICATION_ID


@pytest.fixture
def store(tmp_path: Path) -> TagStore:
    store = TagStore(tmp_path / "tags" / "photos.sqlite", wait_seconds=0.2)
    store.add_tag(["a", "b"], "good", "ada")
    return store


def test_a_call_leaves_one_plain_file_that_sqlite_finds_sound(store: TagStore) -> None:
    assert [file.name for file in store.path.parent.iterdir()] == ["photos.sqlite"]
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_threads_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    def label(number: int) -> int:
        return TagStore(tmp_path / "new" / "t.sqlite").add_tag(["a", f"{number}"], f"tag {number}", f"person {number % 3}").id

    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(label, range(40)))
    found = TagStore(tmp_path / "new" / "t.sqlite")
    assert sorted(numbers) == list(range(1, 41))
    assert found.columns(["a"]).iloc[0].sum() == 40
    assert found.version() == 40


def _label(path: Path, number: int) -> None:
    for each in range(5):
        TagStore(path).set_value([f"{number}"], f"attribute {each}", f"{number}", f"person {number}")


def test_processes_that_begin_together_make_one_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_label, args=(tmp_path / "t.sqlite", number)) for number in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 6
    frame = TagStore(tmp_path / "t.sqlite").columns([str(number) for number in range(6)])
    assert frame.astype(str).to_numpy().tolist() == [[str(number)] * 5 for number in range(6)]


def test_reading_goes_on_while_somebody_writes_and_another_writer_is_answered(store: TagStore) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM state")
        assert store.columns(["a"])["good"].tolist() == [True]
        with pytest.raises(InputError, match="are locked by another program; nothing was changed: try again"):
            store.add_tag(["c"], "good", "ada")
        other.execute("ROLLBACK")
    assert store.add_tag(["c"], "good", "ada").id == 2


def test_an_error_in_the_middle_of_an_edit_leaves_nothing_of_it(store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("likeness.tagging.edits._apply", fail)
        with pytest.raises(KeyboardInterrupt):
            store.add_tag(["z"], "new", "ada")
    assert (store.version(), store.kind_of("new"), store.labeled_paths()) == (1, None, ["a", "b"])


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_file_that_is_none_is_refused_and_stays(store: TagStore, content: bytes) -> None:
    store.path.write_bytes(content)
    for call in (store.version, store.counts, lambda: store.add_tag(["a"], "good", "ada"), lambda: store.undo("ada")):
        with pytest.raises(InputError, match=r"another program; move it away|are damaged; nothing was changed"):
            call()
    assert store.path.read_bytes() == content


def test_other_programs_databases_and_newer_ones_are_refused(tmp_path: Path) -> None:
    for name, setting, message in (
        ("other", "user_version = 1", "is not a tag file but belongs to another program"),
        ("newer", "user_version = 99", "written by a newer Likeness"),
    ):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.execute("CREATE TABLE edits (id)")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID if name == 'newer' else 7}")
            connection.execute(f"PRAGMA {setting}")
        before = (tmp_path / name).read_bytes()
        with pytest.raises(InputError, match=message):
            TagStore(tmp_path / name).add_tag(["a"], "good", "ada")
        assert (tmp_path / name).read_bytes() == before


def test_values_that_nobody_wrote_are_damage(store: TagStore) -> None:
    for damage in (
        "UPDATE state SET value = 99",
        "UPDATE state SET value = -1",
        "UPDATE state SET image = 9999999 WHERE image = 1",
        "UPDATE attributes SET kind = 'x'",
    ):
        store.set_value(["a"], "breed", "beagle", "ada")
        copy = store.path.with_name("copy")
        copy.unlink(missing_ok=True)
        store.copy_to(copy)
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute(damage)
        with pytest.raises(InputError, match="are damaged"):
            TagStore(copy).columns(["a"])


def test_a_full_disk_changes_nothing(store: TagStore) -> None:
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        with pytest.raises(InputError, match=r"cannot be (read or )?written.*nothing was changed"):
            store.add_tag([f"image {number}" for number in range(20_000)], "all", "ada")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (store.version(), store.kind_of("all")) == (1, None)
    assert store.add_tag(["c"], "all", "ada").id == 2


def test_a_file_of_the_largest_size_takes_no_more(store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    size = store.path.stat().st_size
    monkeypatch.setattr("likeness.tagging.tag_file._MAX_PAGES", size // 4096 + 1)
    monkeypatch.setattr("likeness.tagging.tag_file.MOST_BYTES", size)
    with pytest.raises(InputError, match="with the log of all edits, which is the limit; nothing was changed"):
        store.add_tag([f"image {number}" for number in range(2_000)], "all", "ada")
    assert (store.version(), store.labeled_paths()) == (1, ["a", "b"])


def _in_a_folder_without_rights(path: Path, answers: "multiprocessing.connection.Connection") -> None:
    if os.geteuid() == 0:
        os.setegid(65534)
        os.seteuid(65534)
    found: list[object] = [TagStore(path).columns(["a"])["good"].tolist()]
    for place in (path, path.with_name("new.sqlite")):
        try:
            TagStore(place).add_tag(["c"], "good", "ada")
        except InputError as error:
            found.append(str(error))
    answers.send(found)


def test_in_a_read_only_folder_tags_are_read_and_an_edit_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:  # not below pytest's own, which only this user may enter
        store = TagStore(Path(folder) / "photos.sqlite")
        store.add_tag(["a"], "good", "ada")
        store.path.chmod(0o444)
        store.path.parent.chmod(0o555)
        ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=_in_a_folder_without_rights, args=(store.path, theirs))
        process.start()
        theirs.close()
        good, existing, new = ours.recv()
        process.join()
        store.path.parent.chmod(0o755)
    assert good == [True]
    assert "the file or its folder is read-only; nothing was changed: change permissions" in existing
    assert "cannot be read or written (permission denied)" in new


def test_a_copy_is_whole_while_others_write(store: TagStore, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("SELECT COUNT(*) FROM edits").fetchone()  # holds the file open, so that the newest edit lies beside it
        store.add_tag(["c"], "good", "ada")
        store.copy_to(tmp_path / "tags" / "copy.sqlite")
    assert TagStore(tmp_path / "tags" / "copy.sqlite").labeled_paths() == ["a", "b", "c"]
    assert sorted(file.name for file in store.path.parent.iterdir()) == ["copy.sqlite", "photos.sqlite"]
    with pytest.raises(InputError, match="exists already"):
        store.copy_to(tmp_path / "tags" / "copy.sqlite")
    with pytest.raises(InputError, match="no tags in"):
        TagStore(tmp_path / "none").copy_to(tmp_path / "more")
