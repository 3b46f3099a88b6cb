"""A file of tags with one byte or bit that is another: the same labels, or a sentence, and never others."""

import random
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.tagging import NewColumn, TagStore, tag_file

IMAGES = [f"class {number % 3}/{number:03d}.jpg" for number in range(60)]


BREEDS = [f"breed {row % 9}" if row % 2 else None for row in range(60)]
EDITS: list[Callable[[TagStore], Any]] = [  # of all kinds, some of which lie on pages of their own; the fifth undoes the third
    lambda store: store.add_tag(IMAGES[:20], "good", "ada"),
    lambda store: store.set_value(IMAGES[5:30], "breed", "beagle", "bob"),
    lambda store: store.set_columns(IMAGES, [NewColumn("breed", "attribute", BREEDS)], "ada"),
    lambda store: store.set_note(IMAGES[:3], "blurred, and taken at night", "eve"),
    lambda store: store.undo("ada"),
    lambda store: store.remove_tag(IMAGES[2:4], "good", "bob"),
    lambda store: store.rename("good", "sharp", "ada"),
]


def _replayed(path: Path, left_out: list[int]) -> TagStore:
    """A store of all edits but some."""
    store = TagStore(path)
    for number, edit in enumerate(EDITS, 1):
        if number not in left_out:
            edit(store)
    return store


@pytest.fixture
def store(tmp_path: Path) -> TagStore:
    return _replayed(tmp_path / "photos.sqlite", [])


def _labels(store: TagStore) -> dict[str, Any]:
    log = store.log().astype(str).to_numpy().tolist()
    return {"columns": store.columns(IMAGES).astype(str).to_dict(), "counts": store.counts().to_numpy().tolist(), "log": log}


def _without_checksums(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE checksums")


def _read(path: Path, content: bytes, before: dict[str, Any]) -> bool:
    """Whether a file of this content is read, which then says the same."""
    path.write_bytes(content)
    try:
        found = _labels(TagStore(path))
    except InputError:
        return False
    assert found == before
    return True


def test_a_changed_byte_is_never_another_label(store: TagStore, tmp_path: Path) -> None:
    before, content, draw = _labels(store), store.path.read_bytes(), random.Random(0)
    used = [place for place, byte in enumerate(content) if byte]
    refused = 0
    for number, place in enumerate(draw.sample(used, 400)):
        changed = bytearray(content)
        changed[place] ^= 1 << draw.randrange(8) if number % 2 else draw.randrange(1, 256)
        refused += not _read(tmp_path / f"photos {number}.sqlite", bytes(changed), before)
    assert refused > 300


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE state SET value = value + 1 WHERE image = 7",
        "UPDATE state SET image = image + 100 WHERE image = 3",
        "UPDATE state SET attribute = 3 WHERE attribute = 4 AND image = 15",
        "DELETE FROM state WHERE image = 5",
        "INSERT INTO state SELECT attribute, 60, value, edit FROM state WHERE image = 5 LIMIT 1",
        "UPDATE images SET path = 'class 0/xyz.jpg' WHERE id = 5",
        "UPDATE attributes SET name = 'sHarp', kind = 'attribute' WHERE name = 'sharp'",
        "UPDATE attribute_values SET text = 'breed X' WHERE text = 'breed 1'",
        "UPDATE edits SET who = 'eva' WHERE who = 'eve'",
        "UPDATE changes SET before_value = 9 WHERE edit = 3 AND image = 10",
        "UPDATE checksums SET names = 'x' WHERE edit = 2",
    ],
)
def test_what_no_edit_wrote_is_told_and_nothing_is_built_on_it(store: TagStore, damage: str) -> None:
    content = store.path.read_bytes()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        assert connection.execute(damage).rowcount
    spoilt = store.path.read_bytes()
    for call in (lambda: store.columns(IMAGES), store.version, lambda: store.undo("eve"), lambda: store.add_tag(IMAGES[:1], "new", "ada")):
        with pytest.raises(InputError, match=r"are damaged in (edit \d|the current values); nothing was changed: restore the file"):
            call()
    assert store.path.read_bytes() == spoilt
    store.path.write_bytes(content)
    assert store.add_tag(IMAGES[:1], "new", "ada").images == 1


def test_the_edit_is_named(store: TagStore) -> None:
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE edits SET name = 'bred' WHERE id = 3")
    with pytest.raises(InputError, match="are damaged in edit 3; nothing"):
        store.counts()


def test_a_file_of_an_older_version_is_read_and_has_checksums_from_its_next_edit(store: TagStore) -> None:
    before = _labels(store)
    _without_checksums(store.path)
    assert _labels(TagStore(store.path)) == before
    store.add_tag(IMAGES[:1], "new", "ada")
    with closing(sqlite3.connect(store.path)) as connection, connection:
        assert connection.execute("SELECT COUNT(*) FROM checksums").fetchone() == (store.version(),)
        connection.execute("UPDATE edits SET name = 'bred' WHERE id = 3")
    with pytest.raises(InputError, match="are damaged in edit 3"):
        store.counts()


def test_an_edit_that_changes_nothing_and_names_that_nobody_has_are_sound(store: TagStore) -> None:
    with pytest.raises(InputError, match="has a column"):
        TagStore(store.path, ["color"]).set_value(IMAGES[:1], "color", "red", "ada")
    assert store.set_note(IMAGES[:3], "blurred, and taken at night", "eve").id == 0
    assert store.clear_value(["nowhere.jpg"], "breed", "ada").id == 0
    before = _labels(store)
    store.path.touch()
    assert _labels(TagStore(store.path)) == before
    store.set_value(["another.jpg"], "breed", "newfoundland", "ada")
    store.path.touch()
    assert _labels(TagStore(store.path))["log"][1:] == before["log"]


def test_a_repair_keeps_all_other_edits(store: TagStore, tmp_path: Path) -> None:
    """As if the edits that are left out had never been made, which their authors cannot undo any more either."""
    before = _labels(store)
    for edit, damage, left_out in (
        (2, "UPDATE edits SET name = 'bred' WHERE id = 2", [2]),
        (4, "UPDATE attribute_values SET text = 'blurred' WHERE text LIKE 'blurred%'", [4]),
        (3, "UPDATE changes SET after_value = 2 WHERE edit = 3 AND image = 12", [3, 5]),  # which was undone
        (0, "DELETE FROM state WHERE image = 5", []),
    ):
        copy = TagStore(tmp_path / f"copy {edit}.sqlite")
        store.copy_to(copy.path)
        with closing(sqlite3.connect(copy.path)) as connection, connection:
            assert connection.execute(damage).rowcount
        spoilt = copy.path.read_bytes()
        with pytest.raises(InputError, match=r"drop the damaged edits with `likeness tags repair`"):
            copy.counts()
        assert copy.repair() == left_out
        assert Path(f"{copy.path}.damaged").read_bytes() == spoilt
        log = [row for row in before["log"] if int(row[0]) not in left_out]
        assert [row[:6] for row in copy.log().astype(str).to_numpy().tolist()] == [row[:6] for row in log]
        expected = _replayed(tmp_path / f"again {edit}.sqlite", left_out)
        assert copy.columns(IMAGES).astype(str).equals(expected.columns(IMAGES).astype(str))
        assert copy.add_tag(IMAGES[:1], "new", "ada").images == 1
        copy.path.touch()
        assert copy.undo("ada").name == "new"
        assert copy.repair() == []


def test_what_no_checksum_tells_is_not_repaired(store: TagStore, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There are no tags in"):
        TagStore(tmp_path / "none.sqlite").repair()
    _without_checksums(store.path)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("DELETE FROM state WHERE image = 5")
    with pytest.raises(InputError, match="or move it away to start over"):
        store.repair()


def test_after_a_repair_labels_go_on_and_the_file_as_it_was_is_kept(tmp_path: Path) -> None:
    """New names take numbers that the repair has freed; another process reads them, and nothing is left to repair."""
    store, path = TagStore(tmp_path / "photos.sqlite"), tmp_path / "photos.sqlite"
    store.add_tag(IMAGES[:1], "one", "ada")
    store.add_tag(IMAGES[:2], "two", "ada")
    store.remove_tag(IMAGES[1:2], "one", "bob")
    with closing(sqlite3.connect(path)) as other:  # keeps the log beside the file, as an app that runs does
        other.execute("SELECT 1 FROM edits").fetchone()
        store.add_tag(IMAGES[3:4], "one", "bob")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE attributes SET name = 'twO' WHERE name = 'two'")
        assert store.repair() == [2]
    store.add_tag(IMAGES[:2], "three", "ada")
    tag_file._sound.clear()  # as in another process
    assert store.counts().set_index("name")["images"].to_dict() == {"one": 2, "three": 2}
    assert store.repair() == []
    kept = sorted(file.name for file in tmp_path.glob("*.damaged*") if not file.name.endswith("-wal"))
    assert kept == ["photos.sqlite.damaged"]
    with closing(sqlite3.connect(tmp_path / kept[0])) as connection:
        assert connection.execute("SELECT COUNT(*) FROM edits").fetchone() == (3,)
        assert connection.execute("SELECT name FROM attributes WHERE name LIKE 'two'").fetchone() == ("twO",)


def test_who_checks_a_file_keeps_nobody_from_reading_another_or_what_was_checked(
    store: TagStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = _replayed(tmp_path / "other.sqlite", [])
    first, verify, read = TagStore(tmp_path / "first.sqlite"), tag_file.verify, list[int]()
    store.copy_to(first.path)

    def slowly(connection: sqlite3.Connection) -> None:
        monkeypatch.setattr(tag_file, "verify", verify)
        reading = threading.Thread(target=lambda: read.append(other.version()))
        reading.start()
        reading.join(60)
        assert read == [len(EDITS)]
        verify(connection)

    monkeypatch.setattr(tag_file, "verify", slowly)
    assert first.version() == len(EDITS)


def test_who_checks_a_file_keeps_nobody_from_writing(store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(connection: sqlite3.Connection) -> None:
        with closing(sqlite3.connect(store.path, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        checked.append(True)

    checked = list[bool]()
    monkeypatch.setattr(tag_file, "verify", meanwhile)
    tag_file._sound.clear()
    store.add_tag(IMAGES[:1], "new", "ada")
    assert checked == [True]
