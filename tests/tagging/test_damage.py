"""A file of tags with one byte or bit that is another: the same labels, or a sentence, and never others. What the log tells, or
a name's letter case, may change."""

import random
import sqlite3
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


@pytest.fixture
def store(tmp_path: Path) -> TagStore:
    store = TagStore(tmp_path / "photos.sqlite")
    for edit in EDITS:
        edit(store)
    return store


def _labels(store: TagStore) -> dict[str, Any]:
    store.log()
    return {"columns": store.columns(IMAGES).astype(str).to_dict(), "counts": store.counts().to_numpy().tolist(), "paths": store.labeled_paths()}


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
        "UPDATE changes SET before_value = 9 WHERE edit = 3 AND image = 10",
        "UPDATE changes SET after_value = 2 WHERE edit = 3 AND image = 12",
    ],
)
def test_what_no_edit_wrote_is_told_and_nothing_is_built_on_it(store: TagStore, damage: str) -> None:
    content = store.path.read_bytes()
    with closing(sqlite3.connect(store.path)) as connection, connection:
        assert connection.execute(damage).rowcount
    spoilt = store.path.read_bytes()
    for call in (lambda: store.columns(IMAGES), store.version, lambda: store.undo("eve"), lambda: store.add_tag(IMAGES[:1], "new", "ada")):
        with pytest.raises(InputError, match="are damaged; nothing was changed: restore the file"):
            call()
    assert store.path.read_bytes() == spoilt
    store.path.write_bytes(content)
    assert store.add_tag(IMAGES[:1], "new", "ada").images == 1


@pytest.mark.parametrize("name", ["photos", "sharp", "class 1/004.jpg", "breed 1"])
def test_a_name_that_has_changed_in_the_file_is_told(store: TagStore, name: str) -> None:
    store.set_value(IMAGES[4:5], "photos", "many", "ada")
    before, content, changed = _labels(store), store.path.read_bytes(), 0
    for place in range(len(content)):
        if content[place:].startswith(name.encode()):
            spoilt = bytearray(content)
            spoilt[place] ^= 1
            changed += not _read(store.path, bytes(spoilt), before)
            store.path.write_bytes(content)
    assert changed


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
    assert _labels(TagStore(store.path))["columns"] == before["columns"]


def test_a_file_with_checksums_as_older_versions_wrote_them_is_read_and_edited(store: TagStore) -> None:
    before = _labels(store)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(
            "CREATE TABLE checksums (edit INTEGER PRIMARY KEY, images INTEGER NOT NULL, attributes INTEGER NOT NULL,"
            " attribute_values INTEGER NOT NULL, changes TEXT NOT NULL, names TEXT NOT NULL) STRICT"
        )
        connection.execute("INSERT INTO checksums VALUES (1, 20, 1, 1, 'a', 'b')")
    assert _labels(TagStore(store.path)) == before
    assert store.add_tag(IMAGES[:1], "new", "ada").images == 1
    assert store.undo("ada").name == "new"
    assert _labels(store) == before


def test_who_checks_a_file_keeps_nobody_from_writing(store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(*_: object) -> None:
        with closing(sqlite3.connect(store.path, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        checked.append(True)

    checked = list[bool]()
    monkeypatch.setattr(tag_file, "_check", meanwhile)
    store.add_tag(IMAGES[:1], "new", "ada")
    assert checked
